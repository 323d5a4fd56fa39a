"""What the page does when somebody asks or uploads: collections kept open, answers found, cited pages drawn.

Knows nothing of Gradio; every method may be called from any thread.
"""

from __future__ import annotations

import base64
import io
import queue
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from PIL import Image

from indexing import Collection, IndexReport, Progress, build_index, list_collections
from rag import Answer, Pipeline, Profile
from ui.badges import place_badges
from ui.cited import cited_pages
from ui.render import PageView

_PAGE_WIDTH = 1400
_MOST_PAGES = 12
# In `page.css` a badge is as high as this share of the page's width.
_BADGE_SHARE = 0.024


class Desk:
    """The open collections of one running page."""

    def __init__(self, profile: Profile, home: Path | None = None) -> None:
        """`home` is where collections live; None leaves the choice to `indexing`."""
        self._profile = profile
        self._home = home
        self._open: dict[str, tuple[Collection, Pipeline]] = {}
        self._lock = threading.Lock()
        self._running: dict[str, threading.Event] = {}

    def collections(self) -> tuple[str, ...]:
        """Names of all collections."""
        return list_collections(self._home)

    def ask(self, name: str, question: str) -> Answer:
        """Answer a question over one collection; raises IndexingError or RagError."""
        with self._collection(name) as (_, pipeline):
            return pipeline.answer(question)

    def pages(self, name: str, answer: Answer) -> tuple[PageView, ...]:
        """The first dozen cited pages, drawn, in the order of the answer."""
        with self._collection(name) as (collection, _):
            sizes = {d.id: d.n_pages for d in collection.documents()}
            views = []
            for (doc_id, page), items in list(cited_pages(answer).items())[:_MOST_PAGES]:
                image = collection.draw_page(doc_id, page, width=_PAGE_WIDTH)
                badges = {
                    badge.number: (badge.rect[0] / image.width, badge.rect[1] / image.height)
                    for badge in place_badges(image, items, round(image.width * _BADGE_SHARE))
                }
                views.append(
                    PageView(
                        doc_id=doc_id,
                        document=items[0][1].document,
                        page=page,
                        n_pages=sizes.get(doc_id, page),
                        src=_data_url(image),
                        width=image.width,
                        height=image.height,
                        items=tuple(items),
                        badges=badges,
                    )
                )
        return tuple(views)

    def index(
        self, session: str, name: str, paths: Sequence[Path], password: str | None
    ) -> Iterator[Progress | IndexReport]:
        """Index files into a collection, made if absent: moments while it runs, the report at its end.

        `stop(session)` ends it early. When the caller goes away it runs on. Raises IndexingError or OSError.
        """
        news: queue.SimpleQueue[Progress | IndexReport | Exception] = queue.SimpleQueue()
        cancel = self._running.setdefault(session, threading.Event())

        def work() -> None:
            try:
                report = build_index(
                    Collection.create(name, self._home, settings=self._profile.indexing),
                    paths,
                    password=password,
                    on_progress=news.put,
                    cancel=cancel,
                    settings=self._profile.indexing,
                    by_name=True,
                )
                self._forget(name)
                news.put(report)
            except Exception as error:  # noqa: BLE001 - carried over to the caller's thread and raised there
                news.put(error)
            finally:
                self._running.pop(session, None)

        threading.Thread(target=work, name=f"index {name}", daemon=True).start()
        while True:
            item = news.get()
            if isinstance(item, Exception):
                raise item
            yield item
            if isinstance(item, IndexReport):
                return

    def stop(self, session: str) -> None:
        """Ask the session's indexing to stop; documents that are complete stay."""
        if event := self._running.get(session):
            event.set()

    def close(self) -> None:
        """Stop what runs and let go of every collection."""
        for event in list(self._running.values()):
            event.set()
        for name in list(self._open):
            self._forget(name)

    @contextmanager
    def _collection(self, name: str) -> Iterator[tuple[Collection, Pipeline]]:
        """The collection and its pipeline, one caller at a time."""
        with self._lock:
            if name not in self._open:
                collection = Collection.open(name, self._home, self._profile.indexing)
                self._open[name] = (collection, Pipeline(collection, self._profile.rag))
            yield self._open[name]

    def _forget(self, name: str) -> None:
        """Let go of a collection, so that its next reader sees what was written since."""
        with self._lock:
            self._open.pop(name, None)


def _data_url(image: Image.Image) -> str:
    """The page as part of the HTML: no file is left in a cache, and no route has to serve one."""
    buffer = io.BytesIO()
    image.convert("RGB").save(buffer, format="JPEG", quality=86, optimize=True)
    return "data:image/jpeg;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")
