"""Query reference databases over the network, where a setting names them, with limits and a cache."""

from __future__ import annotations

import os
from pathlib import Path

from plugins.audit.auditing.online.cache import ResponseCache
from plugins.audit.auditing.online.online_source import Crossref, DoiRegistry, OnlineSource, OpenAlex, WebPages
from plugins.audit.auditing.online.service import Caller, Service
from rag import AuditSettings


def online_sources(settings: AuditSettings, home: Path) -> tuple[OnlineSource | WebPages, ...]:
    """Return the services in the order of the settings, with one cache for all below `home`; nothing is asked yet."""
    if not settings.network:
        return ()
    cache = ResponseCache(home / ".online" / "answers.sqlite", settings.cache_days) if settings.cache_days else None
    nobody, key = Caller(settings.mailto), _key(settings.openalex_key_env)
    kinds: dict[str, tuple[type[OnlineSource], Caller]] = {
        "crossref": (Crossref, nobody),
        "openalex": (OpenAlex, Caller(settings.mailto, ("authorization", f"Bearer {key}") if key else None)),
        "doi": (DoiRegistry, nobody),
    }
    sources: list[OnlineSource | WebPages] = []
    for name in settings.network:
        if name == "web":
            sources.append(WebPages(nobody.agent))
        else:
            source, caller = kinds[name]
            sources.append(source(Service(source.terms, caller, cache)))
    return tuple(sources)


def _key(variable: str) -> str:
    """Return what a variable of the environment holds, if it can be a key."""
    key = os.environ.get(variable, "").strip() if variable else ""
    return key if key.isascii() and key.isprintable() else ""
