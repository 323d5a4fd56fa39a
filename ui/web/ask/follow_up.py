"""Follow-up questions: their detection, the questions that they refer to, and the search for both. Pure."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rag import Queries

if TYPE_CHECKING:
    from PIL import Image

    from rag.question import QueryPlanner
    from ui.web.ask.turns import AskRequest

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
