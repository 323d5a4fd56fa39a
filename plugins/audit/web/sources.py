"""The auditing behind the page: a paper is held against the sources that the settings of the server allow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from plugins.audit.auditing import AuditEvent, audit_paper

if TYPE_CHECKING:
    from plugins.audit.web.audits import Events
    from ui.web.open_collections import OpenCollections


def events_of(open_collections: OpenCollections) -> Events:
    """Return the function that audits a paper, beside a collection where one is named."""

    def events(path: Path, name: str, collection: str | None) -> Iterator[AuditEvent]:
        profile = open_collections.profile
        if not collection:
            open_collections.ask_of_none("audit")
            yield from audit_paper(path, profile, name=name, home=open_collections.home)
            return
        with open_collections.opened(collection, "audit") as (opened, _):
            yield from audit_paper(path, profile, name=name, collection=opened, home=open_collections.home)

    return events
