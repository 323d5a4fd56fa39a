"""Query reference databases over the network, where a setting names them, with limits and a cache."""

from plugins.audit.auditing.online.arxiv import Arxiv
from plugins.audit.auditing.online.chosen import online_sources
from plugins.audit.auditing.online.crossref import Crossref
from plugins.audit.auditing.online.doi import DoiRegistry
from plugins.audit.auditing.online.openalex import OpenAlex
from plugins.audit.auditing.online.semantic_scholar import SemanticScholar
from plugins.audit.auditing.online.web_page import WebPages

__all__ = [
    "Arxiv",
    "Crossref",
    "DoiRegistry",
    "OpenAlex",
    "SemanticScholar",
    "WebPages",
    "online_sources",
]
