"""The sources of the network that the settings name, made ready to be asked."""

from __future__ import annotations

import os
from pathlib import Path

from plugins.audit.auditing.online import arxiv, crossref, doi, openalex, semantic_scholar
from plugins.audit.auditing.online.cache import ResponseCache
from plugins.audit.auditing.online.online_source import OnlineSource
from plugins.audit.auditing.online.service import Caller, Service, Terms
from plugins.audit.auditing.online.web_page import WebPages
from rag import AuditSettings, NetworkSource

_KINDS: dict[NetworkSource, tuple[type[OnlineSource], Terms]] = {
    "crossref": (crossref.Crossref, crossref.TERMS),
    "openalex": (openalex.OpenAlex, openalex.TERMS),
    "semantic_scholar": (semantic_scholar.SemanticScholar, semantic_scholar.TERMS),
    "arxiv": (arxiv.Arxiv, arxiv.TERMS),
    "doi": (doi.DoiRegistry, doi.TERMS),
}


def online_sources(settings: AuditSettings, home: Path) -> tuple[OnlineSource | WebPages, ...]:
    """Return the services in the order of the settings, with one cache for all below `home`; nothing is asked yet."""
    if not settings.network:
        return ()
    cache = ResponseCache(cache_path(home), settings.cache_days) if settings.cache_days else None
    return tuple(_made(name, settings, cache) for name in settings.network)


def cache_path(home: Path) -> Path:
    """Return the file of the answers that are kept."""
    return home / ".online" / "answers.sqlite"


def _made(name: NetworkSource, settings: AuditSettings, cache: ResponseCache | None) -> OnlineSource | WebPages:
    if name == "web":
        return WebPages(Caller(settings.mailto).agent)
    source, terms = _KINDS[name]
    return source(Service(terms, Caller(settings.mailto, _key(name, settings)), cache))


def _key(name: NetworkSource, settings: AuditSettings) -> tuple[str, str] | None:
    """Return the header that holds the key of a service, out of the environment; None without one."""
    if name == "openalex" and (key := _in_environment(settings.openalex_key_env)):
        return "authorization", f"Bearer {key}"
    if name == "semantic_scholar" and (key := _in_environment(settings.semantic_scholar_key_env)):
        return "x-api-key", key
    return None


def _in_environment(variable: str) -> str:
    """Return what a variable holds, if it can be a key."""
    key = os.environ.get(variable, "").strip() if variable else ""
    return key if key.isascii() and key.isprintable() else ""
