"""Several turns at once: each is followed on a thread, and whoever looks gets all of them as they stand."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Sequence

from ui.turns import Moment, Turn


def abreast(turns: Sequence[Turn]) -> Iterator[tuple[Moment, ...]]:
    """The moments of all turns whenever one has changed, the last when all have ended.

    What changes while nobody looks is told once. The turns go on when nobody looks any more.
    """
    news: queue.SimpleQueue[tuple[int, Moment] | None] = queue.SimpleQueue()

    def follow(n: int, turn: Turn) -> None:
        for moment in turn.follow():
            news.put((n, moment))
        news.put(None)

    for n, turn in enumerate(turns):
        threading.Thread(target=follow, args=(n, turn), name=f"follow {turn.id}", daemon=True).start()
    now = [turn.now for turn in turns]
    running = len(turns)
    while running:
        heard = [news.get()]
        while not news.empty():
            heard.append(news.get())
        for item in heard:
            if item is None:
                running -= 1
            else:
                now[item[0]] = item[1]
        yield tuple(now)
