"""A small judge of texts: a cross-encoder that says if a place entails a claim (FactCG, LettuceDetect, NLI models).

It decides alone about claims whose places all have text; figures and tables are left to another judge. Its threshold
is calibrated on pairs of texts and claims: `vouch models calibrate`.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from indexing import Element, IndexingError
from plugins.models.cross_encoder import cross_encoder
from rag import NO_USAGE, Judge, Opinion, Usage, VerifierSettings
from rag.attribution import CONFIRMS
from ui.show import public_words

MOST_PIECES, PIECE_CHARS = 8, 1200
"""The most places of a claim that are read, and the most characters of a text at once: some 300 tokens."""
_OVERLAP = 300
"""The characters that two parts of a text share, so that each sentence is complete in one of them."""


_VISUAL = ("picture", "group", "table", "formula")
"""The kinds of elements that have to be seen."""


class Verifier:
    """A judge for one answer: an entailment model for texts, and `other`, if given, for those it cannot read.

    Safe to use from several threads. `usage` is that of the other judge, as it runs in this process.
    """

    def __init__(self, settings: VerifierSettings, other: Judge | None = None) -> None:
        """Keep the settings; the model is loaded by the first claim."""
        self._settings, self._other = settings, other
        self._lock = threading.Lock()
        self._failure = ""

    @property
    def usage(self) -> Usage:
        """The cost of the other judge."""
        return self._other.usage if self._other is not None else NO_USAGE

    @property
    def notes(self) -> list[str]:
        """Why the model could not be used, and the notes of the other judge."""
        own = [f"the verifier was not used: {self._failure}"] if self._failure else []
        return [*own, *(self._other.notes if self._other is not None else ())]

    def judge(self, sentence: str, elements: Sequence[Element], question: str = "") -> Opinion | None:
        """Return how probable it is that one of the texts proves the sentence; None if no judge can tell."""
        is_text = all(element.kind not in _VISUAL and element.text.strip() for element in elements)
        if elements and is_text and not self._failure:
            try:
                return self._verify(sentence, [element.text for element in elements[:MOST_PIECES]])
            except IndexingError as error:
                with self._lock:
                    self._failure = public_words(error)
        return self._other.judge(sentence, elements, question) if self._other is not None else None

    def _verify(self, sentence: str, texts: Sequence[str]) -> Opinion:
        together = "\n".join(texts)
        parts = dict.fromkeys(part for text in (*texts, together) for part in parts_of(text))
        best = max(probabilities([(part, sentence) for part in parts], self._settings))
        return Opinion(confidence(best, self._settings.threshold), f"the verifier gives it {best:.2f}")


def probabilities(pairs: Sequence[tuple[str, str]], settings: VerifierSettings) -> list[float]:
    """Return for each text and claim the probability that the text entails the claim. Raises IndexingError."""
    model, template = cross_encoder(settings.checkpoint), settings.template
    if not template:
        return [float(value) for value in model.entailment(pairs)]
    before, _, after = template.partition("{text}")
    if model.head == "ForTokenClassification" and after.endswith("{claim}"):  # its own tokens are judged
        after = after.removesuffix("{claim}")
        return [float(value) for value in model.entailment([(before + text + after, claim) for text, claim in pairs])]
    # joined, not replaced one after the other: a text may contain the placeholder of the claim
    inputs = [(before.replace("{claim}", claim) + text + after.replace("{claim}", claim),) for text, claim in pairs]
    return [float(value) for value in model.entailment(inputs)]


def parts_of(text: str) -> list[str]:
    """Return a text in overlapping parts of at most PIECE_CHARS characters."""
    step = PIECE_CHARS - _OVERLAP
    return [text[at : at + PIECE_CHARS] for at in range(0, max(1, len(text) - _OVERLAP), step)]


def confidence(probability: float, threshold: float) -> float:
    """Return a probability rescaled so that the threshold becomes CONFIRMS, the least that confirms a sentence."""
    if probability < threshold:
        return CONFIRMS * probability / threshold
    return CONFIRMS + (1 - CONFIRMS) * (probability - threshold) / (1 - threshold)
