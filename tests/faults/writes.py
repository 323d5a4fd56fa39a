"""Faults at the writes of the store: a disk that is full at each of them, a copy of the folder taken before each.

    python -m tests.faults.writes full [--operation NAME ...] [--every 1]
    python -m tests.faults.writes copies [--operation NAME ...] [--every 1]

full    The operation runs again and again; the n-th write and all after it find no space, for n = 1, 2, 3 and so on.
        It must end in DiskFull with the next step, or succeed; then the collection is whole, and the operation, with
        space, completes it.
copies  A process runs the operation and stops before every write, while the folder is copied. It is what a kill at
        that moment leaves, too. Each copy must be whole.
"""

import argparse
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from indexing import Collection, CollectionMissing, IndexingError
from indexing.embed import MiniLM
from tests.faults import operations, preload, wholeness
from tests.faults.operations import OPERATIONS

ROOT = Path(__file__).resolve().parents[2]
NEXT_STEP = "the disk is full: free some space and run the same command again"


def state(home: Path, embedder: MiniLM, operation: str) -> list[str]:
    """Return what is wrong with the collection while the operation is somewhere on its way."""
    try:
        made = Collection.open(operations.NAME, home)
    except CollectionMissing:
        return [] if operation == "delete" else ["the collection is gone"]
    except IndexingError as error:
        return [f"cannot be opened: {error}"]
    vars(made)["_embedder"] = embedder
    return wholeness.problems(made) or wholeness.lost(made, operations.staying(operation))


def copies(root: Path, embedder: MiniLM, operation: str, every: int) -> Iterator[tuple[int, list[str]]]:
    """Yield for each write before which the folder was copied its number, and what is wrong with the copy."""
    home, copy = root / "home", root / "copy"
    operations.base(home, embedder)
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.faults.operations", operation, str(home)], cwd=ROOT,
        env=preload.environment(home, "stop", 1) | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    number = 0
    while os.WIFSTOPPED(status := os.waitpid(process.pid, os.WUNTRACED)[1]):
        number += 1
        taken = number % every == 0
        if taken:
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(home, copy)
        os.kill(process.pid, signal.SIGCONT)
        if taken:
            yield number, state(copy, embedder, operation)
    process.returncode = os.waitstatus_to_exitcode(status)
    yield number + 1, state(home, embedder, operation) + ([f"exit {process.returncode}"] if process.returncode else [])


def full(root: Path, embedder: MiniLM, operation: str, every: int) -> Iterator[tuple[int, list[str]]]:
    """Yield for each write from which on the disk was full its number, and what is wrong; run it preloaded."""
    lib = ctypes.CDLL(os.environ["LD_PRELOAD"])
    before, home, log = root / "before", root / "home", root / "writes.log"
    operations.base(home, embedder)
    shutil.copytree(home, before)
    os.environ |= {"FAULT_UNDER": str(home), "FAULT_LOG": str(log), "FAULT_HOW": "full"}
    number = 1
    while True:
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(before, home)
        log.unlink(missing_ok=True)
        lib.recount()
        os.environ["FAULT_AT"] = str(number)
        wrong, done = [], False
        try:
            OPERATIONS[operation](operations.opened(home, embedder), operations.files(home))
            done = True
        except IndexingError as error:
            wrong += [] if str(error).endswith(NEXT_STEP) else [f"told as {type(error).__name__}: {error}"]
        os.environ["FAULT_AT"] = "0"
        writes = len(log.read_text().splitlines())
        wrong += state(home, embedder, operation)
        OPERATIONS[operation](operations.opened(home, embedder), operations.files(home))
        wrong += [f"later: {line}" for line in state(home, embedder, operation)]
        if operation != "delete":
            wrong += [f"later: {line}" for line in wholeness.leftovers(operations.opened(home, embedder))]
        yield number, wrong
        if done and writes < number:
            os.environ["FAULT_UNDER"] = "/nowhere"  # that the folder is removed is no write to log into it
            return
        number += every


def main(argv: Sequence[str] | None = None) -> int:
    """Run what the command line names; 1 if anything was wrong."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("what", choices=["full", "copies"], help="the fault")
    options.add_argument("--operation", nargs="+", choices=list(OPERATIONS), default=list(OPERATIONS)[:-1])
    options.add_argument("--every", type=int, default=1, help="take every n-th write only (default: %(default)s)")
    asked = options.parse_args(argv)
    if asked.what == "full" and "LD_PRELOAD" not in os.environ:
        own = preload.environment(Path("/nowhere")) | {"FAULT_PARENT": str(os.getpid())}
        os.execve(sys.executable, [sys.executable, "-m", "tests.faults.writes", *(argv or sys.argv[1:])], own)
    embedder, bad = MiniLM(threads=1), 0
    for operation in asked.operation:
        with tempfile.TemporaryDirectory(prefix="vouch-writes-") as folder:
            run = full if asked.what == "full" else copies
            found = list(run(Path(folder), embedder, operation, asked.every))
        bad += (wrong := sum(bool(lines) for _, lines in found))
        print(f"{operation}: {len(found)} points up to write {found[-1][0]}, {wrong} with something wrong", flush=True)
        for number, lines in found:
            for line in lines:
                print(f"  write {number}: {line}", flush=True)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
