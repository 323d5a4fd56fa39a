"""The same work on several bare processes, as a reference: items dealt round-robin, models loaded before the clock."""

from __future__ import annotations

import multiprocessing
import queue
import time
from collections.abc import Callable, Sequence
from multiprocessing.process import BaseProcess
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event
from typing import Any, TypeVar

from evaluation.progress import say

Item = TypeVar("Item")
Result = TypeVar("Result")


def dealt(items: Sequence[Item], hands: int) -> list[list[Item]]:
    """Deal items round-robin: the first process gets items 0, `hands`, 2 x `hands` and so on."""
    return [list(items[hand::hands]) for hand in range(hands)]


def spread(
    what: str, task: Callable[[Item], Result], prepare: Callable[[], None], items: Sequence[Item], processes: int
) -> tuple[list[Result], float]:
    """Run `task` on every item in so many processes, each after `prepare`; results in any order, and the seconds.

    The clock runs from the moment when all processes are prepared until the last result is here. `what` is said on
    stderr. A process that ends early is a SystemExit.
    """
    context = multiprocessing.get_context("spawn")
    start: Event = context.Event()
    results: Queue[Any] = context.Queue()
    running = [
        context.Process(target=_work, args=(task, prepare, hand, start, results), daemon=True)
        for hand in dealt(items, processes)
    ]
    for process in running:
        process.start()
    for _ in running:
        _next(what, results, running)
    start.set()
    began = time.perf_counter()
    found: list[Result] = []
    for number in range(1, len(items) + 1):
        found.append(_next(what, results, running))
        say(what, number, len(items))
    seconds = time.perf_counter() - began
    say(what, len(items), len(items), f"in {seconds:.1f} s\n")
    for process in running:
        process.join()
    return found, seconds


def _next(what: str, results: Queue[Any], running: Sequence[BaseProcess]) -> Any:
    """Return the next message of any process; SystemExit when one has died."""
    while True:
        dead = [process for process in running if process.exitcode]
        try:
            return results.get(timeout=1)
        except queue.Empty:
            if dead:
                raise SystemExit(f"{what}: a process ended before its work was done (see above)") from None


def _work(
    task: Callable[[Item], Result],
    prepare: Callable[[], None],
    items: Sequence[Item],
    start: Event,
    results: Queue[Any],
) -> None:
    """Run inside a process: say when it is prepared, wait for the start, then work."""
    prepare()
    results.put(None)
    start.wait()
    for item in items:
        results.put(task(item))
