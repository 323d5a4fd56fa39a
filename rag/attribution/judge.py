"""A judge of claims: a vision-language model that reads and looks at the places which a sentence cites.

It is asked about what words leave open, once for a sentence, and is shown everything that the sentence cites: texts as
texts, figures and tables as pictures. It gives 0, 0.5 or 1, the scale of MCiteBench (Hu et al. 2025) and MAVIS (Song et
al. 2025): no, in part, yes. Only a whole yes confirms.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from indexing import Element, IndexingError
from rag.errors import ModelError
from rag.llm import ChatModel, Form, Message, complete_as, context_line, fence, load_prompt
from rag.settings import RagSettings
from rag.types import Judge, Opinion
from rag.usage import NO_USAGE, Usage
from vouch.hooks import additions, load

if TYPE_CHECKING:
    from PIL import Image

_RULES = load_prompt("judge")
_CLAIM = load_prompt("judge_claim", "claim", "question")
_MAX_TOKENS = 256
_TEMPERATURE = 0.0
"""The temperature, whatever the settings say: the same claim about the same place gets the same verdict."""
MOST_ASKED, AWAY = 600, 4
"""The most questions to a judge about one text, and the failures in a row after which it counts as away."""
MOST_PIECES, PIECE_CHARS = 8, 6000
"""The most places that a judge is shown for one claim, and the most characters of each."""
PROBABLE = {"0": 0.02, "0.5": 0.6, "1": 0.95}
"""The probabilities that its three grades mean."""
CONFIRMS = 0.85
"""The least probability that confirms a sentence."""


class _Grade(Form):
    reason: str = Field(max_length=240)
    score: Literal["0", "0.5", "1"]


class ModelJudge:
    """A judge for one answer, at temperature 0; it remembers its opinions. Safe to use from several threads.

    `usage` is the cost so far, `failures` why it could not say, a line a claim.
    """

    def __init__(self, model: ChatModel, crop: Callable[[Element], Image.Image]) -> None:
        """Keep the model and `crop`, which gives the picture of an element and may raise IndexingError."""
        self._model = model
        self._crop = crop
        self._opinions: dict[tuple[str, ...], Opinion | None] = {}
        self._lock = threading.Lock()
        self.usage = NO_USAGE
        self.failures: list[str] = []

    @property
    def notes(self) -> list[str]:
        """A single note on the claims that could not be judged; none if there are none."""
        if not self.failures:
            return []
        more = f" (and {len(self.failures) - 1} more)" if len(self.failures) > 1 else ""
        return [f"{self.failures[0]}{more}; words and numbers alone decided"]

    def judge(self, sentence: str, elements: Sequence[Element], question: str = "") -> Opinion | None:
        """Return how probable it is that the elements together prove the sentence; None where the model cannot say."""
        pieces = elements[:MOST_PIECES]
        key = (sentence, question, *(element.id for element in pieces))
        with self._lock:
            if key in self._opinions:
                return self._opinions[key]
        if all(element.needs_picture for element in pieces) and not self._model.capacity.images:
            return None
        cost, opinion = NO_USAGE, None
        try:
            messages = self._messages(sentence, pieces, question)
            grade, cost = complete_as(self._model, messages, _Grade, _MAX_TOKENS, temperature=_TEMPERATURE)
            opinion = Opinion(PROBABLE[grade.score], " ".join(grade.reason.split()))
        except ModelError as error:
            cost = error.usage
            self._report_failure(f"a claim was not judged: {error}")
        except IndexingError as error:
            self._report_failure(f"a claim was not judged, its picture cannot be drawn: {error}")
        with self._lock:
            self.usage += cost
            self._opinions[key] = opinion
        return opinion

    def _messages(self, sentence: str, elements: Sequence[Element], question: str) -> tuple[Message, ...]:
        """Return the prompt: the rules, then the elements as texts and images, and the sentence as the claim."""
        images_left = self._model.capacity.images
        parts: list[str | Image.Image] = []
        for number, element in enumerate(elements, 1):
            under = f"it stands under: {context_line(element)}"
            parts.append(f"Place {number}, a {element.kind} on page {element.page} ({under}):\n")
            if images_left and (
                element.needs_picture or element.kind in ("table", "formula") or element.source == "ocr"
            ):
                parts += [self._crop(element), "\n"]
                images_left -= 1
            if element.text.strip():
                parts.append(f"{fence(element.text[:PIECE_CHARS])}\n")
            parts.append("\n")
        parts.append(_CLAIM.fill(claim=fence(sentence), question=fence(question) or "nothing known"))
        return Message("system", (_RULES.fill(),)), Message("user", tuple(parts))

    def _report_failure(self, why: str) -> None:
        with self._lock:
            self.failures.append(why)


class BoundedJudge:
    """A judge with a limit on its requests, that is not asked again after AWAY failures in a row.

    Safe to use from several threads. It has no opinion on further claims, so that words and numbers decide.
    """

    def __init__(self, judge: Judge, most: int = MOST_ASKED) -> None:
        """Keep the judge; it is asked at most `most` times."""
        self._judge, self._remaining, self._failures = judge, most, 0
        self._lock = threading.Lock()
        self._refusals = 0

    @property
    def usage(self) -> Usage:
        """The cost so far."""
        return self._judge.usage

    @property
    def notes(self) -> list[str]:
        """The notes of the judge, and one on how many claims it was not asked about."""
        left_out = f"{self._refusals:,} more questions to the judge were not asked; words and numbers alone decided"
        return [*self._judge.notes, *([left_out] if self._refusals else [])]

    def judge(self, sentence: str, elements: Sequence[Element], question: str = "") -> Opinion | None:
        """Return the judge's opinion; None if it has none, or is not asked any more."""
        with self._lock:
            allowed = self._remaining > 0 and self._failures < AWAY
            self._remaining -= allowed
            self._refusals += not allowed
        opinion = self._judge.judge(sentence, elements, question) if allowed else None
        with self._lock:
            self._failures = 0 if opinion is not None else self._failures + allowed
        return opinion


def judge_of(
    settings: RagSettings, model: ChatModel | None, crop: Callable[[Element], Image.Image], judge: Judge | None
) -> Judge | None:
    """Return the judge of claims that comparing words leaves open: `judge`, else that of the settings, else None."""
    if judge is not None:
        return judge
    large = ModelJudge(model, crop) if model is not None and settings.judge == "model" else None
    if settings.verifier is None:
        return large
    return next((load(reader.judge)(settings.verifier, large) for reader in additions("pair_readers")), large)
