"""Comparing in the page: one question, several turns at once, each by another mode or method.

Knows nothing of Gradio; every method may be called from any thread.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ui.abreast import abreast
from ui.turns import Asked, Moment, Turn

if TYPE_CHECKING:
    from indexing import Collection
    from rag import Answer
    from ui.asking import Asking
    from ui.comparison import Contender

MOST_VISITORS = 200


@dataclass(frozen=True, slots=True)
class Run:
    """One comparison: contender n is answered by turn n; `id` ties its numbers to its evidence on the page."""

    id: str
    collection: str
    question: str
    contenders: tuple[Contender, ...]
    turns: tuple[Turn, ...]

    def follow(self) -> Iterator[tuple[Moment, ...]]:
        """The moments of all turns, whenever one changes."""
        return abreast(self.turns)

    @property
    def now(self) -> tuple[Moment, ...]:
        """How far they have come."""
        return tuple(turn.now for turn in self.turns)


class Comparing:
    """The latest comparison of each visitor, in memory: it is there again when the page is loaded anew."""

    def __init__(self, asking: Asking) -> None:
        """`asking` answers."""
        self._asking = asking
        self._runs: OrderedDict[str, Run] = OrderedDict()
        self._lock = threading.Lock()

    def start(self, visitor: str, collection: str, question: str, contenders: Sequence[Contender]) -> Run:
        """Let all contenders answer at once; what the visitor compared before is stopped."""
        self.stop(visitor)
        turns = tuple(
            self._asking.start("", Asked(collection, question, mode=c.mode, method=c.method, extract=c.extract))
            for c in contenders
        )
        run = Run(secrets.token_hex(8), collection, question, tuple(contenders), turns)
        if visitor:
            with self._lock:
                self._runs[visitor] = run
                self._runs.move_to_end(visitor)
                while len(self._runs) > MOST_VISITORS:
                    self._runs.popitem(last=False)
        return run

    def last(self, visitor: str) -> Run | None:
        """The visitor's latest comparison."""
        with self._lock:
            return self._runs.get(visitor)

    def stop(self, visitor: str) -> None:
        """Stop what the visitor's comparison has not finished."""
        run = self.last(visitor)
        for turn in run.turns if run else ():
            turn.stop()


def kinds_of(collection: Collection, answers: Sequence[Answer]) -> dict[str, str]:
    """The kinds of the parts of groups among the evidence, by element id."""
    pages = {(e.element.doc_id, e.element.page) for a in answers for e in a.evidence if e.element.parts}
    return {e.id: e.kind for doc_id, page in sorted(pages) for e in collection.page_elements(doc_id, page)}
