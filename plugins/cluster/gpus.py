"""The GPUs of a cluster share the pages of a batch; each embeds its part with a model that is loaded once."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from indexing import IndexingCancelled, IndexingError, IndexingSettings, ParsedPage
from plugins.cluster.connection import NodeReport, last_line, node_report, refusal, unwrap_error
from plugins.cluster.errors import ClusterLost, ClusterMissing

if TYPE_CHECKING:
    from indexing.embed import RegionVectors, VisualEmbedder


@dataclass(frozen=True, slots=True)
class GpuReport:
    """The state of a GPU that has loaded the model: its node, the hash of the weights, and the pages per batch."""

    node: NodeReport
    fingerprint: str
    batch_size: int


class GpuWork:
    """The work of one GPU, in a process of the cluster that Ray shows no other GPU."""

    def __init__(self, settings: IndexingSettings) -> None:
        """Keep the settings; the first call loads the model from a checkpoint on this machine."""
        self._settings = settings
        self._embedder: VisualEmbedder | None = None

    def report(self) -> GpuReport:
        """Load the model and return the report. Raises ExtraMissing, CheckpointMissing, CheckpointUnfit."""
        embedder = self._load_embedder()
        return GpuReport(node_report(), embedder.fingerprint, embedder.batch_size)

    def embed(self, pages: Sequence[ParsedPage]) -> list[RegionVectors]:
        """Return a multi-vector for each page, in order."""
        return self._load_embedder().embed_pages(pages)

    def _load_embedder(self) -> VisualEmbedder:
        """Return the embedder; a process that Ray has restarted loads it again."""
        if self._embedder is None:
            from indexing.embed import text_embedder, visual_embedder

            self._embedder = visual_embedder(self._settings, lambda: text_embedder(self._settings))
            assert self._embedder is not None  # noqa: S101  a GPU is started for settings that name one
        return self._embedder


_log = logging.getLogger(__name__)
MOST_STARTS = 2
"""How often Ray restarts the process of a GPU that died while its node lives."""
LOADING_SECONDS = 1800.0
"""The seconds by the clock within which the first GPU must have loaded its model: weights may come over a network."""
LOOKING_SECONDS = 0.2
"""The seconds between two checks of whether that wait was cancelled."""


@dataclass(frozen=True, slots=True, eq=False)
class _Gpu:
    """A GPU that has loaded its model; `pages` is its batch size."""

    address: str
    actor: Any
    pages: int


class ClusterGpus:
    """The GPUs of a Ray cluster, one process each, which embed pages as the embedder of this process would.

    The constructor starts loading the model on all; `batch_size` and `embed_pages` wait for the first, later ones join.
    GPUs whose weights have another `fingerprint` than the collection's are refused.
    """

    def __init__(
        self, ray: Any, settings: IndexingSettings, fingerprint: str, has_ended: Callable[[], bool] = lambda: False
    ) -> None:
        """Start a process on each GPU of the cluster; waiting for the first one stops when `ended()` is true."""
        self._ray = ray
        self._fingerprint = fingerprint
        self._has_ended = has_ended
        self._losses = 0
        self._gpus: list[_Gpu] = []
        self._refusals: list[IndexingError] = []
        self._loading: dict[Any, tuple[str, Any]] = {}
        for node in ray.nodes():
            for _ in range(gpus_of(node)):
                self._start(node["NodeID"], node["NodeManagerAddress"], settings)

    def _start(self, node_id: str, address: str, settings: IndexingSettings) -> None:
        affinity = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(node_id, soft=False)
        actor = self._ray.remote(
            num_cpus=0,
            num_gpus=1,
            max_restarts=MOST_STARTS,
            max_task_retries=MOST_STARTS,
            scheduling_strategy=affinity,
        )(GpuWork).remote(settings)
        self._loading[actor.report.remote()] = (address, actor)

    @property
    def batch_size(self) -> int:
        """The sum of the loaded GPUs' batch sizes. Raises ClusterMissing, ClusterLost, IndexingCancelled."""
        self._admit_loaded()
        return sum(gpu.pages for gpu in self._gpus)

    def embed_pages(self, pages: Sequence[ParsedPage]) -> list[RegionVectors]:
        """Return a multi-vector for each page, in order; the pages of a GPU that is lost go to the others.

        Raises ClusterMissing (no GPU is fit), ClusterLost (the last is lost), IndexingCancelled, the embedder's errors.
        """
        self._admit_loaded()
        vectors: dict[int, RegionVectors] = {}
        waiting = deque(range(len(pages)))
        working: dict[Any, tuple[_Gpu, list[int]]] = {}
        idle = deque(self._gpus)
        while waiting or working:
            while idle and waiting:
                gpu = idle.popleft()
                batch = [waiting.popleft() for _ in range(min(len(waiting), gpu.pages))]
                working[gpu.actor.embed.remote([pages[n] for n in batch])] = (gpu, batch)
            if not working:
                raise self._no_gpu_error()
            (future,), _ = self._ray.wait(list(working), num_returns=1)
            gpu, batch = working.pop(future)
            try:
                vectors.update(zip(batch, self._ray.get(future), strict=True))
                idle.append(gpu)
            except (self._ray.exceptions.RayActorError, self._ray.exceptions.ObjectLostError):
                self._drop_gpu(gpu)
                waiting.extendleft(reversed(batch))
            except self._ray.exceptions.RayTaskError as error:
                raise unwrap_error(error) from None
        return [vectors[n] for n in range(len(pages))]

    def close(self) -> None:
        """End the processes."""
        for actor in (*(gpu.actor for gpu in self._gpus), *(actor for _, actor in self._loading.values())):
            self._ray.kill(actor)
        self._gpus, self._loading = [], {}

    def _admit_loaded(self) -> None:
        """Admit GPUs that have loaded, waiting for the first. Raises IndexingCancelled, ClusterMissing, ClusterLost."""
        until = time.monotonic() + LOADING_SECONDS
        while self._loading:
            seconds = 0.0 if self._gpus else LOOKING_SECONDS
            future, _ = self._ray.wait(list(self._loading), num_returns=1, timeout=seconds)
            if future:
                self._admit_gpu(future[0])
            elif self._gpus or time.monotonic() >= until:
                break
            elif self._has_ended():
                raise IndexingCancelled("stopped before a GPU of the cluster had loaded its model")
        if not self._gpus:
            raise self._no_gpu_error()

    def _admit_gpu(self, future: Any) -> None:
        """Admit a GPU that has loaded, or record why it gets no work."""
        address, actor = self._loading.pop(future)
        report = self._report_of(address, future)
        if isinstance(report, GpuReport):
            self._gpus.append(_Gpu(address, actor, report.batch_size))
            return
        _log.warning("%s", report)
        self._refusals.append(report)
        self._ray.kill(actor)

    def _report_of(self, address: str, future: Any) -> GpuReport | IndexingError:
        """Return the report of a GPU that is fit for the work, else the error that excludes it."""
        try:
            report: GpuReport = self._ray.get(future)
        except self._ray.exceptions.RayError as error:
            return ClusterMissing(
                f"a GPU of the node {address} cannot embed ({last_line(unwrap_error(error)):.300}): repair that "
                "there, or start the node with --num-gpus=0 to do without it"
            )
        if report.fingerprint != self._fingerprint:
            return ClusterMissing(
                f"the checkpoint on the node {address} has other weights than the one on this machine: copy "
                "the same one there, under the same path or name"
            )
        return refusal(address, report.node) or report

    def _drop_gpu(self, gpu: _Gpu) -> None:
        self._gpus.remove(gpu)
        self._losses += 1
        self._ray.kill(gpu.actor)
        _log.warning("a GPU of the node %s is lost: its pages are sent to others", gpu.address)

    def _no_gpu_error(self) -> IndexingError:
        """Return the error to raise when no GPU can embed."""
        if self._refusals and not self._losses:
            return self._refusals[0]
        if self._loading:
            return ClusterMissing(
                f"no GPU of the cluster has loaded the model within {LOADING_SECONDS / 60:g} minutes: check "
                "with `ray status` what occupies them, or start the nodes with --num-gpus=0 to do without "
                "them"
            )
        return ClusterLost(
            "the last GPU of the cluster is lost: documents that were complete are kept; find out what ended "
            "its process (if it ran out of memory, lower indexing.page_batch), and run the same command again"
        )


def gpus_of(node: Any) -> int:
    """Return the number of GPUs of a node, an entry of `ray.nodes()`; 0 for a dead one."""
    return int(node["Resources"].get("GPU", 0)) if node["Alive"] else 0
