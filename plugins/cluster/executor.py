"""RayExecutor: the executor on the nodes of a Ray cluster, with an actor on each that does the work of that node.

A call whose node is lost is sent to another; the run continues while a node is left or is joining. A call may be
repeated, as it changes nothing outside its node: this process alone writes to the collection.
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
from plugins.cluster.node import FileSender, NodeWork, OpenedThere

if TYPE_CHECKING:
    from indexing.embed import PageEmbedder, VisualEmbedder
    from indexing.store import PageRows

_log = logging.getLogger(__name__)
QUEUE = 4
"""The calls per process up to which a node that has a file gets the calls for it."""
JOINING_SECONDS = 120.0
"""The seconds within which a first node must have started its actor."""
LOOKING_SECONDS = 0.2
"""The seconds between two checks of whether that wait was cancelled."""
MOST_STARTS = 3
"""How often the actor of one node is started, if it dies while the node lives."""
MOST_LOST = 3
"""How many nodes may be lost during one call before it fails."""
READING, EMBEDDING, REPORTING = "reading", "embedding", "reporting"
"""The threads of an actor: they wait for its parsing processes; embed; report and close."""


@dataclass(slots=True, eq=False)
class _Member:
    """A node with its actor; `busy` counts calls in progress, `files_sent` are the last files sent to it."""

    node_id: str
    address: str
    count: int
    actor: Any
    busy: int = 0
    files_sent: deque[Path] = field(default_factory=lambda: deque(maxlen=64))


@dataclass(slots=True, eq=False)
class _Call:
    """A method call that a node is to answer; `file` is the file that it needs, `lost` counts nodes lost during it."""

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
    """Call a method of an actor on the threads of a concurrency group; return the reference of its result."""
    return getattr(actor, method).options(concurrency_group=group).remote(*arguments)


class RayExecutor:
    """Runs indexing on the nodes of a Ray cluster, with `settings.workers` processes each, or one per CPU if unset.

    Renditions that nodes make are copied into `folder`. Use it as a context manager; leaving it ends the actors.
    """

    def __init__(
        self, on: str, settings: IndexingSettings, folder: Path, has_ended: Callable[[], bool] = lambda: False
    ) -> None:
        """Connect, and wait for the first node until `ended()` is true.

        Raises the errors of `connect`, ClusterMissing without a node, and IndexingCancelled.
        """
        self._settings = settings
        self._folder = folder
        self._lock = threading.RLock()
        self._members: list[_Member] = []
        self._joining: list[_Member] = []
        self._starts: dict[str, int] = {}
        self._refusals: list[IndexingError] = []
        self._waiting: deque[_Call] = deque()
        self._stopped = False
        self._has_ended = has_ended
        self._gpus: ClusterGpus | None = None
        self._changed = threading.Event()
        self._replies = ThreadPoolExecutor(1, "cluster-replies")
        self._local_workers = Workers(1, settings)
        with contextlib.ExitStack() as stack:
            self._ray = stack.enter_context(connect(on))
            stack.callback(self._end)
            self._sender = FileSender(self._ray.put)
            self._start_missing()
            self._await_first(has_ended)
            self._leaving = stack.pop_all()

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
        """The function that starts embedding a page on a node; None if the driver must load the embedder itself.

        That is so for the user's own model, which is fitted to the collection, and a visual one, which needs a GPU.
        """
        on_driver = self._settings.embedder != "minilm" or embeds_pages(self._settings.visual)
        return None if on_driver else self._embed

    def _embed(self, page: ParsedPage) -> Future[PageRows]:
        what = f"embedding page {page.page.number}"
        return self._submit(_Call("embed", EMBEDDING, what, None, (page,)))

    @property
    def page_embedder(self) -> Callable[[VisualEmbedder], PageEmbedder] | None:
        """The function that starts the GPUs of the cluster; None without a visual model or a node with a GPU."""
        use_gpus = embeds_pages(self._settings.visual) and any(map(gpus_of, self._ray.nodes()))
        return self._start_gpus if use_gpus else None

    def _start_gpus(self, own: VisualEmbedder) -> PageEmbedder:
        self._gpus = ClusterGpus(self._ray, self._settings, own.fingerprint, self._has_ended)
        return self._gpus

    def open(self, job: Job) -> Future[OpenedFile]:
        """Start opening a file on a node; get the result with `wait_for_file`."""
        return self._submit(_Call("open", READING, f"{job.path.name}: opening", job, ()))

    def wait_for_file(self, future: Future[OpenedFile], job: Job) -> OpenedFile:  # noqa: ARG002  part of the protocol
        """Wait for a file; raises FileError, ClusterLost."""
        return future.result()

    def parse(self, job: Job, number: int, doc_id: str) -> Future[ParsedPage]:
        """Start parsing page `number` (from 1) on a node; get the result with `wait_for_page`."""
        return self._submit(_Call("parse", READING, f"{job.path.name}: page {number}", job, (number, doc_id)))

    def wait_for_page(self, future: Future[ParsedPage], job: Job, number: int) -> ParsedPage:  # noqa: ARG002  as above
        """Wait for a page; raises FileError, ClusterLost."""
        return future.result()

    def unlock(self, job: Job, target: Path) -> None:
        """Write the file of a job to `target` without its password, in a process of this machine."""
        self._local_workers.unlock(job, target)

    def _submit(self, call: _Call) -> Future[Any]:
        self._send(call)
        return call.future

    def _send(self, call: _Call) -> None:
        """Send a call to a node, or queue it until a node has joined; failures are set on its future."""
        try:
            transfer = [] if call.job is None else [call.job, self._sender.transfer(call.job)]
        except OSError as error:
            call.future.set_exception(error)
            return
        except self._ray.exceptions.ObjectStoreFullError:
            message = f"{call.what}: Ray's object store is full: give it more memory (--object-store-memory)"
            call.future.set_exception(TooLarge(message))
            return
        with self._lock:
            if self._stopped:
                return
            if not self._members:
                self._waiting.append(call)
                self._give_up_without_nodes()
                return
            member = self._choose_member(call.file)
            member.busy += 1
            if call.file is not None and call.file not in member.files_sent:
                member.files_sent.append(call.file)
            reference = call_remote(member.actor, call.method, call.group, *transfer, *call.arguments)
        reference.future().add_done_callback(partial(self._run_callback, partial(self._handle_result, call, member)))

    def _choose_member(self, file: Path | None) -> _Member:
        """Return the least busy node that was sent the file and has a short queue, else the least busy of all."""
        near = [m for m in self._members if file in m.files_sent and m.busy < QUEUE * m.count]
        return min(near or self._members, key=lambda m: m.busy / m.count)

    def _run_callback(self, act: Callable[[Future[Any]], None], future: Future[Any]) -> None:
        """Run `act` on a finished call in a thread of this executor: the callback's thread belongs to Ray."""
        with contextlib.suppress(RuntimeError):  # the run has ended
            self._replies.submit(act, future)

    def _handle_result(self, call: _Call, member: _Member, future: Future[Any]) -> None:
        """Set the result of a finished call on its future, or send the call again if its node is lost."""
        with self._lock:
            member.busy -= 1
        error = future.exception()
        if isinstance(error, (self._ray.exceptions.RayActorError, self._ray.exceptions.ObjectLostError)):
            self._drop_member(member)
            self._send_again(call)
        elif error is not None:
            call.future.set_exception(unwrap_error(error))
        elif isinstance(result := future.result(), OpenedThere):
            try:
                call.future.set_result(result.write_files(self._folder))
            except OSError as cause:
                call.future.set_exception(cause)
        else:
            call.future.set_result(result)

    def _send_again(self, call: _Call) -> None:
        """Send a call whose node was lost to another node; fail it after MOST_LOST nodes."""
        call.lost += 1
        if call.lost < MOST_LOST:
            self._send(call)
            return
        message = (
            f"{call.what} was being processed when {call.lost} nodes were lost: find out what ended their "
            "processes, then index it again"
        )
        call.future.set_exception(PageCrash(message))

    def _drop_member(self, member: _Member) -> None:
        """Drop a node whose actor is gone, and start actors on all live nodes that have none."""
        with self._lock:
            if member not in self._members or self._stopped:
                return
            self._members.remove(member)
            self._ray.kill(member.actor)  # one that only could not be reached would keep its CPUs
            _log.warning("the node %s is lost: its pages are sent to others", member.address)
            self._start_missing()

    def _start_missing(self) -> None:
        """Start an actor on each living node that has none; it joins when it answers."""
        with self._lock:
            node_ids = {member.node_id for member in (*self._members, *self._joining)}
            for node in self._ray.nodes():
                node_id, cpus = node["NodeID"], int(node["Resources"].get("CPU", 0))
                starts = self._starts.get(node_id, 0)
                if node["Alive"] and cpus and node_id not in node_ids and starts < MOST_STARTS:
                    self._starts[node_id] = starts + 1
                    self._start_actor(node_id, node["NodeManagerAddress"], cpus)

    def _start_actor(self, node_id: str, address: str, cpus: int) -> None:
        """Start an actor on a node with `settings.workers` processes, or one per CPU; it joins once it reports."""
        is_set = "workers" in self._settings.model_fields_set
        count = self._settings.workers if is_set else cpus
        affinity = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(node_id, soft=False)
        actor = self._ray.remote(
            num_cpus=min(count, cpus),
            max_concurrency=1,
            concurrency_groups={READING: QUEUE * count, EMBEDDING: 1, REPORTING: 1},
            scheduling_strategy=affinity,
        )(NodeWork).remote(count, self._settings, self._ray.get)
        member = _Member(node_id, address, count, actor)
        self._joining.append(member)
        report = call_remote(actor, "report", REPORTING)
        report.future().add_done_callback(partial(self._run_callback, partial(self._admit_member, member)))

    def _admit_member(self, member: _Member, future: Future[NodeReport]) -> None:
        """Admit a node that has answered and send it the waiting work, or drop it."""
        error = self._refusal_of(member, future)
        with self._lock:
            self._joining.remove(member)
            if error is None:
                self._members.append(member)
            else:
                self._refusals.append(error)
            waiting, self._waiting = list(self._waiting), deque()
        for call in waiting:
            self._send(call)
        self._changed.set()

    def _refusal_of(self, member: _Member, future: Future[NodeReport]) -> IndexingError | None:
        """Return the error that excludes a node by its report; None if it can work."""
        error = future.exception()
        if error is not None:
            return ClusterMissing(
                f"the node {member.address} cannot do the work ({last_line(unwrap_error(error)):.200}): install "
                "'vouch[ray]' there, in the same version as on this machine"
            )
        return refusal(member.address, future.result())

    def _await_first(self, has_ended: Callable[[], bool]) -> None:
        """Wait for the first node. Raises the error that excluded a node, ClusterMissing, IndexingCancelled."""
        until = time.monotonic() + JOINING_SECONDS
        while not self._members:
            self._changed.clear()
            with self._lock:
                if not (self._joining or self._members):
                    none = ClusterMissing("the cluster has no node with a CPU: add one with ray start --address=...")
                    raise self._refusals[0] if self._refusals else none
            if has_ended():
                raise IndexingCancelled("stopped before a node of the cluster had joined")
            if not (self._members or self._changed.wait(LOOKING_SECONDS) or time.monotonic() < until):
                raise ClusterMissing(
                    f"no node of the cluster had a free CPU within {JOINING_SECONDS:g} s: check with `ray "
                    "status` what occupies the CPUs, and try again when that has finished"
                )

    def _give_up_without_nodes(self) -> None:
        """Fail the waiting calls if no node is left and none is starting."""
        if self._members or self._joining:
            return
        reason = f" ({self._refusals[-1]})" if self._refusals else ""
        error = ClusterLost(
            f"the last node of the cluster is lost{reason}: documents that were complete are kept; start "
            "nodes and run the same command again"
        )
        while self._waiting:
            self._waiting.popleft().future.set_exception(error)

    def _end(self) -> None:
        """Let the actors stop their processes and delete their files, then kill them; calls in progress are dropped."""
        with self._lock:
            self._stopped = True
            members = [*self._members, *self._joining]
        ending = [call_remote(m.actor, "close", REPORTING) for m in self._members]
        if ending:
            self._ray.wait(ending, num_returns=len(ending), timeout=10)
        for member in members:
            self._ray.kill(member.actor)
        if self._gpus is not None:
            self._gpus.close()
        self._replies.shutdown(cancel_futures=True)
        self._local_workers.stop()
