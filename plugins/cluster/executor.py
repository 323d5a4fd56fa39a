"""RayExecutor: the executor on the nodes of a Ray cluster, with an actor on each that does the work of that node.

An errand whose node is lost goes to another; the run goes on as long as one is left, or comes back. Every errand may be
done twice, as it changes nothing outside its node: this process alone writes to the collection.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from configs import embeds_pages
from indexing import IndexingCancelled, IndexingError, IndexingSettings, PageCrash, ParsedPage, TooLarge
from indexing.workers import Job, OpenedFile, Workers
from plugins.cluster.connection import NodeReport, connect, last_line, refusal, unwrap_error
from plugins.cluster.errors import ClusterLost, ClusterMissing
from plugins.cluster.gpus import ClusterGpus, gpus_of
from plugins.cluster.node import NodeWork, OpenedThere
from plugins.cluster.transfers import FileSender

if TYPE_CHECKING:
    from indexing.embed import PageEmbedder, VisualEmbedder
    from indexing.store import PageRows

_log = logging.getLogger(__name__)
QUEUE = 4
"""The errands per process up to which those of a file go to the node that has it."""
JOINING_SECONDS = 120.0
"""The seconds by the clock within which one node must have given a place at the start of a run."""
LOOKING_SECONDS = 0.2
"""The seconds after which that wait is looked at, as it may be ended."""
MOST_STARTS = 3
"""The times that a node is tried whose process dies while the node lives."""
MOST_LOST = 3
"""The nodes that an errand may take along before it is given up."""
READING, EMBEDDING, TELLING = "reading", "embedding", "telling"
"""The threads of an actor: those that wait for its parsing processes, the one that embeds, the one that answers us."""


@dataclass(slots=True, eq=False)
class _Member:
    """A node of the cluster with its actor, once that has answered; `had` are the last files that were sent there."""

    node_id: str
    address: str
    count: int
    actor: Any
    busy: int = 0
    had: deque[Path] = field(default_factory=lambda: deque(maxlen=64))


@dataclass(slots=True, eq=False)
class _Errand:
    """A call that a node is to answer. `file` is the one that it is about, `lost` the nodes that died of it."""

    method: str
    group: str
    what: str
    job: Job | None
    arguments: tuple[Any, ...]
    future: Future[Any] = field(default_factory=Future)
    lost: int = 0

    @property
    def file(self) -> Path | None:
        return (self.job.pages or self.job.path) if self.job else None


def call_remote(actor: Any, method: str, group: str, *arguments: Any) -> Any:
    """Call a method of an actor in a group of its threads; return the reference of its result."""
    return getattr(actor, method).options(concurrency_group=group).remote(*arguments)


class RayExecutor:
    """The nodes of a Ray cluster, each with as many processes as `settings.workers`, if that is set, or it has CPUs.

    What files are converted to is brought into `folder`. Use it as a context manager; leaving it ends the actors.
    """

    def __init__(
        self, on: str, settings: IndexingSettings, folder: Path, ended: Callable[[], bool] = lambda: False
    ) -> None:
        """Connect, and wait for the first node, until `ended` is true.

        Raises as `connected` does, ClusterMissing without a node, IndexingCancelled.
        """
        self._settings = settings
        self._folder = folder
        self._lock = threading.RLock()
        self._members: list[_Member] = []
        self._joining: list[_Member] = []
        self._starts: dict[str, int] = {}
        self._refused: list[IndexingError] = []
        self._waiting: deque[_Errand] = deque()
        self._stopped = False
        self._ended = ended
        self._gpus: ClusterGpus | None = None
        self._changed = threading.Event()
        self._replies = ThreadPoolExecutor(1, "cluster-replies")
        self._here = Workers(1, settings)
        with contextlib.ExitStack() as leaving:
            self._ray = leaving.enter_context(connect(on))
            leaving.callback(self._end)
            self._sender = FileSender(self._ray.put)
            self._invite()
            self._await_first(ended)
            self._leaving = leaving.pop_all()

    def __enter__(self) -> RayExecutor:
        """Return the executor itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the actors and their processes, and leave the cluster."""
        self._leaving.close()

    @property
    def count(self) -> int:
        """The number of parsing processes of all nodes that have answered."""
        with self._lock:
            return max(1, sum(member.count for member in self._members))

    @property
    def embed(self) -> Callable[[ParsedPage], Future[PageRows]] | None:
        """Start making the rows of a page on a node; None for embedders that are loaded by the driver of a run.

        A model of the user's own is fitted to the collection, which only the driver sees; a visual one wants a device.
        """
        own = self._settings.embedder != "minilm" or embeds_pages(self._settings.visual)
        return None if own else self._embed

    def _embed(self, parsed: ParsedPage) -> Future[PageRows]:
        what = f"embedding page {parsed.page.number}"
        return self._submit(_Errand("embed", EMBEDDING, what, None, (parsed,)))

    @property
    def page_embedder(self) -> Callable[[VisualEmbedder], PageEmbedder] | None:
        """Start the GPUs of the cluster; None where pixels want no model, or there are none."""
        wanted = embeds_pages(self._settings.visual) and any(map(gpus_of, self._ray.nodes()))
        return self._start_gpus if wanted else None

    def _start_gpus(self, own: VisualEmbedder) -> PageEmbedder:
        self._gpus = ClusterGpus(self._ray, self._settings, own.fingerprint, self._ended)
        return self._gpus

    def open(self, job: Job) -> Future[OpenedFile]:
        """Start opening a file on a node; take the outcome with `wait_for_file`."""
        return self._submit(_Errand("open", READING, f"{job.path.name}: opening", job, ()))

    def wait_for_file(self, future: Future[OpenedFile], job: Job) -> OpenedFile:  # noqa: ARG002  the node has named it
        """Wait for a file; raises FileError, ClusterLost."""
        return future.result()

    def parse(self, job: Job, number: int, doc_id: str) -> Future[ParsedPage]:
        """Start parsing page `number` (from 1) on a node; take the outcome with `wait_for_page`."""
        return self._submit(_Errand("parse", READING, f"{job.path.name}: page {number}", job, (number, doc_id)))

    def wait_for_page(self, future: Future[ParsedPage], job: Job, number: int) -> ParsedPage:  # noqa: ARG002  as in `opened`
        """Wait for a page; raises FileError, ClusterLost."""
        return future.result()

    def unlock(self, job: Job, target: Path) -> None:
        """Write the file of a job to `target` without its password, in a process of this machine."""
        self._here.unlock(job, target)

    def _submit(self, errand: _Errand) -> Future[Any]:
        self._send(errand)
        return errand.future

    def _send(self, errand: _Errand) -> None:
        """Send an errand to a node, or keep it until one has answered."""
        try:
            transfer = [] if errand.job is None else [errand.job, self._sender.transfer(errand.job)]
        except OSError as error:
            errand.future.set_exception(error)
            return
        except self._ray.exceptions.ObjectStoreFullError:
            message = f"{errand.what}: Ray's object store is full: give it more memory (--object-store-memory)"
            errand.future.set_exception(TooLarge(message))
            return
        with self._lock:
            if self._stopped:
                return
            if not self._members:
                self._waiting.append(errand)
                self._give_up_without_nodes()
                return
            member = self._choose_member(errand.file)
            member.busy += 1
            if errand.file is not None and errand.file not in member.had:
                member.had.append(errand.file)
            reference = call_remote(member.actor, errand.method, errand.group, *transfer, *errand.arguments)
        reference.future().add_done_callback(partial(self._reply, partial(self._handle_result, errand, member)))

    def _choose_member(self, file: Path | None) -> _Member:
        """Return the node that has the file and not too much to do, else the one that has least to do."""
        near = [m for m in self._members if file in m.had and m.busy < QUEUE * m.count]
        return min(near or self._members, key=lambda m: m.busy / m.count)

    def _reply(self, act: Callable[[Future[Any]], None], done: Future[Any]) -> None:
        """Have a reply looked at by a thread of ours: the one that brings it belongs to Ray."""
        with contextlib.suppress(RuntimeError):  # the run has ended
            self._replies.submit(act, done)

    def _handle_result(self, errand: _Errand, member: _Member, done: Future[Any]) -> None:
        with self._lock:
            member.busy -= 1
        error = done.exception()
        if isinstance(error, (self._ray.exceptions.RayActorError, self._ray.exceptions.ObjectLostError)):
            self._drop_member(member)
            self._send_again(errand)
        elif error is not None:
            errand.future.set_exception(unwrap_error(error))
        elif isinstance(result := done.result(), OpenedThere):
            try:
                errand.future.set_result(result.write_files(self._folder))
            except OSError as failed:
                errand.future.set_exception(failed)
        else:
            errand.future.set_result(result)

    def _send_again(self, errand: _Errand) -> None:
        errand.lost += 1
        if errand.lost < MOST_LOST:
            self._send(errand)
            return
        message = (
            f"{errand.what} was being processed when {errand.lost} nodes were lost: find out what ended their "
            "processes, then index it again"
        )
        errand.future.set_exception(PageCrash(message))

    def _drop_member(self, member: _Member) -> None:
        """Drop a node whose actor is gone, and ask all live nodes without an actor for one."""
        with self._lock:
            if member not in self._members or self._stopped:
                return
            self._members.remove(member)
            self._ray.kill(member.actor)  # one that only could not be reached would keep its CPUs
            _log.warning("the node %s is lost: its pages are sent to others", member.address)
            self._invite()

    def _invite(self) -> None:
        """Start an actor on each living node that has none; it joins when it answers."""
        with self._lock:
            there = {member.node_id for member in (*self._members, *self._joining)}
            for node in self._ray.nodes():
                node_id, cpus = node["NodeID"], int(node["Resources"].get("CPU", 0))
                tried = self._starts.get(node_id, 0)
                if node["Alive"] and cpus and node_id not in there and tried < MOST_STARTS:
                    self._starts[node_id] = tried + 1
                    self._start(node_id, node["NodeManagerAddress"], cpus)

    def _start(self, node_id: str, address: str, cpus: int) -> None:
        given = "workers" in self._settings.model_fields_set
        count = self._settings.workers if given else cpus
        affinity = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(node_id, soft=False)
        actor = self._ray.remote(
            num_cpus=min(count, cpus),
            max_concurrency=1,
            concurrency_groups={READING: QUEUE * count, EMBEDDING: 1, TELLING: 1},
            scheduling_strategy=affinity,
        )(NodeWork).remote(count, self._settings, self._ray.get)
        member = _Member(node_id, address, count, actor)
        self._joining.append(member)
        report = call_remote(actor, "report", TELLING)
        report.future().add_done_callback(partial(self._reply, partial(self._admit_member, member)))

    def _admit_member(self, member: _Member, done: Future[NodeReport]) -> None:
        """Admit a node that has answered and send it the waiting work, or drop it."""
        refused = self._why_not(member, done)
        with self._lock:
            self._joining.remove(member)
            if refused is None:
                self._members.append(member)
            else:
                self._refused.append(refused)
            waiting, self._waiting = list(self._waiting), deque()
        for errand in waiting:
            self._send(errand)
        self._changed.set()

    def _why_not(self, member: _Member, done: Future[NodeReport]) -> IndexingError | None:
        error = done.exception()
        if error is not None:
            return ClusterMissing(
                f"the node {member.address} cannot do the work ({last_line(unwrap_error(error)):.200}): install "
                "'vouch[ray]' there, in the same version as on this machine"
            )
        return refusal(member.address, done.result())

    def _await_first(self, ended: Callable[[], bool]) -> None:
        """Wait for the first node; raises ClusterMissing, the reason why none joins, or IndexingCancelled."""
        until = time.monotonic() + JOINING_SECONDS
        while not self._members:
            self._changed.clear()
            with self._lock:
                if not (self._joining or self._members):
                    none = ClusterMissing("the cluster has no node with a CPU: add one with ray start --address=...")
                    raise self._refused[0] if self._refused else none
            if ended():
                raise IndexingCancelled("stopped before a node of the cluster had joined")
            if not (self._members or self._changed.wait(LOOKING_SECONDS) or time.monotonic() < until):
                raise ClusterMissing(
                    f"no node of the cluster had a free CPU within {JOINING_SECONDS:g} s: check with `ray "
                    "status` what occupies the CPUs, and try again when that has finished"
                )

    def _give_up_without_nodes(self) -> None:
        """Fail what waits when no node is left, and none is about to join."""
        if self._members or self._joining:
            return
        reason = f" ({self._refused[-1]})" if self._refused else ""
        lost = ClusterLost(
            f"the last node of the cluster is lost{reason}: documents that were complete are kept; start "
            "nodes and run the same command again"
        )
        while self._waiting:
            self._waiting.popleft().future.set_exception(lost)

    def _end(self) -> None:
        """Have the actors end their processes and delete their files, then end them; leave what is under way."""
        with self._lock:
            self._stopped = True
            members = [*self._members, *self._joining]
        ending = [call_remote(m.actor, "close", TELLING) for m in self._members]
        if ending:
            self._ray.wait(ending, num_returns=len(ending), timeout=10)
        for member in members:
            self._ray.kill(member.actor)
        if self._gpus is not None:
            self._gpus.close()
        self._replies.shutdown(cancel_futures=True)
        self._here.stop()
