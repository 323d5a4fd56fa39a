"""A question and its answer so far, answered on a thread that any viewer can follow; and what it refers back to.

A page that was closed and opened again finds the turn in the `History` of its visitor.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rag import AnswerOptions, Queries, Question
from ui.errors import BadRequest
from ui.show import Moment
from ui.web.followed_work import FollowedWork

if TYPE_CHECKING:
    from typing import Unpack

    from PIL import Image

    from rag.question import QueryPlanner
    from ui.state import Feedback


BARE, WHOLE = 2, 5
"""The number of content words below which a question is a follow-up to the one before (`BARE`), and from which it
stands alone even if it has pronouns (`WHOLE`).
"""
_GOES_ON = re.compile(r"^(?:and|but|so|then|what about|how about|und|aber)\b", re.IGNORECASE)
_POINTS_BACK = re.compile(
    r"\b(?:it|its|they|them|their|these|those|he|she|his|her|same|former|latter|er|sie|ihre?|deren|dessen)\b",
    re.IGNORECASE,
)
_OF_EVERY_QUESTION = re.compile(
    r"what|which|when|where|does|were|many|much|with|have|been|that|this|there|from|will|would|could|should|about|than|"
    r"the(?:ir|y|m|se)|those|same|former|latter|welche[rs]?|wann|viele|wird|sind|wurden?|haben|dessen|deren"
)
_ASKS_FOR_MORE = re.compile(
    r"tell|more|else|give|please|detail(?:s|ed)?|information|explain|elaborate|continue|further|anything|something|"
    r"happen(?:s|ed)?|next|then|after(?:wards?)?|later|bitte|mehr|dazu|weiter|einzelheiten|erkl\u00e4re?|danach|passierte?|"
    r"geschah"
)
"""The words that have no content unless others do: `Tell me more`, but not `What happened in Harbour Street?`."""


def is_follow_up(question: str) -> bool:
    """Return True for a question with hardly a content word, that begins like `And ...`, or has few and a pronoun."""
    own = sum(not _OF_EVERY_QUESTION.fullmatch(word) for word in _words(question))
    little = own < BARE or _says_nothing(question)
    return little or bool(_GOES_ON.search(question)) or (own < WHOLE and bool(_POINTS_BACK.search(question)))


def followed_by(last: AskRequest) -> tuple[str, ...]:
    """Return the questions that a follow-up to `last` refers to: the last that stood alone and `last`."""
    text, earlier = last.question.text, last.question.earlier
    if not earlier:
        return (text,)
    return earlier if _says_nothing(text) else (earlier[0], text)


def _words(question: str) -> list[str]:
    return re.findall(r"\w{4,}", question.lower())


def _says_nothing(question: str) -> bool:
    return all(_OF_EVERY_QUESTION.fullmatch(word) or _ASKS_FOR_MORE.fullmatch(word) for word in _words(question))


class FollowUp:
    """A planner that adds the questions before a follow-up as further queries."""

    def __init__(self, planner: QueryPlanner, rules: QueryPlanner, previous: tuple[str, ...]) -> None:
        """Keep `planner`, which plans the question itself, and `rules`, which plans the `previous` questions."""
        self._planner = planner
        self._rules = rules
        self._previous = previous

    def plan(self, question: str, n: int, image_text: str = "", image: Image.Image | None = None) -> Queries:
        """Return the queries of the question, at most `n` of them, and each previous question as one more."""
        own = self._planner.plan(question, n, image_text, image)
        before = [self._rules.plan(previous, 1) for previous in self._previous]
        return replace(
            own,
            text=(*own.text, *(query for each in before for query in each.text)),
            image=(*own.image, *(query for each in before for query in each.image)),
        )


MOST_TURNS = 20
"""The number of turns that are kept for a visitor, the newest."""
MOST_VISITORS = 500


@dataclass(frozen=True, slots=True)
class AskRequest:
    """A question with its options, and the collection that it was put to.

    `question.earlier` are the questions that a follow-up refers to: the last that stood alone, and the last one, if
    that is another and has words of its own. `question.image` is the path of an upload.
    """

    collection: str
    question: Question

    def __post_init__(self) -> None:
        """Raise BadRequest for a value of a wrong type: Gradio passes on lists, too, and a turn is kept in memory."""
        question = self.question
        words = (self.collection, question.text, *question.documents)
        choices = (question.mode, question.method, question.model, question.where)
        if not all(isinstance(w, str) for w in words) or not all(c is None or isinstance(c, str) for c in choices):
            raise BadRequest(
                "a collection, a question, a mode, a method, a model, a filter and documents are named by words"
            )

    @classmethod
    def of(cls, collection: str, text: str, **options: Unpack[AnswerOptions]) -> AskRequest:
        """Return a request with options of `AnswerOptions`; one that is left out, or None, is as in the profile."""
        return cls(collection, Question.of(text, options))


@dataclass(frozen=True, slots=True)
class Keeping:
    """The state of a stored answer: the id of the link to it, "" for none, and its judgements by sentence from 1."""

    link: str = ""
    feedback: Mapping[int, Feedback] = field(default_factory=dict)


class Turn(FollowedWork[Moment]):
    """A question that is being answered, or was, in a conversation ("" where none are stored).

    `created` is the time in UTC when it was asked or, if it was read from the state, answered; `keeping` is None for an
    answer that is only in memory.
    """

    def __init__(self, request: AskRequest, conversation: str = "") -> None:
        """Keep the request; nothing happens before `run`."""
        super().__init__(Moment())
        self.request = request
        self.conversation = conversation
        self.created = datetime.now(UTC).isoformat(timespec="microseconds")
        self.keeping: Keeping | None = None

    @classmethod
    def from_state(cls, turn_id: str, created: str, request: AskRequest, moment: Moment, keeping: Keeping) -> Turn:
        """Return a finished turn that was stored in the state."""
        turn = cls(request)
        turn.id, turn.created, turn.keeping = turn_id, created, keeping
        turn.set_moment(moment)
        return turn

    def begin(self) -> None:
        """Set the step to "Searching": the turn no longer waits for a slot."""
        self.set_moment(replace(self.now, doing="Searching"))


class History:
    """The latest turns of each visitor, in memory. Safe to use from several threads."""

    def __init__(self) -> None:
        """Start empty."""
        self._turns: OrderedDict[str, list[Turn]] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, visitor: str, turn: Turn) -> None:
        """Keep a turn of a visitor, and forget the oldest; one without a visitor (a program's) is not kept."""
        if not visitor:
            return
        with self._lock:
            turns = self._turns.setdefault(visitor, [])
            turns.append(turn)
            del turns[:-MOST_TURNS]
            self._turns.move_to_end(visitor)
            while len(self._turns) > MOST_VISITORS:
                self._turns.popitem(last=False)

    def turns(self, visitor: str) -> tuple[Turn, ...]:
        """Return a visitor's turns, oldest first."""
        with self._lock:
            return tuple(self._turns.get(visitor, ()))

    def turn(self, visitor: str, turn_id: str) -> Turn | None:
        """Return a turn of a visitor by its id, None if it is not there."""
        return next((t for t in self.turns(visitor) if t.id == turn_id), None)

    def clear(self, visitor: str, conversation: str | None = None) -> None:
        """Forget a visitor's turns, or only those in one conversation; those in progress are stopped."""
        with self._lock:
            turns = self._turns.pop(visitor, [])
            removed_turns = [turn for turn in turns if conversation in (None, turn.conversation)]
            if remaining := [turn for turn in turns if turn not in removed_turns]:
                self._turns[visitor] = remaining
        for turn in removed_turns:
            turn.stop()
