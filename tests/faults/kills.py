"""Kills of the real `vouch` command, and what must hold after each.

Every kill starts from the same small collection, runs one command (index new files, replace a changed file, read a
partial document anew, remove, compact) in a process of its own and sends SIGKILL to the command, to one of its workers,
or to the command at one of its writes, which a library before libc counts (`tests.faults.preload`). Then no process is
left, the collection is whole, the same command completes it, and nothing is left over.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psutil

from indexing import Collection
from indexing.embed import MiniLM
from tests.faults import preload, wholeness
from tests.faults.operations import made_up, staying
from tests.support import documents

Command = Literal["index", "replace", "reread", "remove", "compact"]
Victim = Literal["parent", "worker", "writer"]
COMMANDS: tuple[Command, ...] = ("index", "replace", "reread", "remove", "compact")
NAME = "books"
ROOT = Path(__file__).resolve().parents[2]
MOST_SECONDS = 240
"""The time in which a command has to end, killed or not."""


@dataclass(frozen=True, slots=True)
class Kill:
    """A kill to make: `moment` (0 to 1) is the share of the command's time, or of its writes, after which it comes."""

    command: Command
    victim: Victim
    moment: float


@dataclass(frozen=True, slots=True)
class Struck:
    """What became of a command: its exit code, whether the kill came in time, the processes that it had started."""

    code: int
    hit: bool
    children: Sequence[psutil.Process]


class Bench:
    """A folder in which commands are killed: the files, the home, and the home as it was before."""

    def __init__(self, root: Path, embedder: MiniLM) -> None:
        """Make the files and the collection by `vouch index`; a document then loses a page, as if it had failed."""
        self.root, self.files, self.home, self.before = root, root / "files", root / "home", root / "before"
        self._embedder = embedder
        self._cost: dict[Command, tuple[float, int]] = {}
        self.files.mkdir(parents=True)
        for name, pages in (("kept", 2), ("changed", 2), ("partial", 3), ("gone", 1)):
            documents.pdf(self.files / f"{name}.pdf", *made_up(name, pages))
        for name, pages in (("new", 2), ("newer", 3), ("newest", 1)):
            documents.pdf(self.root / f"{name}.pdf", *made_up(name, pages))
        documents.pdf(self.root / "replacement.pdf", *made_up("changed", 3, "month"))
        done = self.run("index")
        assert done.returncode == 0, done.stderr
        self._lose_a_page()
        assert wholeness.problems(self.collection()) == []
        shutil.copytree(self.home, self.before)

    def collection(self) -> Collection:
        """Open the collection as it is now."""
        made = Collection.open(NAME, self.home)
        vars(made)["_embedder"] = self._embedder
        return made

    def _lose_a_page(self) -> None:
        made = self.collection()
        partial = made.document("partial.pdf")
        left = partial.n_elements - len(made.page_elements(partial.id, 2))
        tables = made._store._tables
        tables["pages"].delete(f"doc_id = '{partial.id}' AND number = 2")
        tables["elements"].delete(f"doc_id = '{partial.id}' AND page = 2")
        tables["documents"].update(f"id = '{partial.id}'", {"failed_pages": [2], "n_elements": left})

    def arrange(self, command: Command) -> None:
        """Put the home back as it was before, and the files as the command wants them."""
        shutil.rmtree(self.home)
        shutil.copytree(self.before, self.home)
        for name in ("new", "newer", "newest"):
            (self.files / f"{name}.pdf").unlink(missing_ok=True)
            if command == "index":
                shutil.copy(self.root / f"{name}.pdf", self.files)
        documents.pdf(self.files / "changed.pdf", *made_up("changed", 2))
        if command == "replace":
            shutil.copy(self.root / "replacement.pdf", self.files / "changed.pdf")

    def arguments(self, command: Command) -> list[str]:
        """Return the command line. Only what a command is about is read: the partial document by `reread` alone."""
        named = {"remove": ["remove", "gone.pdf", "--collection", NAME], "compact": ["compact", "--collection", NAME]}
        if command in named:
            return named[command]
        about = {"replace": ["changed.pdf"], "reread": ["partial.pdf"]}.get(command)
        chosen = (
            [self.files / name for name in about]
            if about
            else sorted(p for p in self.files.glob("*.pdf") if p.name != "partial.pdf" or not self.before.exists())
        )
        return ["index", *map(str, chosen), "--collection", NAME, "--workers", "2"]

    def start(self, command: Command, environment: dict[str, str] | None = None) -> subprocess.Popen[str]:
        """Start the command."""
        own = {"PYTHONPATH": str(ROOT), "VOUCH_HOME": str(self.home)}
        return subprocess.Popen(
            [sys.executable, "-m", "ui.cli", *self.arguments(command)], cwd=ROOT,
            env=(environment or dict(os.environ)) | own, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def run(self, command: Command) -> subprocess.CompletedProcess[str]:
        """Run the command to its end."""
        process = self.start(command)
        out, err = process.communicate(timeout=MOST_SECONDS)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def cost(self, command: Command) -> tuple[float, int]:
        """Measure the seconds and the writes of the command when nothing disturbs it, once."""
        if command not in self._cost:
            self.arrange(command)
            log = self.root / "writes.log"
            log.write_text("")
            started = time.monotonic()
            _, err = self.start(command, preload.environment(self.home, log=log)).communicate(timeout=MOST_SECONDS)
            self._cost[command] = (time.monotonic() - started, len(log.read_text().splitlines()))
            assert self._cost[command][1] > 0, err
        return self._cost[command]

    def strike(self, kill: Kill) -> Struck:
        """Run the command and kill."""
        seconds, writes = self.cost(kill.command)
        self.arrange(kill.command)
        at = 1 + int(kill.moment * writes)
        process = self.start(
            kill.command, preload.environment(self.home, "kill", at) if kill.victim == "writer" else None
        )
        root, until = psutil.Process(process.pid), time.monotonic() + seconds * kill.moment
        children: set[psutil.Process] = set()
        waiting = kill.victim != "writer"  # that one kills itself
        end = time.monotonic() + MOST_SECONDS
        while process.poll() is None:
            try:
                children.update(root.children(recursive=True))
            except psutil.NoSuchProcess:
                break
            if waiting and time.monotonic() >= until:
                waiting = not self._strike_now(kill, process, children)
            assert time.monotonic() < end, f"{kill.command} does not end"
            with suppress(subprocess.TimeoutExpired):  # its children are looked at every now and then
                process.wait(0.01)
        process.communicate(timeout=60)
        hit = not waiting if kill.victim == "worker" else process.returncode == -signal.SIGKILL
        return Struck(process.returncode, hit, list(children))

    @staticmethod
    def _strike_now(kill: Kill, process: subprocess.Popen[str], children: set[psutil.Process]) -> bool:
        """Kill; False when there is no worker yet."""
        if kill.victim == "parent":
            process.kill()
            return True
        alive = sorted((c for c in children if _is_worker(c)), key=lambda c: c.pid)
        if alive:
            alive[int(kill.moment * 1e6) % len(alive)].kill()
        return bool(alive)

    def judge(self, kill: Kill, struck: Struck) -> list[str]:
        """Return what is wrong after the kill, and after the same command has run again."""
        _, alive = psutil.wait_procs(struck.children, timeout=30)
        wrong = [f"process {p.pid} is left" for p in alive]
        if kill.victim == "worker" and struck.code not in (0, 1, 2):
            wrong.append(f"a worker's death ended the run with {struck.code}")
        made = self.collection()
        wrong += wholeness.problems(made) + wholeness.lost(made, staying(kill.command))
        again = self.run(kill.command)
        if again.returncode and not (kill.command == "remove" and "no document" in again.stderr):
            wrong.append(f"the next run ended with {again.returncode}: {again.stderr[-300:]}")
        made = self.collection()
        wrong += [f"after the next run: {line}" for line in wholeness.problems(made) + wholeness.leftovers(made)]
        wrong += [f"after the next run: {line}" for line in self._incomplete(kill.command, made)]
        return wrong

    def _incomplete(self, command: Command, made: Collection) -> list[str]:
        """Return what the completed command has not done."""
        pages = {d.name: d.n_pages - len(d.failed_pages) for d in made.documents()}
        wanted = {"kept.pdf": 2, "changed.pdf": 2, "partial.pdf": 2, "gone.pdf": 1}
        wanted |= {"index": {"new.pdf": 2, "newer.pdf": 3, "newest.pdf": 1}, "replace": {"changed.pdf": 3},
                   "reread": {"partial.pdf": 3}}.get(command, {})  # fmt: skip
        if command == "remove":
            del wanted["gone.pdf"]
        return [] if pages == wanted else [f"pages {pages}, not {wanted}"]


def _is_worker(process: psutil.Process) -> bool:
    try:
        return process.is_running() and "spawn_main" in " ".join(process.cmdline())
    except psutil.Error:
        return False
