"""The audits of the page: one on its way, the audits of all visitors, and the pages on which entries stand.

Nothing here knows of Gradio; every method may be called from any thread.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from indexing import FilePages
from plugins.audit.auditing import Audit, Audited, AuditEvent, ReferenceAudited, ReferencesFound, stopped_audit
from plugins.audit.export import report_of
from rag import Citation
from ui.show import State, safe_name
from ui.web import FollowedWork, begin_thread
from ui.web.viewer import CitedPage, nearest, webp

if TYPE_CHECKING:
    from plugins.audit.auditing import AuditedReference
    from plugins.audit.references import EntryPlace, Reference
    from ui.web.ask import Asking
    from ui.web.uploads import Uploads


@dataclass(frozen=True, slots=True)
class AuditMoment:
    """The progress of an audit at one moment: the entries that were found, and those that were judged, by number.

    `references` is None until the bibliography was read.
    """

    state: State = "busy"
    references: tuple[Reference, ...] | None = None
    done: dict[int, AuditedReference] = field(default_factory=dict)
    audit: Audit | None = None
    error: str = ""

    def so_far(self, name: str) -> Audit:
        """Return what is judged by now; one that was stopped says in its notes how far it came."""
        if self.audit is not None:
            return self.audit
        audit = stopped_audit(name, len(self.references or ()), self.done)
        return replace(audit, notes=()) if self.state == "busy" else audit

    def after(self, event: AuditEvent) -> AuditMoment:
        """Return the progress once `event` has happened."""
        match event:
            case ReferencesFound(references):
                return replace(self, references=references)
            case ReferenceAudited(reference):
                return replace(self, done=self.done | {reference.reference.number: reference})
            case Audited(audit):
                return replace(self, audit=audit, state="done")

    def end(self, state: State, error: str = "") -> AuditMoment:
        """Return the progress of an audit that ends before it is done."""
        return replace(self, state=state, error=error)


class AuditRun(FollowedWork[AuditMoment]):
    """One paper on its way to an audit."""

    def __init__(self, name: str, path: Path, collection: str | None) -> None:
        """Keep the paper; nothing happens before `run`."""
        super().__init__(AuditMoment())
        self.name = name
        self.path = path
        self.collection = collection


MOST_PAGES = 200
"""The most pages with entries that are shown: 2,000 entries stand on sixty."""
_SKETCH_WIDTH = 160
_BADGE = 0.03
"""The room that a number takes to the left of its entry, as a share of the page's width."""


def sheets(drawer: FilePages, known_as: str, path: Path, audit: Audit) -> tuple[CitedPage, ...]:
    """Return the pages in their order. None for a bibliography that stands on no page. Raises FileError."""
    placed: dict[int, list[tuple[AuditedReference, EntryPlace]]] = {}
    for audited in audit.references:
        for place in audited.reference.places:
            if place.boxes:
                placed.setdefault(place.page, []).append((audited, place))
    if not placed:
        return ()
    total = drawer.count(path)
    return tuple(
        _sheet(drawer, known_as, path, audit.paper, page, placed[page], total)
        for page in sorted(placed)[:MOST_PAGES]
        if page <= total
    )


def _sheet(
    drawer: FilePages,
    known_as: str,
    path: Path,
    name: str,
    page: int,
    placed: list[tuple[AuditedReference, EntryPlace]],
    total: int,
) -> CitedPage:
    sketch = drawer.draw(path, page, _SKETCH_WIDTH)
    kinds = {audited.reference.number: audited.status for audited, _ in placed}
    items: list[tuple[int, Citation]] = []
    for number in kinds:
        own = [(audited, place) for audited, place in placed if audited.reference.number == number]
        boxes = tuple(box for _, place in own for box in place.boxes)
        entry = f"entry {number}"
        citation = Citation(entry, entry, "", name, page, "entry", boxes[0], boxes, own[0][0].reference.text)
        items.append((number, citation))
    return CitedPage(
        known_as,
        name,
        page,
        total,
        f"vouch/paper/{known_as}/{page}.webp",
        sketch.width,
        sketch.height,
        items,
        {number: (max(0.0, citation.boxes[0].x0 - _BADGE), citation.boxes[0].y0) for number, citation in items},
        {number: citation.quote for number, citation in items},
        kinds=kinds,
    )


MOST_VISITORS = 50
"""The number of visitors whose last paper is kept."""
AT_ONCE = 2
"""The number of papers that are audited at a time; others wait for their turn."""
FORMS = {
    "html": (".html", "text/html"),
    "markdown": (".md", "text/markdown"),
    "json": (".json", "application/json"),
    "pdf": (".pdf", "application/pdf"),
    "bibtex": (".bib", "application/x-bibtex"),
}
_PATIENCE = 0.2
"""The seconds after which a waiting audit looks if it was taken back."""
Events = Callable[[Path, str, str | None], Iterator["AuditEvent"]]
"""A function that audits a paper: its path, its name, and the collection to look in, if there is one."""


class Audits:
    """The latest audit of each visitor, in memory, and its paper on the server's disk until the next one comes."""

    def __init__(self, asking: Asking, uploads: Uploads, events: Events) -> None:
        """Keep what the page has, and the function that audits; offer exports and pages."""
        self.asking = asking
        self._uploads = uploads
        self._events = events
        self._runs: OrderedDict[str, AuditRun] = OrderedDict()
        self._lock = threading.Lock()
        self._places = threading.Semaphore(AT_ONCE)
        self._drawer = FilePages(uploads.settings.within(asking.open_collections.profile.indexing))
        asking.downloads.add(self.export, self.page)
        asking.open_collections.at_close(self._drawer.close)

    def start(self, visitor: str, name: str, path: Path, collection: str | None) -> AuditRun:
        """Begin to audit a paper, which is an upload that was taken over; the visitor's earlier one is let go of."""
        run = AuditRun(name, path, collection)
        gone = []
        with self._lock:
            gone += [old] if (old := self._runs.pop(visitor, None)) else []
            self._runs[visitor or run.id] = run  # nobody else is told the id
            while len(self._runs) > MOST_VISITORS:
                gone.append(self._runs.popitem(last=False)[1])
        for old in gone:
            old.stop()
            self._uploads.folder.release(old.path)
        begin_thread(run.run, self._placed(run), name=f"audit {run.id}")
        return run

    def last(self, visitor: str) -> AuditRun | None:
        """Return the visitor's latest audit."""
        with self._lock:
            return self._runs.get(visitor)

    def stop(self, visitor: str) -> None:
        """Stop the visitor's audit; the entries that were judged stay."""
        if (run := self.last(visitor)) is not None:
            run.stop()

    def sheets(self, run: AuditRun) -> tuple[CitedPage, ...]:
        """Return the pages that entries stand on, with a box for each. Raises FileError."""
        return sheets(self._drawer, run.id, run.path, run.now.so_far(run.name))

    def page(self, visitor: str, run_id: str, number: int, width: int) -> bytes | None:
        """Return a page of a visitor's paper as WebP; None for another's. Raises FileError."""
        run = self.last(visitor)
        return (
            webp(self._drawer.draw(run.path, number, nearest(width))) if run is not None and run.id == run_id else None
        )

    def export(self, visitor: str, run_id: str, form: str) -> tuple[str, bytes, str] | None:
        """Return an audit as (file name, content, media type); None if it is not there. Raises FileError, OSError.

        `form` is a key of FORMS. Of an audit that was stopped it is what was judged by then.
        """
        run = self.last(visitor)
        if run is None or run.id != run_id or run.now.state == "busy" or form not in FORMS:
            return None
        audit = run.now.so_far(run.name)
        suffix, media = FORMS[form]
        name = f"{safe_name(Path(run.name).stem, 48)}-audit{suffix}"
        if form == "pdf":
            from plugins.audit.export import marked_paper

            return name, marked_paper(audit, run.path, self.asking.open_collections.profile.indexing)[0], media
        return name, report_of(audit, form), media  # type: ignore[arg-type]  # a key of FORMS

    def _placed(self, run: AuditRun) -> Iterator[AuditEvent]:
        """Yield the events of an audit once a place is free."""
        while not self._places.acquire(timeout=_PATIENCE):
            if run.now.state != "busy":
                return
        try:
            yield from self._events(run.path, run.name, run.collection)
        finally:
            self._places.release()
