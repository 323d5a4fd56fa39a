"""The audits of the page: one in progress, those of all visitors, and the pages that have entries.

Independent of Gradio; every method may be called from any thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from indexing import FilePages
from plugins.audit.auditing import AuditEvent
from plugins.audit.export import AUDIT_FORMS, report_of
from plugins.audit.progress import AuditMoment, LatestWork
from rag import Citation
from ui.show import safe_name
from ui.web import FollowedWork, begin_thread
from ui.web.viewer import CitedPage, nearest, webp

if TYPE_CHECKING:
    from plugins.audit.auditing import AuditedReference
    from ui.web.ask import Asking
    from ui.web.uploads import Uploads

MOST_PAGES = 200
"""The most pages with entries that are displayed: 2,000 entries fill sixty."""
_SKETCH_WIDTH = 160
_BADGE = 0.03
"""The room that a number takes to the left of its entry, as a share of the page's width."""
MOST_VISITORS = 50
"""The number of visitors whose last paper is kept."""
AT_ONCE = 2
"""The number of papers that are audited at a time; others wait for their turn."""
_PATIENCE = 0.2
"""The seconds between two checks of whether a waiting audit was stopped."""
Events = Callable[[Path, str, str | None], Iterator["AuditEvent"]]
"""A function that audits a paper: its path, its name, and the collection to look in, if there is one."""


class AuditRun(FollowedWork[AuditMoment]):
    """The audit of one paper, which can be followed and stopped."""

    def __init__(self, name: str, path: Path, collection: str | None) -> None:
        """Keep the paper; the audit starts with `run`."""
        super().__init__(AuditMoment())
        self.name = name
        self.path = path
        self.collection = collection


class Audits:
    """The latest audit of each visitor, in memory, and its paper on the server's disk until the next one comes."""

    def __init__(self, asking: Asking, uploads: Uploads, events: Events) -> None:
        """Keep what the page has, and the function that audits; register exports and pages."""
        self.asking = asking
        self._uploads = uploads
        self._events = events
        self._runs: LatestWork[AuditRun] = LatestWork(MOST_VISITORS)
        self._slots = threading.Semaphore(AT_ONCE)
        self._drawer = FilePages(uploads.settings.cap_settings(asking.open_collections.profile.indexing))
        asking.downloads.add(self.export, self.page)
        asking.open_collections.at_close(self._drawer.close)

    def start(self, visitor: str, name: str, path: Path, collection: str | None) -> AuditRun:
        """Begin to audit an uploaded paper; the visitor's earlier audit is stopped, and its paper deleted."""
        run = AuditRun(name, path, collection)
        for old in self._runs.put(visitor or run.id, run):  # without a visitor id, the run's own id is the key
            old.stop()
            self._uploads.folder.release(old.path)
        begin_thread(run.run, self._events_when_free(run), name=f"audit {run.id}")
        return run

    def last(self, visitor: str) -> AuditRun | None:
        """Return the visitor's latest audit, None without one."""
        return self._runs.of(visitor)

    def stop(self, visitor: str) -> None:
        """Stop the visitor's audit; the entries that were judged stay."""
        if (run := self.last(visitor)) is not None:
            run.stop()

    def sheets(self, run: AuditRun) -> tuple[CitedPage, ...]:
        """Return the pages that have entries, with a box for each entry, by its verdict. Raises FileError."""
        by_page: dict[int, list[AuditedReference]] = {}
        for entry in run.now.so_far(run.name).references:
            for page in dict.fromkeys(place.page for place in entry.reference.places if place.boxes):
                by_page.setdefault(page, []).append(entry)
        total = self._drawer.count(run.path) if by_page else 0
        return tuple(
            self._sheet(run, page, by_page[page], total) for page in sorted(by_page)[:MOST_PAGES] if page <= total
        )

    def _sheet(self, run: AuditRun, page: int, entries: Sequence[AuditedReference], total: int) -> CitedPage:
        """Return a page of the paper with a box for each of its entries."""
        sketch = self._drawer.draw(run.path, page, _SKETCH_WIDTH)
        items: list[tuple[int, Citation]] = []
        for reference in (item.reference for item in entries):
            boxes = tuple(box for place in reference.places if place.page == page for box in place.boxes)
            entry = f"entry {reference.number}"
            items.append(
                (reference.number, Citation(entry, entry, "", run.name, page, "entry", boxes[0], boxes, reference.text))
            )
        return CitedPage(
            run.id,
            run.name,
            page,
            total,
            f"vouch/paper/{run.id}/{page}.webp",
            sketch.width,
            sketch.height,
            items,
            {number: (max(0.0, citation.boxes[0].x0 - _BADGE), citation.boxes[0].y0) for number, citation in items},
            {number: citation.quote for number, citation in items},
            kinds={item.reference.number: item.status for item in entries},
        )

    def page(self, visitor: str, run_id: str, number: int, width: int) -> bytes | None:
        """Return a page of a visitor's paper as WebP; None if it is not the latest audit. Raises FileError."""
        run = self.last(visitor)
        return (
            webp(self._drawer.draw(run.path, number, nearest(width))) if run is not None and run.id == run_id else None
        )

    def export(self, visitor: str, run_id: str, form: str) -> tuple[str, bytes, str] | None:
        """Return an audit as (file name, content, media type); None if there is none. Raises FileError, OSError.

        `form` is a key of AUDIT_FORMS. A stopped audit has the entries that were judged until then.
        """
        run = self.last(visitor)
        if run is None or run.id != run_id or run.now.state == "busy" or form not in AUDIT_FORMS:
            return None
        audit = run.now.so_far(run.name)
        suffix, media, _ = AUDIT_FORMS[form]
        name = f"{safe_name(Path(run.name).stem, 48)}-audit{suffix}"
        if form == "pdf":
            from plugins.audit.export import marked_paper

            return name, marked_paper(audit, run.path, self.asking.open_collections.profile.indexing)[0], media
        return name, report_of(audit, form), media

    def _events_when_free(self, run: AuditRun) -> Iterator[AuditEvent]:
        """Yield the events of an audit, once fewer than AT_ONCE others run; none if it is stopped before."""
        while not self._slots.acquire(timeout=_PATIENCE):
            if run.now.state != "busy":
                return
        try:
            yield from self._events(run.path, run.name, run.collection)
        finally:
            self._slots.release()
