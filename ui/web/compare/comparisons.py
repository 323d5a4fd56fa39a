"""The comparisons of the page: one question, several turns at once, each by another mode, method or model.

Independent of Gradio; every method may be called from any thread.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from configs import methods, methods_with_notes
from ui.show import Moment
from ui.web.ask import AskRequest, Turn

if TYPE_CHECKING:
    from indexing import Mode
    from rag import MethodName
    from ui.web.ask import Asking

MOST_VISITORS = 200
MODES: tuple[tuple[Mode, str], ...] = (("text", "Text"), ("image", "Images"), ("multi", "Both"))
METHODS: tuple[tuple[MethodName, bool, str], ...] = (
    *((method.name, False, method.label) for method in methods()),
    *((method.name, True, f"{method.label}, notes first") for method in methods() if method.notes),
)
"""The methods to compare. Notes are knowledge extracted from the evidence beforehand, from which alone the answer is
written; a quote has no use for them."""
SLOTS = len(METHODS)
"""The most columns of a comparison."""
_LOOK_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Contender:
    """One way to answer, a column; None is the profile's choice. `model` is the name of a model in the profile."""

    title: str
    mode: Mode | None = None
    method: MethodName | None = None
    extract: bool | None = None
    model: str | None = None


def contenders_of(
    by: str, mode: str, method: str, extract: bool, which: Sequence[str], models: Sequence[str] = ()
) -> tuple[Contender, ...]:
    """Return the contenders that the widgets select: `by` "modes" the three modes with one method, "methods" those
    titled in `which`, "models" the first SLOTS of `models`, with the method `vanilla` instead of `quote`.
    """
    search_mode = cast("Mode", mode) if mode else None
    if by == "methods":
        return tuple(Contender(title, search_mode, name, notes) for name, notes, title in METHODS if title in which)
    if by == "models":
        writes = method if method not in ("", "quote") else "vanilla"
        notes = extract and writes in methods_with_notes()
        return tuple(Contender(name, search_mode, writes, notes, name) for name in models[:SLOTS])
    with_notes = (extract and method in methods_with_notes()) if method else None
    return tuple(Contender(title, each, method or None, with_notes) for each, title in MODES)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One comparison: turn n is the answer of contender n; `id` ties the numbers in the columns to the viewer."""

    id: str
    collection: str
    question: str
    contenders: tuple[Contender, ...]
    turns: tuple[Turn, ...]

    @property
    def now(self) -> tuple[Moment, ...]:
        """The present moments of all turns."""
        return tuple(turn.now for turn in self.turns)

    def follow(self) -> Iterator[tuple[Moment, ...]]:
        """Yield the moments of all turns now and after each change, until all turns have ended."""
        last: tuple[Moment, ...] | None = None
        while last is None or any(moment.state == "busy" for moment in last):
            if (now := self.now) != last:
                yield now
                last = now
            else:
                time.sleep(_LOOK_SECONDS)


class Comparisons:
    """The latest comparison of each visitor, in memory, so that a page that is loaded again can show it."""

    def __init__(self, asking: Asking) -> None:
        """Keep `asking`, which answers."""
        self._asking = asking
        self._runs: OrderedDict[str, Comparison] = OrderedDict()
        self._lock = threading.Lock()

    def start(
        self, visitor: str, collection: str, question: str, contenders: Sequence[Contender], where: str | None = None
    ) -> Comparison:
        """Start a turn for each contender, with the filter `where`; the visitor's earlier comparison is stopped."""
        self.stop(visitor)
        requests = [
            AskRequest.of(
                collection, question, mode=c.mode, method=c.method, extract=c.extract, model=c.model, where=where
            )
            for c in contenders
        ]
        turns = tuple(self._asking.start("", request) for request in requests)
        run = Comparison(secrets.token_hex(8), collection, question, tuple(contenders), turns)
        if visitor:
            with self._lock:
                self._runs[visitor] = run
                self._runs.move_to_end(visitor)
                while len(self._runs) > MOST_VISITORS:
                    self._runs.popitem(last=False)
        return run

    def last(self, visitor: str) -> Comparison | None:
        """Return the visitor's latest comparison, None if there is none."""
        with self._lock:
            return self._runs.get(visitor)

    def stop(self, visitor: str) -> None:
        """Stop the unfinished turns of the visitor's comparison."""
        run = self.last(visitor)
        for turn in run.turns if run else ():
            turn.stop()
