"""The audits of the page: the paper of each visitor, the pages on which its entries stand, and what is taken away.

It knows nothing of Gradio; every method may be called from any thread.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from indexing import FilePages
from plugins.audit.export import report_of
from plugins.audit.web.runs import AuditRun
from plugins.audit.web.sheets import sheets
from ui.show import safe_name
from ui.web import begin_thread
from ui.web.viewer import nearest, webp

if TYPE_CHECKING:
    from plugins.audit.auditing import AuditEvent
    from ui.web.ask import Asking
    from ui.web.uploads import Uploads
    from ui.web.viewer import CitedPage

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
_KEPT_PAGES = 200
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
        self._images: OrderedDict[tuple[str, int, int], bytes] = OrderedDict()
        self._sheets: OrderedDict[str, tuple[CitedPage, ...]] = OrderedDict()
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
        audit = run.now.so_far(run.name)
        key = f"{run.id}:{run.now.state}:{len(audit.references)}"
        with self._lock:
            if key in self._sheets:
                return self._sheets[key]
        made = sheets(self._drawer, run.id, run.path, audit)
        with self._lock:
            self._sheets[key] = made
            while len(self._sheets) > MOST_VISITORS:
                self._sheets.popitem(last=False)
        return made

    def page(self, visitor: str, run_id: str, number: int, width: int) -> bytes | None:
        """Return a page of a visitor's paper as WebP; None for another's. Raises FileError."""
        run = self.last(visitor)
        if run is None or run.id != run_id:
            return None
        key = (run_id, number, nearest(width))
        with self._lock:
            if key in self._images:
                return self._images[key]
        made = webp(self._drawer.draw(run.path, number, key[2]))
        with self._lock:
            self._images[key] = made
            while len(self._images) > _KEPT_PAGES:
                self._images.popitem(last=False)
        return made

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
        with self._place(run) as begun:
            if begun:
                yield from self._events(run.path, run.name, run.collection)

    @contextmanager
    def _place(self, run: AuditRun) -> Iterator[bool]:
        """Hold one of the places; False where the audit was stopped before one was free."""
        while not self._places.acquire(timeout=_PATIENCE):
            if run.now.state != "busy":
                yield False
                return
        try:
            yield True
        finally:
            self._places.release()
