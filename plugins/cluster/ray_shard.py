"""RayShard: a shard that an actor of a cluster searches, and that restarts the actor when it is gone."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from numpy.typing import NDArray

from indexing import CollectionDamaged, Element, IndexingError
from indexing.search import Candidates, ShardQuery
from indexing.store import Store
from plugins.cluster.connection import last_line, unwrapped
from plugins.cluster.errors import ShardDown

SEARCHING, TELLING = "searching", "telling"
"""The threads of an actor: those that search, and the one that tells that it is there."""
STARTING_SECONDS = 180.0
"""The seconds by the clock within which an actor must be there, and have read what it holds in memory."""
TELLING_SECONDS = 10.0
"""The seconds in which one tells that it is there whose search has taken too long; else it is started anew."""
CLOSED = "the connection to the cluster was closed"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ShardActor:
    """An actor and the address of its node."""

    ray: ModuleType
    handle: Any
    address: str

    def ask(self, method: str, seconds: float, *arguments: Any) -> Any:
        """Return the actor's reply.

        Raises the actor's own error, ShardDown if it is gone, and TimeoutError if it takes longer.
        """
        group = TELLING if method == "report" else SEARCHING
        errors = self.ray.exceptions
        if not self.ray.is_initialized():
            raise ShardDown(CLOSED)
        try:
            reference = getattr(self.handle, method).options(concurrency_group=group).remote(*arguments)
            return self.ray.get(reference, timeout=seconds)
        except errors.GetTimeoutError:
            raise TimeoutError(f"the node {self.address} did not answer within {seconds:g} s") from None
        except errors.RayTaskError as error:
            cause = unwrapped(error)
            if isinstance(cause, CollectionDamaged):  # it is retried as one of a local shard is
                raise CollectionDamaged(f"the node {self.address}: {cause}") from None
            if isinstance(cause, IndexingError):
                raise ShardDown(f"the node {self.address}: {cause}") from None
            raise ShardDown(f"the node {self.address} failed ({last_line(cause):.200})") from None
        except SystemExit:  # so Ray ends a call that waits while the cluster is left; signals come to the main thread
            if threading.current_thread() is threading.main_thread():
                raise
            raise ShardDown(CLOSED) from None
        except errors.RayError as error:
            raise ShardDown(
                f"the node {self.address} or its process is lost ({type(error).__name__}) and is being "
                "restarted: ask again in a moment"
            ) from None


class RayShard:
    """A `Shard` whose actor `start` starts, in the background; `store` tells this process of its changes.

    One that is gone is started anew, and is named until then. Safe to use from several threads.
    """

    def __init__(
        self, name: str, start: Callable[[], Future[ShardActor]], seconds: float, store: Store | CollectionDamaged
    ) -> None:
        """Start the actor; a request may take so many `seconds`."""
        self.name = name
        self._start = start
        self._seconds = seconds
        self._store = store
        self._lock = threading.Lock()
        self._patience = STARTING_SECONDS
        self._actor = start()

    def warm(self) -> None:
        """Wait until the actor has read what searching holds in memory."""
        self._ready()

    def candidates(self, query: ShardQuery) -> Candidates | None:
        """Return its candidates for a question; None where it has no page among the documents asked."""
        result: Candidates | None = self._request("candidates", query)
        return result

    def elements(self, state: int, keys: Sequence[int]) -> list[tuple[Element, NDArray[Any]]]:
        """Return the elements of a state by their keys, each with the vectors of its text."""
        result: list[tuple[Element, NDArray[Any]]] = self._request("elements", state, list(keys))
        return result

    def elements_on(self, pages: Sequence[tuple[str, int]]) -> list[tuple[Element, ...]]:
        """Return for each page (document, number) its elements in reading order, groups last."""
        result: list[tuple[Element, ...]] = self._request("elements_on", list(pages))
        return result

    def unseen_pages(self, doc_ids: Sequence[str]) -> tuple[int, int]:
        """Count the pages with text that have no visual vector, and all that have text."""
        result: tuple[int, int] = self._request("unseen_pages", list(doc_ids))
        return result

    def _request(self, method: str, *arguments: Any) -> Any:
        """Return the actor's reply; check in the background that it is alive if there is none."""
        running, actor = self._ready()
        try:
            return actor.ask(method, self._seconds, newest(self._store), *arguments)
        except TimeoutError as error:
            threading.Thread(target=self._check_actor, args=(running, actor), daemon=True).start()
            raise ShardDown(f"{error}: ask again, or allow more (indexing: {{shard_seconds: N}})") from None
        except ShardDown:
            threading.Thread(target=self._check_actor, args=(running, actor), daemon=True).start()
            raise

    def _ready(self) -> tuple[Future[ShardActor], ShardActor]:
        """Return the actor; wait for the first one to start, but not for a restarted one. Raises IndexingError."""
        running, patience = self._actor, self._patience
        try:
            actor = running.result(patience)
        except TimeoutError:
            self._patience = 0.0
            raise ShardDown("it is being started on a node: ask again in a moment") from None
        except CancelledError:
            raise ShardDown(CLOSED) from None
        except IndexingError:
            self._start_anew(running)
            raise
        self._patience = 0.0
        return running, actor

    def _check_actor(self, running: Future[ShardActor], actor: ShardActor) -> None:
        """Restart the actor if it does not answer a request for its report."""
        try:
            actor.ask("report", TELLING_SECONDS)
        except (ShardDown, TimeoutError) as error:
            _log.warning("%s: %s", self.name, str(error))  # its traceback would keep the actor
            self._start_anew(running)

    def _start_anew(self, failed: Future[ShardActor]) -> None:
        """Replace an actor that failed; of several callers that saw it fail, only the first does."""
        with self._lock:
            if self._actor is failed:
                self._patience = 0.0
                self._actor = self._start()


def newest(store: Store | CollectionDamaged) -> int:
    """Return the version of a shard's tables, 0 where this process cannot read them."""
    if isinstance(store, CollectionDamaged):
        return 0
    try:
        return store.version()
    except CollectionDamaged:
        return 0
