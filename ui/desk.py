"""What the page does when somebody asks or uploads: collections kept open, answers found, cited pages drawn.

Knows nothing of Gradio; every method may be called from any thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image

from indexing import Collection, list_collections
from rag import Answer, Pipeline, Profile
from ui.heat import heat_svg
from ui.page_images import PageImages, fitting
from ui.page_views import PageView, page_views


class Desk:
    """The open collections of one running page."""

    def __init__(self, profile: Profile, home: Path | None = None) -> None:
        """`home` is where collections live; None leaves the choice to `indexing`."""
        self.profile = profile
        self.home = home
        self._open: dict[str, tuple[Collection, Pipeline]] = {}
        self._lock = threading.Lock()
        self._loading = threading.Lock()
        self._ends: list[Callable[[], None]] = []
        self._images = PageImages(self._drawn)

    def collections(self) -> tuple[str, ...]:
        """Names of all collections."""
        return list_collections(self.home)

    def pages(self, name: str, answer: Answer) -> tuple[PageView, ...]:
        """The cited pages with their boxes, in the order of the answer; their images are served by `page_image`."""
        with self.opened(name) as (collection, _):
            return page_views(collection, answer)

    def page_image(self, name: str, doc_id: str, page: int, width: int) -> bytes:
        """A page as WebP, at the width nearest to `width` pixels that the viewer uses. Raises IndexingError."""
        with self.opened(name) as (collection, _):
            collection.page(doc_id, page)  # that of a document that was removed meanwhile is not shown any more
        return self._images.get(name, doc_id, page, width)

    def heat_map(self, name: str, doc_id: str, page: int, question: str) -> bytes:
        """Where a page looks like the question, as SVG; nothing where its pixels were not looked at.

        Raises IndexingError.
        """
        with self.warmed(name) as (collection, _):
            collection.page(doc_id, page)
            regions = collection.similarity_map(question, doc_id, page)
        return heat_svg(regions) if regions else b""

    def _drawn(self, name: str, doc_id: str, page: int, width: int) -> Image.Image:
        with self.opened(name) as (collection, _):
            shown = collection.page(doc_id, page)
            return collection.draw_page(doc_id, page, width=fitting(width, shown.width, shown.height))

    def at_close(self, end: Callable[[], None]) -> None:
        """Have something ended before the collections are let go of."""
        self._ends.append(end)

    def close(self) -> None:
        """Stop what runs and let go of every collection."""
        for end in self._ends:
            end()
        for name in list(self._open):
            self.forget(name)

    @contextmanager
    def opened(self, name: str) -> Iterator[tuple[Collection, Pipeline]]:
        """The collection and its pipeline, kept open; any number of callers may use them at once.

        Whoever holds them may finish after the collection was forgotten: they read what was there before.
        """
        with self._lock:
            if name not in self._open:
                collection = Collection.open(name, self.home, self.profile.indexing)
                self._open[name] = (collection, Pipeline(collection, self.profile.rag))
            found = self._open[name]
        yield found

    @contextmanager
    def warmed(self, name: str) -> Iterator[tuple[Collection, Pipeline]]:
        """As `opened`, its models and search structures loaded: by the first caller, while others wait."""
        with self.opened(name) as found:
            with self._loading:
                found[1].warm()
            yield found

    def forget(self, name: str) -> None:
        """Let go of a collection that was deleted. What is written into one that is open, or taken out, it sees."""
        with self._lock:
            self._open.pop(name, None)
        self._images.forget(name)
