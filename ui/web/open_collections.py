"""Keep collections open: answer from them, draw their pages, verify their texts while idle.

First it embeds their pixels for mode image, if indexing left that out; then it compares their texts with their pixels,
so that questions need not wait for that.

Independent of Gradio; every method may be called from any thread.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import lru_cache

from indexing import (
    Collection,
    CollectionMissing,
    Home,
    IndexingError,
    default_home,
    list_collections,
    read_pixels,
    unread_pixels,
    verify_ahead,
)
from rag import Answer, Pipeline, Profile, RagSettings
from ui.access import QUESTIONS, READS, Access, Deed, Role
from ui.errors import NotAllowed, OverQuota
from ui.settings import ui_settings
from ui.show import heat_svg
from ui.web.metrics import Metrics
from ui.web.viewer import MOST_PAGES, CitedPage, fitting, nearest, page_views, webp

QUIET = 3.0
"""The seconds without a question before a page is read."""
EVERY = 5.0
"""The seconds between two searches for a collection with unread pages."""
_MOST_CLOSING = 5.0
_LOG = logging.getLogger(__name__)


class IdleReading:
    """A thread that has one page after another read by a process of low priority, while nobody asks."""

    def __init__(self, open_collections: OpenCollections, *, texts: bool) -> None:
        """Keep the collections, with which it is closed; `texts`: also compare texts with their pages."""
        self._open_collections, self._texts = open_collections, texts
        self._closed = threading.Event()
        self._begun: dict[str, tuple[tuple[str, str], ...]] = {}
        self._thread = threading.Thread(target=self._run, name="idle-looks", daemon=True)
        open_collections.at_close(self.close)

    @staticmethod
    def reads_texts(profile: Profile, *, with_accounts: bool) -> bool:
        """Return True if a profile asks for texts to be compared with their pages ahead of questions."""
        setting = ui_settings(profile).look_ahead
        return profile.rag.print_check and (with_accounts if setting is None else setting)

    def begin(self) -> None:
        """Start the thread; collections opened later, and documents added later, are read, too."""
        self._thread.start()

    def close(self) -> None:
        """Stop after the current page, and wait some seconds for that."""
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join(timeout=_MOST_CLOSING)

    def _run(self) -> None:
        while not self._closed.wait(EVERY):
            for name, collection in self._open_collections.list_open():
                try:
                    self._look(name, collection)
                except (IndexingError, OSError) as error:  # it was deleted, say
                    _LOG.info("the pages of %s are not looked at: %s", name, error)
                except Exception:  # noqa: BLE001 - the edge of the process: logged, and questions look for themselves
                    _LOG.exception("looking ahead failed")

    def _look(self, name: str, collection: Collection) -> None:
        """Read the unread pages of a collection, once for each state of its documents, while nobody asks.

        So a failure is logged once, and tried again when documents are added or removed.
        """
        state = tuple((document.id, document.indexed_at) for document in collection.documents())
        if self._begun.get(name) == state or not self._quiet():
            return
        self._begun[name] = state
        if unread_pixels(collection):
            with closing(read_pixels(collection, patient=True)) as seen_pages:
                for page in seen_pages:
                    if page.error:
                        _LOG.info("mode image cannot see it: %s", page.error)
                    if not self._quiet():
                        return
        if self._texts:
            with closing(verify_ahead(collection)) as pages:
                for _ in pages:
                    if not self._quiet():
                        return

    def _quiet(self) -> bool:
        """Wait until nobody has asked for QUIET seconds; return False once closed."""
        while self._open_collections.idle_seconds < QUIET:
            if self._closed.wait(1.0):
                return False
        return not self._closed.is_set()


_MOST_IMAGES = 100
"""The number of page images that are cached, the latest."""


class OpenCollections:
    """The open collections of one running page.

    Each call checks that `access` allows it to the acting identity: a collection that this may not read raises
    CollectionMissing. The calls also write the audit log, and count questions.
    """

    def __init__(
        self,
        profile: Profile,
        home: Home | None = None,
        password: str | None = None,
        access: Access | None = None,
    ) -> None:
        """Keep the profile; `home` is the folder of the collections, by default that of `indexing`.

        `password` is tried on every locked document. Without `access` everything is allowed.
        """
        self.profile = profile
        self.access = access or Access()
        self.home = home or default_home()
        self.metrics = Metrics()
        self._password = password
        self._open: dict[str, tuple[Collection, Pipeline]] = {}
        self._lock = threading.Lock()
        self._loading = threading.Lock()
        self._ends: list[Callable[[], None]] = []
        self._page_image = lru_cache(_MOST_IMAGES)(self._draw_page)
        self._question_count, self._last_asked = 0, 0.0

    def collections(self) -> tuple[str, ...]:
        """Return the names of all collections that the acting identity may read."""
        return tuple(name for name in list_collections(self.home) if self.access.may("reader", name))

    def hides(self, name: str) -> bool:
        """Return True for a collection that the acting identity may not read."""
        return not self.access.may("reader", name)

    def require(self, least: Role, name: str, deed: Deed = "open", thing: str = "", question: str = "") -> None:
        """Raise CollectionMissing if the acting identity may not read a collection, NotAllowed if its role is too low.

        If `deed` is a question, count it, and raise OverQuota for one too many. A read is written to the audit log
        here; a change by `Access.record`, when it is done or refused.
        """
        try:
            self._check(least, name)
            if deed in QUESTIONS:
                self._count_question()
        except (CollectionMissing, NotAllowed, OverQuota):
            if deed in READS:
                self.access.note(deed, name, thing, "refused", question)
            raise
        if deed in READS:
            self.access.note(deed, name, thing, question=question)

    def _check(self, least: Role, name: str) -> None:
        if not self.access.may("reader", name):
            raise self._missing(name)
        if not self.access.may(least, name):
            raise NotAllowed(f"this needs the role {least} in {name}: ask one of its owners, or an admin")

    def _count_question(self) -> None:
        try:
            self.access.count_question()
        except OverQuota as error:
            self.metrics.over_quota(error.limit)
            raise

    def ask_of_none(self, deed: Deed) -> None:
        """Count a question that concerns no collection, and log it. Raises OverQuota."""
        try:
            self._count_question()
        except OverQuota:
            self.access.note(deed, outcome="refused")
            raise
        self.access.note(deed)

    def admit(self, name: str) -> None:
        """Raise NotAllowed if the acting identity may not add documents to `name`, or create that collection.

        The error is the same whether such a collection exists or not.
        """
        if not self.access.may("editor", name):
            deed: Deed = "add-document" if name in list_collections(self.home) else "make-collection"
            self.access.note(deed, name, outcome="refused")
            raise NotAllowed(f"you may not add documents to {name}: this needs the role editor there; ask an admin")

    def _missing(self, name: str) -> CollectionMissing:
        """Return the error for a missing or hidden collection; it lists those that the acting identity may read."""
        names = ", ".join(self.collections()) or "none"
        return CollectionMissing(f"there is no collection {name!r} (there are: {names}): choose one of these")

    def pages(self, name: str, answer: Answer, most: int = MOST_PAGES) -> tuple[CitedPage, ...]:
        """Return the cited pages with their boxes, at most `most`, in the order of the answer.

        `page_image` serves their images.
        """
        with self.open_collection(name) as (collection, _):
            return page_views(collection, answer, most)

    def page_image(self, name: str, doc_id: str, page: int, width: int) -> bytes:
        """Return a page as WebP, at the viewer's width nearest to `width` pixels. Raises IndexingError."""
        with self.open_collection(name, "see-page", page_name(doc_id, page)) as (collection, _):
            collection.page(doc_id, page)  # that of a document that was removed meanwhile is not shown any more
        return self._page_image(name, doc_id, page, nearest(width))

    def heat_map(self, name: str, doc_id: str, page: int, question: str) -> bytes:
        """Return an SVG of a page's regions by similarity to the question; b"" without pixels. Raises IndexingError."""
        with self.open_warm(name, "see-page", page_name(doc_id, page)) as (collection, _):
            collection.page(doc_id, page)
            regions = collection.similarity_map(question, doc_id, page)
        return heat_svg(regions) if regions else b""

    def _draw_page(self, name: str, doc_id: str, page: int, width: int) -> bytes:
        with self.open_collection(name) as (collection, _):
            page_size = collection.page(doc_id, page)
            width = fitting(width, page_size.width, page_size.height)
            return webp(collection.draw_page(doc_id, page, width=width))

    def answer_with(self, rag: RagSettings) -> None:
        """Use these settings from the next question on; answers in progress keep the old ones."""
        with self._lock:
            self.profile = self.profile.model_copy(update={"rag": rag})
            self._open = {name: (collection, Pipeline(collection, rag)) for name, (collection, _) in self._open.items()}

    def at_close(self, end: Callable[[], None]) -> None:
        """Register a function that `close` calls before it closes the collections; the latest is called first."""
        self._ends.append(end)

    def close(self) -> None:
        """Call the functions of `at_close`, and forget every collection."""
        for end in reversed(self._ends):
            end()
        for name in list(self._open):
            self.forget(name)

    @contextmanager
    def open_collection(
        self, name: str, deed: Deed = "open", thing: str = "", question: str = ""
    ) -> Iterator[tuple[Collection, Pipeline]]:
        """Yield the collection and its pipeline, kept open; any number of callers may use them at once.

        A caller may finish after the collection was forgotten: it reads the earlier state. Access is checked and logged
        as in `require`, with its errors.
        """
        self.require("reader", name, deed, thing, question)
        with self._lock:
            if name not in self._open:
                collection = self._open_or_refuse(name)
                if self._password:
                    collection.take_password(self._password)
                self._open[name] = (collection, Pipeline(collection, self.profile.rag))
            opened_pair = self._open[name]
        yield opened_pair

    def _open_or_refuse(self, name: str) -> Collection:
        """Open a collection; with accounts, one that is missing and one that may not be seen look alike."""
        try:
            return Collection.open(name, self.home, self.profile.indexing)
        except CollectionMissing:
            if not self.access.has_accounts:
                raise
            raise self._missing(name) from None

    @contextmanager
    def open_warm(
        self, name: str, deed: Deed = "open", thing: str = "", question: str = ""
    ) -> Iterator[tuple[Collection, Pipeline]]:
        """Yield as `open_collection`, with models and search structures loaded; the first caller loads, others wait."""
        with self.open_collection(name, deed, thing, question) as pair, self._asking():
            with self._loading:
                pair[1].warm()
            yield pair

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """Count a question in progress in the block, for `idle_seconds`."""
        with self._lock:
            self._question_count += 1
        try:
            yield
        finally:
            with self._lock:
                self._question_count, self._last_asked = self._question_count - 1, time.monotonic()

    @property
    def idle_seconds(self) -> float:
        """The seconds since the last question to any collection was answered; 0 while one is being answered."""
        with self._lock:
            return 0.0 if self._question_count else time.monotonic() - self._last_asked

    def list_open(self) -> tuple[tuple[str, Collection], ...]:
        """Return the names and collections that are open now, regardless of who may read them."""
        with self._lock:
            return tuple((name, collection) for name, (collection, _) in self._open.items())

    def forget(self, name: str) -> None:
        """Remove a collection from the open ones. Not needed after changes: an open collection sees them."""
        with self._lock:
            self._open.pop(name, None)

    def forget_deleted(self, name: str) -> None:
        """Forget a deleted collection and all roles in it, so that a later one of its name does not inherit them."""
        self.forget(name)
        self.access.forget_collection(name)


def page_name(doc_id: str, page: int) -> str:
    """Return the name of a page in the audit log: `<document id> page <number>`."""
    return f"{doc_id} page {page}"
