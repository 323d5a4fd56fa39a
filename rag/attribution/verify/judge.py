"""A claim and the place that it cites -> how probable it is that the place proves it, by a vision-language model.

This is the judge of `rag.attribution.verify`: it is asked only about claims that the strict checks leave open, and
about pictures. It gives 0, 0.5 or 1, the scale of MCiteBench (Hu et al. 2025) and MAVIS (Song et al. 2025): no, in
part, yes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from indexing import Element, IndexingError
from rag.errors import ModelError
from rag.llm import ChatModel, Form, Message, around, complete_as, fenced, load_prompt
from rag.settings import RagSettings
from rag.types import Judge
from rag.usage import NO_USAGE, Usage

if TYPE_CHECKING:
    from PIL import Image

_RULES = load_prompt("judge")
_TEXT = load_prompt("judge_text", "claim", "passage", "around")
_FIGURE = load_prompt("judge_figure", "claim", "around")
_MAX_TOKENS = 256
_TEMPERATURE = 0.0
"""The temperature, whatever the settings say: the same claim about the same place gets the same verdict."""
MOST_ASKED, AWAY = 600, 4
"""The most questions to a judge about one text, and the failures in a row after which it counts as away."""
PROBABLE = {"0": 0.02, "0.5": 0.6, "1": 0.95}
"""The probabilities that its three grades mean: `rag.attribution.verify` calls them unsupported, partial, supported."""


class _Grade(Form):
    reason: str = Field(max_length=240)
    score: Literal["0", "0.5", "1"]


class ModelJudge:
    """A judge for one answer, at temperature 0; it remembers its verdicts. Safe to use from several threads.

    `usage` is the cost so far, `failures` why it could not say, a line a claim.
    """

    def __init__(self, model: ChatModel, crop: Callable[[Element], Image.Image]) -> None:
        """Keep the model and `crop`, which gives the picture of an element and may raise IndexingError."""
        self._model = model
        self._crop = crop
        self._known: dict[tuple[str, str, str], float | None] = {}
        self._lock = threading.Lock()
        self.usage = NO_USAGE
        self.failures: list[str] = []

    @property
    def notes(self) -> list[str]:
        """The one note for all claims about which it could not say."""
        if not self.failures:
            return []
        more = f" (and {len(self.failures) - 1} more)" if len(self.failures) > 1 else ""
        return [f"{self.failures[0]}{more}; words and numbers alone decided"]

    def entails(self, sentence: str, passage: str, element: Element) -> float | None:
        """Return 0.02, 0.6 or 0.95; None where the model fails. It looks at pictures; of text it reads the passage."""
        key = (sentence, passage, element.id)
        with self._lock:
            if key in self._known:
                return self._known[key]
        cost, found = NO_USAGE, None
        if element.pictured and not self._model.capacity.images:
            return None
        try:
            asked = self._messages(sentence, passage, element)
            grade, cost = complete_as(self._model, asked, _Grade, _MAX_TOKENS, temperature=_TEMPERATURE)
            found = PROBABLE[grade.score]
        except ModelError as error:
            cost = error.usage
            self._failed(f"a claim was not judged: {error}")
        except IndexingError as error:
            self._failed(f"a claim was not judged, its picture cannot be drawn: {error}")
        with self._lock:
            self.usage += cost
            self._known[key] = found
        return found

    def _messages(self, sentence: str, passage: str, element: Element) -> tuple[Message, ...]:
        claim, under = fenced(sentence), around(element)
        parts: tuple[str | Image.Image, ...]
        if element.pictured:
            parts = (self._crop(element), _FIGURE.filled(claim=claim, around=under))
        else:
            parts = (_TEXT.filled(claim=claim, passage=fenced(passage), around=under),)
        return Message("system", (_RULES.filled(),)), Message("user", parts)

    def _failed(self, why: str) -> None:
        with self._lock:
            self.failures.append(why)


class BoundedJudge:
    """A judge that is asked at most so often, and not again once it has failed a few times in a row: then it is away.

    Safe to use from several threads. What it is not asked it cannot say, so that words and numbers decide.
    """

    def __init__(self, judge: Judge, most: int = MOST_ASKED) -> None:
        """Keep the judge; it is asked `most` times."""
        self._judge, self._left, self._failed = judge, most, 0
        self._lock = threading.Lock()
        self._refused = 0

    @property
    def usage(self) -> Usage:
        """The cost so far."""
        return self._judge.usage

    @property
    def notes(self) -> list[str]:
        """The notes of the judge, and how often it was not asked."""
        left_out = f"{self._refused:,} more questions to the judge were not asked; words and numbers alone decided"
        return [*self._judge.notes, *([left_out] if self._refused else [])]

    def entails(self, sentence: str, passage: str, element: Element) -> float | None:
        """Return the judge's probability; None where it cannot say, or may not be asked any more."""
        with self._lock:
            asked = self._left > 0 and self._failed < AWAY
            self._left -= asked
            self._refused += not asked
        said = self._judge.entails(sentence, passage, element) if asked else None
        with self._lock:
            self._failed = 0 if said is not None else self._failed + asked
        return said


def judge_of(
    settings: RagSettings, model: ChatModel, crop: Callable[[Element], Image.Image], given: Judge | None
) -> Judge | None:
    """Return the judge of claims that strict checking leaves open: the one `given`, the model, or nobody (None)."""
    if given is not None or settings.judge == "rules":
        return given
    return ModelJudge(model, crop)
