"""Indexing on two nodes of one core, on one such node, and without a cluster on one core: the same documents each time.

    python -m evaluation.benches.ray --pdfs DIR [--limit-docs N] [--cores 0,1]

The nodes are Ray nodes on loopback (127.0.0.2 and 127.0.0.3), each held to a core of its own with all that it starts;
the driver, which stores and publishes, may use any. The local run has one worker, and is held to one core with it. The
rate is that between the first and the last page that is stored, so that the start of processes and the loading of
models are left out; the seconds by the clock have them. Processor seconds are those of this process and of all others
of the run, Ray's own among them, from the call until the last page is stored: processes start, and models load, in
them. They are the figure to go by on a machine that does other work too.
"""

from __future__ import annotations

import argparse
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from evaluation.benches.inputs import parser, pdfs
from evaluation.progress import tell
from evaluation.tables import print_table
from indexing import Collection, Progress, build_index

HEAD, OTHER = "127.0.0.2", "127.0.0.3"


@dataclass(frozen=True, slots=True)
class RayRun:
    """A run over the documents: seconds by the clock, pages a second between first and last, processor seconds."""

    name: str
    seconds: float
    rate: float
    processor: float
    pages: int

    def row(self, beside: RayRun) -> tuple[str, ...]:
        """Return a row of the table, with the rate as a multiple of that of another run."""
        each = self.processor / self.pages
        return (self.name, f"{self.seconds:.1f}", f"{self.rate:.2f}", f"{self.rate / beside.rate:.2f}", f"{each:.3f}")


@contextmanager
def node(address: str, port: int, folder: str, core: int) -> Iterator[psutil.Process]:
    """Start a node of one CPU, held to a core, and yield its first process; all of its processes end with the block."""
    where = [f"--address={HEAD}:{port}"]
    if address == HEAD:
        where = ["--head", f"--port={port}", "--include-dashboard=false", f"--temp-dir={folder}"]
    command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block", *where, "--num-cpus=1"]
    command += [f"--node-ip-address={address}", "--disable-usage-stats", "--min-worker-port=0", "--max-worker-port=0"]
    place = {"PYTHONPATH": str(Path.cwd()), "PYTHONUNBUFFERED": "1"}
    started = subprocess.Popen(  # noqa: S603  the command is ours
        ["taskset", "-c", str(core), *command],  # noqa: S607
        env=os.environ | place,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    first = psutil.Process(started.pid)
    try:
        told = []
        for line in started.stdout or ():
            told.append(line)
            if "--block" in line:
                break
        else:
            raise SystemExit(
                f"no node answers at {address}; is Ray installed (pip install 'vouch[ray]')?\n{''.join(told)}"
            )
        yield first
    finally:
        for process in [*first.children(recursive=True), first]:
            with suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGKILL)
        started.communicate()


def processor() -> float:
    """Return the processor seconds of this process and all that run below it, nodes too, with ended ones waited for."""
    total, here = 0.0, psutil.Process()
    for process in [here, *here.children(recursive=True)]:
        with suppress(psutil.NoSuchProcess):
            total += sum(process.cpu_times()[:4])
    return total


def measured(name: str, paths: Sequence[Path], home: Path, on: str) -> RayRun:
    """Index into an empty collection; SystemExit when a page failed."""
    collection = Collection.create("bench-ray", home / name.replace(" ", "-"))
    moments: list[tuple[float, int, float]] = []

    def told(progress: Progress) -> None:
        tell(progress)
        if not progress.report:  # a page: the processes of the run are all there
            moments.append((time.perf_counter(), progress.pages_done, processor()))

    before, start = processor(), time.perf_counter()
    report = build_index(collection, paths, workers=1, on=on, on_progress=told)
    end = time.perf_counter()
    failures = [failure.message for file in report.files for failure in file.failures]
    if failures:
        raise SystemExit("\n".join(["", "not indexed, so there is nothing to compare:", *failures]))
    (first, at_first, _), (last, at_last, after) = moments[0], moments[-1]
    rate = (at_last - at_first) / (last - first)
    return RayRun(name, end - start, rate, after - before, sum(file.pages for file in report.files))


def main(argv: Sequence[str] | None = None) -> None:
    """Make the three runs and print the table."""
    options = parser(__doc__)
    options.add_argument("--cores", default="0,1", help="the two cores of the nodes (default: %(default)s)")
    asked: argparse.Namespace = options.parse_args(argv)
    paths = pdfs(asked)
    cores = [int(core) for core in asked.cores.split(",")]
    os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    all_cores = os.sched_getaffinity(0)
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory(prefix="ray-") as folder, ExitStack() as up:
        os.sched_setaffinity(0, {cores[0]})
        local = measured("local, one core", paths, Path(home), "")
        os.sched_setaffinity(0, all_cores)
        with socket.create_server((HEAD, 0)) as free:
            port = free.getsockname()[1]
        up.enter_context(node(HEAD, port, folder, cores[0]))
        one = measured("one node", paths, Path(home), f"ray://{HEAD}:{port}")
        up.enter_context(node(OTHER, port, folder, cores[1]))
        two = measured("two nodes", paths, Path(home), f"ray://{HEAD}:{port}")
    print_table(
        f"indexing {local.pages} pages of {len(paths)} documents, one core a node",
        ("run", "seconds", "pages a second", "x one node", "processor s a page"),
        [run.row(one) for run in (local, one, two)],
    )


if __name__ == "__main__":
    main()
