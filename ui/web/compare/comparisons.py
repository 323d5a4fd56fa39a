"""The comparisons of the page: one question, several turns at once, each by another mode or method.

It knows nothing of Gradio; every method may be called from any thread.
"""

from __future__ import annotations

import queue
import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ui.show import Moment
from ui.web.ask import AskRequest, Turn

if TYPE_CHECKING:
    from indexing import Collection
    from rag import Answer
    from ui.web.ask import Asking
    from ui.web.compare.figures import Contender

MOST_VISITORS = 200


@dataclass(frozen=True, slots=True)
class Comparison:
    """One comparison: contender n is answered by turn n; `id` ties its numbers to its evidence on the page."""

    id: str
    collection: str
    question: str
    contenders: tuple[Contender, ...]
    turns: tuple[Turn, ...]

    def follow(self) -> Iterator[tuple[Moment, ...]]:
        """Yield the moments of all turns, whenever one changes."""
        return follow_all(self.turns)

    @property
    def now(self) -> tuple[Moment, ...]:
        """Return the progress of all turns."""
        return tuple(turn.now for turn in self.turns)


class Comparisons:
    """The latest comparison of each visitor, in memory: it is there again when the page is loaded anew."""

    def __init__(self, asking: Asking) -> None:
        """Keep `asking`, which answers."""
        self._asking = asking
        self._runs: OrderedDict[str, Comparison] = OrderedDict()
        self._lock = threading.Lock()

    def start(
        self,
        visitor: str,
        collection: str,
        question: str,
        contenders: Sequence[Contender],
        where: str | None = None,
    ) -> Comparison:
        """Let all contenders answer at once, from documents that fit `where`; the visitor's earlier one is stopped."""
        self.stop(visitor)
        turns = tuple(
            self._asking.start(
                "",
                AskRequest.of(
                    collection,
                    question,
                    mode=c.mode,
                    method=c.method,
                    extract=c.extract,
                    model=c.model,
                    where=where,
                ),
            )
            for c in contenders
        )
        run = Comparison(secrets.token_hex(8), collection, question, tuple(contenders), turns)
        if visitor:
            with self._lock:
                self._runs[visitor] = run
                self._runs.move_to_end(visitor)
                while len(self._runs) > MOST_VISITORS:
                    self._runs.popitem(last=False)
        return run

    def last(self, visitor: str) -> Comparison | None:
        """Return the visitor's latest comparison."""
        with self._lock:
            return self._runs.get(visitor)

    def stop(self, visitor: str) -> None:
        """Stop the unfinished turns of the visitor's comparison."""
        run = self.last(visitor)
        for turn in run.turns if run else ():
            turn.stop()


def follow_all(turns: Sequence[Turn]) -> Iterator[tuple[Moment, ...]]:
    """Yield the moments of all turns whenever one has changed, the last when all have ended.

    Changes while nobody looks are told once. The turns go on when nobody looks any more.
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
        reports = [news.get()]
        while not news.empty():
            reports.append(news.get())
        for item in reports:
            if item is None:
                running -= 1
            else:
                now[item[0]] = item[1]
        yield tuple(now)


def kinds_of(collection: Collection, answers: Sequence[Answer]) -> dict[str, str]:
    """Return the kinds of the parts of groups among the evidence, by element id."""
    pages = {(e.element.doc_id, e.element.page) for a in answers for e in a.evidence if e.element.parts}
    return {e.id: e.kind for doc_id, page in sorted(pages) for e in collection.page_elements(doc_id, page)}
