"""Work while nobody asks: a process of low priority reads the pages of the open collections.

First it embeds their pixels for mode image, if indexing left that out; then it compares their texts with their pixels,
so that questions need not wait for that.
"""

from __future__ import annotations

import logging
import threading
from contextlib import closing

from indexing import Collection, IndexingError, look_ahead, read_pixels, unread_pixels
from rag import Profile
from ui.settings import ui_settings
from ui.web.open_collections.collections import OpenCollections

QUIET = 3.0
"""The seconds without a question before a page is read."""
EVERY = 5.0
"""The seconds between two searches for a collection with unread pages."""
_MOST_CLOSING = 5.0
_LOG = logging.getLogger(__name__)


class IdleLooks:
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
            with closing(look_ahead(collection)) as pages:
                for _ in pages:
                    if not self._quiet():
                        return

    def _quiet(self) -> bool:
        """Wait until nobody has asked for QUIET seconds; return False once closed."""
        while self._open_collections.idle_seconds < QUIET:
            if self._closed.wait(1.0):
                return False
        return not self._closed.is_set()
