"""The same work on several bare processes, for references: items dealt round-robin, models loaded before the clock."""

from __future__ import annotations

import multiprocessing
import queue
import time
from collections.abc import Callable, Sequence
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from typing import Any, TypeVar

from evaluation.bench_inputs import say

Item = TypeVar("Item")
Result = TypeVar("Result")


def dealt(items: Sequence[Item], hands: int) -> list[list[Item]]:
    """Items dealt like cards: the first hand gets items 0, `hands`, 2 x `hands` and so on."""
    return [list(items[hand::hands]) for hand in range(hands)]


def spread(
    what: str, task: Callable[[Item], Result], prepare: Callable[[], None], items: Sequence[Item], processes: int
) -> tuple[list[Result], float]:
    """Run `task` on every item in so many processes, each after `prepare`; results in any order, and the seconds.

    The clock runs from the moment when all processes are prepared until the last result is here. `what` is said on
    stderr. A process that ends early is a SystemExit.
    """
    context = multiprocessing.get_context("spawn")
    start: Barrier = context.Barrier(processes + 1)
    results: Queue[Any] = context.Queue()
    running = [
        context.Process(target=_work, args=(task, prepare, hand, start, results), daemon=True)
        for hand in dealt(items, processes)
    ]
    for process in running:
        process.start()
    start.wait(timeout=300)
    began = time.perf_counter()
    found: list[Result] = []
    while len(found) < len(items):
        try:
            found.append(results.get(timeout=5))
        except queue.Empty:
            if not all(process.is_alive() or process.exitcode == 0 for process in running):
                raise SystemExit(f"{what}: a process ended before its work was done (see above)") from None
        say(what, len(found), len(items))
    seconds = time.perf_counter() - began
    say(what, len(found), len(items), f"in {seconds:.1f} s\n")
    for process in running:
        process.join()
    return found, seconds


def _work(
    task: Callable[[Item], Result],
    prepare: Callable[[], None],
    items: Sequence[Item],
    start: Barrier,
    results: Queue[Any],
) -> None:
    """Inside a process."""
    prepare()
    start.wait(timeout=300)
    for item in items:
        results.put(task(item))
