"""The open collections of the page: kept open for questions and uploads, answers found, cited pages drawn.

It knows nothing of Gradio; every method may be called from any thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PIL import Image

from indexing import Collection, Home, default_home, list_collections
from rag import Answer, Pipeline, Profile
from ui.show import heat_svg
from ui.web.metrics import Metrics
from ui.web.viewer import MOST_PAGES, CitedPage, PageImages, fitting, page_views


class OpenCollections:
    """The open collections of one running page."""

    def __init__(self, profile: Profile, home: Home | None = None, password: str | None = None) -> None:
        """Keep the profile; `home` is the home of the collections, that of `indexing` where none is given.

        `password` is tried on every locked document.
        """
        self.profile = profile
        self.home = home or default_home()
        self.metrics = Metrics()
        self._password = password
        self._open: dict[str, tuple[Collection, Pipeline]] = {}
        self._lock = threading.Lock()
        self._loading = threading.Lock()
        self._ends: list[Callable[[], None]] = []
        self._images = PageImages(self._drawn)

    def collections(self) -> tuple[str, ...]:
        """Return the names of all collections."""
        return list_collections(self.home)

    def pages(self, name: str, answer: Answer, most: int = MOST_PAGES) -> tuple[CitedPage, ...]:
        """Return the cited pages with their boxes, at most `most`, in the order of the answer.

        `page_image` serves their images.
        """
        with self.opened(name) as (collection, _):
            return page_views(collection, answer, most)

    def page_image(self, name: str, doc_id: str, page: int, width: int) -> bytes:
        """Return a page as WebP, at the viewer's width nearest to `width` pixels. Raises IndexingError."""
        with self.opened(name) as (collection, _):
            collection.page(doc_id, page)  # that of a document that was removed meanwhile is not shown any more
        return self._images.get(name, doc_id, page, width)

    def heat_map(self, name: str, doc_id: str, page: int, question: str) -> bytes:
        """Draw the places of a page that look like the question, as SVG; nothing without a look at its pixels.

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
        """Stop the running work and let go of every collection."""
        for end in self._ends:
            end()
        for name in list(self._open):
            self.forget(name)

    @contextmanager
    def opened(self, name: str) -> Iterator[tuple[Collection, Pipeline]]:
        """Yield the collection and its pipeline, kept open; any number of callers may use them at once.

        A caller may finish after the collection was forgotten: it reads the earlier state.
        """
        with self._lock:
            if name not in self._open:
                collection = Collection.open(name, self.home, self.profile.indexing)
                if self._password:
                    collection.take_password(self._password)
                self._open[name] = (collection, Pipeline(collection, self.profile.rag))
            found = self._open[name]
        yield found

    @contextmanager
    def warmed(self, name: str) -> Iterator[tuple[Collection, Pipeline]]:
        """Yield the same as `opened`, models and search structures loaded: by the first caller, while others wait."""
        with self.opened(name) as found:
            with self._loading:
                found[1].warm()
            yield found

    def forget(self, name: str) -> None:
        """Let go of a collection that was deleted. Changes in one that is open are seen without this."""
        with self._lock:
            self._open.pop(name, None)
        self._images.forget(name)
