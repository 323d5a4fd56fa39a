"""A question and what has become of it so far: made on a thread of its own, followed by whoever wants to see it.

The page that asked may be closed and opened again meanwhile: it finds the turn in the `History` of its visitor.
"""

from __future__ import annotations

import logging
import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from indexing import IndexingError, Mode
from rag import Answer, RagError, Sentence
from rag.events import Answered, Checked, Drafted, Event, Extracted, Planned, Retrieved
from ui.wording import counted

if TYPE_CHECKING:
    from rag.types import Method

State = Literal["busy", "done", "stopped", "failed"]
MOST_TURNS = 20
"""Turns that are kept for a visitor, the newest."""
MOST_VISITORS = 500
READ_NOTES = ("vanilla", "cot")
"""Methods that make use of knowledge extracted beforehand; the others refuse it."""
_UNEXPECTED = "Something went wrong that should not have. Nothing was lost. The terminal says more."
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it was put, and to what; None leaves a choice to the profile.

    `previous` are questions asked before, if this one was taken for a follow-up: the last that stood alone, and the
    last, if that is another and says something. `image` is the path of an upload.
    """

    collection: str
    question: str
    documents: tuple[str, ...] = ()
    mode: Mode | None = None
    method: Method | None = None
    queries: int | None = None
    top_k: int | None = None
    extract: bool | None = None
    image: str | None = None
    previous: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Moment:
    """How far an answer has come. `drafted` are sentences by number from 0, `checked` those that were checked; `looks`
    are the image-seeking forms of the queries, in their order.
    """

    state: State = "busy"
    doing: str = "Waiting for its turn"
    drafted: dict[int, str] = field(default_factory=dict)
    checked: dict[int, Sentence] = field(default_factory=dict)
    answer: Answer | None = None
    error: str = ""
    looks: tuple[str, ...] = ()

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """What can be read by now, in order; what is not checked yet says so."""
        if self.answer is not None:
            return self.answer.sentences
        return tuple(
            self.checked.get(n) or Sentence(self.drafted[n], (), "unchecked", "it is being checked")
            for n in sorted(self.drafted.keys() | self.checked.keys())
        )

    @property
    def so_far(self) -> Answer:
        """What can be read by now as an answer, numbered as it will be; of one under way nothing else is known."""
        return self.answer or Answer("", "text", self.sentences, (), 0.0, {}, "")

    def after(self, event: Event) -> Moment:
        """What is known once `event` has happened."""
        match event:
            case Planned(queries):
                looks = tuple(query.text for query in queries.image)
                return replace(self, doing=f"Searching in {counted(len(queries.text), 'way')}", looks=looks)
            case Retrieved(evidence, _):
                return replace(self, doing=f"Reading {counted(len(evidence), 'passage')}")
            case Extracted(done, total):
                return replace(self, doing=f"Looking closely at passage {done} of {total}")
            case Drafted(index, text, _):  # a model that begins anew takes back what came after
                checked = {n: s for n, s in self.checked.items() if n < index}
                drafted = {n: t for n, t in self.drafted.items() if n < index} | {index: text}
                return replace(self, drafted=drafted, checked=checked, doing="Writing")
            case Checked(index, sentence):
                return replace(self, checked=self.checked | {index: sentence}, doing="Checking each sentence")
            case Answered(answer):
                return replace(self, answer=answer, state="done", doing="")


class Turn:
    """One question on its way to an answer. Every method may be called from any thread."""

    def __init__(self, asked: Asked) -> None:
        """Nothing happens before `run`."""
        self.id = secrets.token_hex(8)
        self.asked = asked
        self._now = Moment()
        self._changed = threading.Condition()
        self._stop = False

    @property
    def now(self) -> Moment:
        """How far it has come."""
        return self._now

    @property
    def stopped(self) -> bool:
        """True once `stop` was called."""
        return self._stop

    def begin(self) -> None:
        """Its turn has come."""
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
        """The present moment, then each that differs from the one before, up to the last."""
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
        """Empty."""
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
        """A visitor's turns, oldest first."""
        with self._lock:
            return tuple(self._turns.get(visitor, ()))

    def turn(self, visitor: str, turn_id: str) -> Turn | None:
        """A turn by its id, if it is this visitor's."""
        return next((t for t in self.turns(visitor) if t.id == turn_id), None)

    def clear(self, visitor: str) -> None:
        """Forget a visitor's turns; those that still run are stopped."""
        with self._lock:
            gone = self._turns.pop(visitor, [])
        for turn in gone:
            turn.stop()
