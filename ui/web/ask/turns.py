"""A question and its answer so far: made on a thread of its own, followed by any number of viewers.

The page that asked may be closed and opened again meanwhile: it finds the turn in the `History` of its visitor.
"""

from __future__ import annotations

import logging
import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from indexing import IndexingError
from rag import AnswerOptions, Event, Question, RagError

if TYPE_CHECKING:
    from typing import Unpack

from ui.errors import BadRequest
from ui.show import Moment

MOST_TURNS = 20
"""The number of turns that are kept for a visitor, the newest."""
MOST_VISITORS = 500
READ_NOTES = ("vanilla", "cot")
"""The methods that make use of knowledge extracted beforehand; the others refuse it."""
_UNEXPECTED = "Something went wrong that should not have. Nothing was lost. The terminal says more."
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AskRequest:
    """A question with its options, and the collection that it was put to.

    `question.earlier` are questions asked before, if this one was taken for a follow-up: the last that stood alone, and
    the last, if that is another and says something. `question.image` is the path of an upload.
    """

    collection: str
    question: Question

    def __post_init__(self) -> None:
        """Raise BadRequest for what no widget gives: Gradio passes on lists, too, and a turn stays in the history."""
        asked = self.question
        words = (self.collection, asked.text, *asked.documents)
        chosen = (asked.mode, asked.method, asked.model, asked.where)
        if not all(isinstance(w, str) for w in words) or not all(c is None or isinstance(c, str) for c in chosen):
            raise BadRequest(
                "a collection, a question, a mode, a method, a model, a filter and documents are named by words"
            )

    @classmethod
    def of(cls, collection: str, text: str, **options: Unpack[AnswerOptions]) -> AskRequest:
        """Return the request; an option that is left out, or None, is left to the profile."""
        return cls(collection, Question.of(text, options))


class Turn:
    """One question on its way to an answer. Every method may be called from any thread."""

    def __init__(self, asked: AskRequest) -> None:
        """Keep the request; nothing happens before `run`."""
        self.id = secrets.token_hex(8)
        self.asked = asked
        self._now = Moment()
        self._changed = threading.Condition()
        self._stop = False

    @property
    def now(self) -> Moment:
        """The progress so far."""
        return self._now

    @property
    def stopped(self) -> bool:
        """True once `stop` was called."""
        return self._stop

    def begin(self) -> None:
        """Note that its turn has come."""
        self._tell(replace(self._now, doing="Searching"))

    def run(self, events: Iterator[Event]) -> None:
        """Take `events` to their end, or until `stop`, and close them. Never raises: a failure is part of `now`."""
        try:
            for event in events:
                if self._stop:
                    break
                self._tell(self._now.after(event))
            if self._now.state == "busy":
                self._tell(replace(self._now, state="stopped"))
        except (IndexingError, RagError, OSError) as error:
            self._tell(replace(self._now, state="failed", error=str(error)))
        except Exception:  # noqa: BLE001 - the edge of the process: logged, and told without a trace
            _LOG.exception("answering failed")
            self._tell(replace(self._now, state="failed", error=_UNEXPECTED))
        finally:
            if close := getattr(events, "close", None):
                close()

    def stop(self) -> None:
        """Show no more than there is now; the work behind it ends with its next step."""
        with self._changed:
            self._stop = True
            if self._now.state == "busy":
                self._now = replace(self._now, state="stopped", doing="")
            self._changed.notify_all()

    def follow(self) -> Iterator[Moment]:
        """Yield the present moment, then each that differs from the one before, up to the last."""
        seen: Moment | None = None
        while True:
            with self._changed:
                while self._now is seen:
                    self._changed.wait()
                seen = self._now
            yield seen
            if seen.state != "busy":
                return

    def _tell(self, moment: Moment) -> None:
        with self._changed:
            if self._stop and self._now.state == "stopped":
                return  # what comes after a stop is not shown
            self._now = moment
            self._changed.notify_all()


class History:
    """The latest turns of each visitor, in memory; nobody gets another's. Safe to use from several threads."""

    def __init__(self) -> None:
        """Start empty."""
        self._turns: OrderedDict[str, list[Turn]] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, visitor: str, turn: Turn) -> None:
        """Keep a turn; one without a visitor (a program's) is not kept."""
        if not visitor:
            return
        with self._lock:
            kept = self._turns.setdefault(visitor, [])
            kept.append(turn)
            del kept[:-MOST_TURNS]
            self._turns.move_to_end(visitor)
            while len(self._turns) > MOST_VISITORS:
                self._turns.popitem(last=False)

    def turns(self, visitor: str) -> tuple[Turn, ...]:
        """Return a visitor's turns, oldest first."""
        with self._lock:
            return tuple(self._turns.get(visitor, ()))

    def turn(self, visitor: str, turn_id: str) -> Turn | None:
        """Return a turn by its id, if it is this visitor's."""
        return next((t for t in self.turns(visitor) if t.id == turn_id), None)

    def clear(self, visitor: str) -> None:
        """Forget a visitor's turns; those that still run are stopped."""
        with self._lock:
            gone = self._turns.pop(visitor, [])
        for turn in gone:
            turn.stop()
