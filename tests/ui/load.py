"""`python -m tests.ui.load --collection NAME`: many people ask at once; latencies, errors, and the server's memory.

    python -m tests.ui.load -c samples --people 50 --seconds 60 --questions questions.txt

It starts `vouch serve` on loopback over VOUCH_HOME (or takes `--at ADDRESS --pid N`). Each person is a browser of its
own that loads the page, thinks for a moment, asks, and so on. Bounded in people and in time.
It ends with 1 where an answer failed.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from typing import Any

import httpx
import psutil

ROOT = Path(__file__).resolve().parents[2]
MOST_PEOPLE, MOST_SECONDS = 200, 7200
PATIENCE = 60.0
SAMPLED_EVERY = 5.0
QUESTIONS = ("How many departures were cancelled, and why?", "When was the museum opened?", "What is measured?")


@dataclass
class Load:
    """The outcome: seconds of each answer, refusals and failures by their kind, memory in MB by the second."""

    seconds: list[float] = field(default_factory=list)
    failed: Counter[str] = field(default_factory=Counter)
    memory: list[tuple[float, float]] = field(default_factory=list)

    def figures(self) -> dict[str, Any]:
        """Return the figures."""
        cuts = quantiles(self.seconds, n=100) if len(self.seconds) > 1 else []
        shares = {f"p{share}": round(cuts[share - 1], 3) for share in (50, 95, 99) if cuts}
        megabytes = [round(size, 1) for _, size in self.memory]
        ends = {"first": megabytes[0], "last": megabytes[-1], "most": max(megabytes)} if megabytes else {}
        return {"answers": len(self.seconds), "seconds": shares, "failed": dict(self.failed), "server_mb": ends}


async def person(
    load: Load, address: str, asked: dict[str, Any], questions: Sequence[str], think: float, end: float, seed: int
) -> None:
    """Load the page, think for `think` seconds in the mean, ask, and so on until the time is up.

    So not all ask in the first moment.
    """
    dice = random.Random(seed)

    async def pause() -> None:
        await asyncio.sleep(min(dice.expovariate(1 / think), max(0.0, end - time.monotonic())))

    async with httpx.AsyncClient(base_url=address, timeout=PATIENCE) as browser:
        await browser.get("/")  # which gives the browser its name
        await pause()
        while time.monotonic() < end:
            started = time.monotonic()
            try:
                answer = await asking(browser, asked, dice.choice(questions))
            except httpx.HTTPError as error:
                load.failed[type(error).__name__] += 1
            else:
                if answer.status_code == 200:
                    load.seconds.append(time.monotonic() - started)
                else:
                    load.failed[str(answer.status_code)] += 1
            await pause()


async def asking(browser: httpx.AsyncClient, asked: dict[str, Any], question: str) -> httpx.Response:
    """Put a question to the collection in `asked`, whose other keys are its options."""
    options = {key: value for key, value in asked.items() if key != "collection"}
    return await browser.post(f"/api/v1/collections/{asked['collection']}/ask", json=options | {"question": question})


async def watched(load: Load, pid: int, end: float) -> None:
    """Note the memory of the server and of its processes now and then."""
    process, began = psutil.Process(pid), time.monotonic()
    while (left := end - time.monotonic()) > 0:
        size = sum(p.memory_info().rss for p in (process, *process.children(recursive=True)))
        load.memory.append((time.monotonic() - began, size / 1e6))
        await asyncio.sleep(min(SAMPLED_EVERY, left))


async def loaded(
    address: str,
    pid: int | None,
    asked: dict[str, Any],
    people: int,
    seconds: float,
    questions: Sequence[str],
    think: float = 1.0,
) -> Load:
    """Have so many people ask for so many seconds; the first question of all, which loads models, is not counted."""
    load = Load()
    async with httpx.AsyncClient(base_url=address, timeout=10 * PATIENCE) as first:
        (await asking(first, asked, questions[0])).raise_for_status()
    end = time.monotonic() + seconds
    watching = [watched(load, pid, end)] if pid else []
    await asyncio.gather(*(person(load, address, asked, questions, think, end, n) for n in range(people)), *watching)
    return load


@contextmanager
def serving(profile: str) -> Iterator[tuple[str, int]]:
    """A `vouch serve` of a process of its own, as (address, pid)."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "ui.cli", "serve", "--port", str(port), "--profile", profile]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as run:
        try:
            assert run.stdout is not None
            if str(port) not in run.stdout.readline():
                raise SystemExit("vouch serve did not start")
            yield f"http://127.0.0.1:{port}", run.pid
        finally:
            run.send_signal(signal.SIGTERM)  # which nobody has a shell ignore
            run.wait(60)


def main(arguments: Sequence[str] | None = None) -> int:
    """Load a server, and print the figures as JSON."""
    parser = argparse.ArgumentParser(prog="python -m tests.ui.load", description="many people ask at once")
    parser.add_argument("-c", "--collection", default="samples", help="the collection that is asked")
    parser.add_argument("--people", type=int, default=50, help=f"how many ask at once, at most {MOST_PEOPLE}")
    parser.add_argument("--seconds", type=float, default=60, help=f"for how long, at most {MOST_SECONDS}")
    parser.add_argument(
        "--think", type=float, default=1.0, metavar="SECONDS", help="the mean pause before each question"
    )
    parser.add_argument("--questions", type=Path, help="a file of questions, one a line")
    parser.add_argument("--profile", default="default", help="the profile of the server")
    parser.add_argument("--at", metavar="ADDRESS", help="a server that runs already")
    parser.add_argument("--pid", type=int, help="its process, whose memory is watched")
    chosen = parser.parse_args(arguments)
    people, seconds = min(chosen.people, MOST_PEOPLE), min(chosen.seconds, MOST_SECONDS)
    think = max(chosen.think, 0.01)
    lines = chosen.questions.read_text(encoding="utf-8").splitlines() if chosen.questions else QUESTIONS
    questions = [line for line in lines if line.strip()]
    asked = {"collection": chosen.collection}
    if chosen.at:
        load = asyncio.run(loaded(chosen.at, chosen.pid, asked, people, seconds, questions, think))
    else:
        with serving(chosen.profile) as (address, pid):
            load = asyncio.run(loaded(address, pid, asked, people, seconds, questions, think))
    figures = {
        "people": people,
        "think_seconds": think,
        "asked_for_seconds": seconds,
        "processors": os.cpu_count(),
    } | load.figures()
    sys.stdout.write(json.dumps(figures, indent=2) + "\n")
    return int(load.failed.total() > 0 or not load.seconds)


if __name__ == "__main__":
    sys.exit(main())
