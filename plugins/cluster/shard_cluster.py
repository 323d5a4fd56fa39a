"""ShardCluster: the nodes of a Ray cluster as the place where shards are searched."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from typing import Any

from indexing import IndexingError, IndexingSettings
from indexing.embed import EmbedderRecord
from indexing.search import Shard
from indexing.storage import FolderRoot, StorageRoot
from indexing.store import ShardedStore, Store
from plugins.cluster.connection import connected, refusal
from plugins.cluster.errors import ClusterMissing, ShardDown
from plugins.cluster.ray_shard import CLOSED, SEARCHING, STARTING_SECONDS, TELLING, RayShard, ShardActor, newest
from plugins.cluster.shard_work import ShardPlace, ShardWork

ABREAST = 8
"""The requests that an actor answers at the same time."""
MOST_STARTS = 64
"""The actors that start at the same time: those of a collection of as many shards as there may be."""

_log = logging.getLogger(__name__)


class ShardCluster:
    """A cluster whose nodes search shards, each the one with the fewest so far. Use it as a context manager.

    An actor has one shard; it ends when the search that asked for it is let go of, at the latest with this.
    """

    def __init__(self, on: str) -> None:
        """Connect. Raises BadSetting, ExtraMissing, ClusterOpen, and ClusterMissing without a node that has a CPU."""
        self._on = on
        self._lock = threading.Lock()
        self._nodes: dict[tuple[str, int], str] = {}
        with ExitStack() as leaving:
            self._ray = leaving.enter_context(connected(on))
            self._living()
            self._starts = ThreadPoolExecutor(MOST_STARTS, "shard-start")
            leaving.callback(self._starts.shutdown, wait=False, cancel_futures=True)
            self._leaving = leaving.pop_all()

    def __enter__(self) -> ShardCluster:
        """Return the cluster itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the actors, and leave the cluster."""
        self._leaving.close()

    def shards_of(
        self, store: Store | ShardedStore, place: StorageRoot, record: EmbedderRecord, settings: IndexingSettings
    ) -> list[Shard]:
        """Return the shards of the collection at a place for a search by actors, which are being started.

        A collection without shards is one.
        """
        address = str(place.folder.absolute() if isinstance(place, FolderRoot) else place)
        stores = [store] if isinstance(store, Store) else store.shards
        self._forget(address)
        shards: list[Shard] = []
        for number, own in enumerate(stores, 1):
            at = ShardPlace(address, record, number)
            start = partial(self._begin, at, settings, own)
            shards.append(RayShard(at.name, start, settings.shard_seconds, own))
        return shards

    def _begin(self, at: ShardPlace, settings: IndexingSettings, store: Any) -> Future[ShardActor]:
        """Start an actor in the background."""
        try:
            return self._starts.submit(self._start_actor, at, settings, store)
        except RuntimeError:
            future: Future[ShardActor] = Future()
            future.set_exception(ShardDown(CLOSED))
            return future

    def _start_actor(self, at: ShardPlace, settings: IndexingSettings, store: Any) -> ShardActor:
        """Start an actor, and wait until it can search. Raises IndexingError."""
        try:
            return self._actor(at, settings, store)
        except (OSError, RuntimeError, self._ray.exceptions.RayError) as error:  # as where the head is gone, or we left
            _log.warning("%s: %s: %s", at.name, type(error).__name__, str(error))
            raise ShardDown(
                f"the cluster does not answer ({type(error).__name__}): check it with `ray status`"
            ) from None

    def _actor(self, at: ShardPlace, settings: IndexingSettings, store: Any) -> ShardActor:
        """Return an actor on the node for a shard, once it can search. Raises IndexingError, and what Ray raises."""
        node_id, address = self._choose_node(at)
        affinity = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(node_id, soft=False)
        handle = self._ray.remote(
            num_cpus=0,  # it computes only while there is a question; there may be more shards than CPUs
            max_concurrency=1,
            concurrency_groups={SEARCHING: ABREAST, TELLING: 1},
            scheduling_strategy=affinity,
        )(ShardWork).remote(at, settings)
        actor = ShardActor(self._ray, handle, address)
        try:
            if mismatch := refusal(address, actor.ask("report", STARTING_SECONDS)):
                raise mismatch
            actor.ask("warm", STARTING_SECONDS, newest(store))
        except TimeoutError as error:
            self._ray.kill(handle)
            raise ShardDown(f"{error}: check with `ray status` what that node is doing") from None
        except IndexingError:
            self._ray.kill(handle)
            raise
        return actor

    def _choose_node(self, at: ShardPlace) -> tuple[str, str]:
        """Return the id and address of the node with the fewest shards, but not the last node of this shard."""
        key = (at.address, at.number)
        living = self._living()
        with self._lock:
            last = self._nodes.pop(key, None)
            others = {other: address for other, address in living.items() if other != last} or living
            busy = Counter(self._nodes.values())
            node = min(others, key=lambda other: (busy[other], others[other]))
            self._nodes[key] = node
        return node, others[node]

    def _forget(self, address: str) -> None:
        """Forget the nodes of a collection's shards, so that the shards of a new version are distributed again.

        The actors of the former version end with the last question that they are asked.
        """
        with self._lock:
            self._nodes = {key: node for key, node in self._nodes.items() if key[0] != address}

    def _living(self) -> dict[str, str]:
        """Return the addresses of the nodes that live and have a CPU, by their ids. Raises ClusterMissing."""
        nodes = self._ray.nodes()
        living = {n["NodeID"]: n["NodeManagerAddress"] for n in nodes if n["Alive"] and n["Resources"].get("CPU", 0)}
        if not living:
            raise ClusterMissing(
                f"the cluster of --on {self._on} has no node with a CPU: add one with ray start --address=..."
            )
        return living
