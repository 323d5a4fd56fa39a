"""Query reference databases over the network, where a setting names them, with limits and a cache."""

from rag.audit.online.arxiv import Arxiv
from rag.audit.online.chosen import online_sources
from rag.audit.online.crossref import Crossref
from rag.audit.online.doi import DoiRegistry
from rag.audit.online.openalex import OpenAlex
from rag.audit.online.semantic_scholar import SemanticScholar
from rag.audit.online.web_page import WebPages

__all__ = [
    "Arxiv",
    "Crossref",
    "DoiRegistry",
    "OpenAlex",
    "SemanticScholar",
    "WebPages",
    "online_sources",
]
