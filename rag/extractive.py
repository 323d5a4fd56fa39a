"""Evidence -> the sentences and table rows that answer, verbatim, with a calibrated confidence; or none.

The embedded default answerer. It needs no language model: every piece of the evidence (a sentence, a table row, a
line of a picture) is scored by what late interaction already computed, and the best are quoted. Nothing it says can be
unsupported; whether it answers is what the confidence is about, and below a threshold it abstains.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexing import Element, Hit
from rag.sentences import sentence_spans
from rag.settings import RagSettings
from rag.types import Evidence

LABEL_WORDS = 4
"""Fewer words than this in a picture's text are labels or ticks of an axis, which say nothing alone."""
SENTENCE_WORDS, HEADING_WORDS = 3, 5
"""Fewer words than this ("WARNING.", "3. Methods") answer nothing."""
SAME = 0.8
"""Two quotes that share this much of their words say the same."""

FEATURES = (
    "bias",
    "quote",
    "element",
    "score",
    "words",
    "element words",
    "number",
    "length",
    "lead",
    "weakest",
)
COEFFICIENTS = (-3.786, 4.991, -1.788, 4.507, -1.6, 2.324, 0.088, -0.861, 6.069, -2.364)
"""Of a logistic regression, made by `python -m evaluation.fit_confidence`: docs/experiments.md has its numbers."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A verbatim piece of an element, `element.text[start:end]`, and the probability (0 to 1) that it answers."""

    evidence: Evidence
    start: int
    end: int
    confidence: float

    @property
    def text(self) -> str:
        """The words of the quote."""
        return self.evidence.element.text[self.start : self.end]


def quotes(
    question: str,
    evidence: Sequence[Evidence],
    hits: Sequence[Hit],
    tokens: Sequence[str],
    weights: NDArray[np.float32],
) -> list[Quote]:
    """Every piece of the evidence with its confidence, the most confident first."""
    scored: list[Quote] = []
    typical = float(np.median([h.score for h in hits])) if hits else 0.0
    for item, hit in zip(evidence, hits, strict=True):
        for start, end in pieces(item.element):
            values = features(question, hit, (start, end), tokens, weights, typical)
            odds = sum(c * v for c, v in zip(COEFFICIENTS, values, strict=True))
            scored.append(Quote(item, start, end, 1 / (1 + math.exp(-odds))))
    return sorted(scored, key=lambda q: -q.confidence)


def select(scored: Sequence[Quote], settings: RagSettings) -> list[Quote]:
    """The quotes that make the answer, in reading order; none when even the best is not confident enough."""
    if not scored or scored[0].confidence < settings.min_confidence:
        return []
    least = max(settings.min_confidence, scored[0].confidence - settings.sentence_margin)
    chosen: list[Quote] = []
    for quote in scored:
        if quote.confidence < least or len(chosen) == settings.max_sentences:
            break
        if not any(_repeats(quote, other) for other in chosen):
            chosen.append(quote)
    first = {q.evidence.element.doc_id: n for n, q in reversed(list(enumerate(chosen)))}
    return sorted(chosen, key=lambda q: (first[q.evidence.element.doc_id], q.evidence.element.page, *_place(q)))


def pieces(element: Element) -> list[tuple[int, int]]:
    """(start, end) of what can be quoted of an element: sentences, table rows, or a picture's text."""
    text = element.text
    if element.kind == "table" or element.cells:
        return [m.span() for m in re.finditer(r"[^\n]+", text) if any(c.isalnum() for c in m.group())]
    if element.kind == "picture":
        return [(a, b) for a, b in _lines(element) if len(re.findall(r"[^\W\d_]{2,}", text[a:b])) >= LABEL_WORDS]
    whole = [(0, len(text))] if element.kind in ("formula", "heading") else sentence_spans(text)
    least = HEADING_WORDS if element.kind == "heading" else SENTENCE_WORDS
    return [(a, b) for a, b in whole if len(text[a:b].split()) >= least]


def features(
    question: str,
    hit: Hit,
    span: tuple[int, int],
    tokens: Sequence[str],
    weights: NDArray[np.float32],
    typical: float,
) -> tuple[float, ...]:
    """The values behind `FEATURES` for the piece `span` of a hit's element; `typical` is the hits' median score."""
    start, end = span
    inside = (hit.offsets[:, 0] < end) & (hit.offsets[:, 1] > start)
    own = hit.similarities[inside]
    whole = float(hit.similarities.max(axis=0) @ weights) if len(hit.similarities) else 0.0
    quote = hit.element.text[start:end]
    return (
        1.0,
        float(own.max(axis=0) @ weights) if len(own) else 0.0,
        whole,
        hit.score,
        _coverage(tokens, weights, quote),
        _coverage(tokens, weights, f"{' '.join(hit.element.section)} {hit.element.caption} {hit.element.text}"),
        _number_fit(question, quote),
        math.log1p(min(len(quote.split()), 40)),
        hit.score - typical,
        _weakest(hit.similarities, weights),
    )


def _weakest(similarities: NDArray[np.float32], weights: NDArray[np.float32]) -> float:
    """The best cosine of the full-weight question token that the element matches worst: low where a word is missing."""
    if not len(similarities) or not len(weights):
        return 0.0
    return float(similarities.max(axis=0)[weights >= weights.max()].min())


_WANTS_NUMBER = re.compile(
    r"\b(how (many|much|old|long|high|far|large|big|often)|what (percent|percentage|share|year|number|amount)|"
    r"when|which year|wie (viel|viele|lange|hoch|alt)|wann|combien|quand)\b",
    re.IGNORECASE,
)


def _number_fit(question: str, quote: str) -> float:
    """1 when a number is asked for and there is one, -1 when there is none, 0 when none is asked for."""
    if not _WANTS_NUMBER.search(question):
        return 0.0
    return 1.0 if any(c.isdigit() for c in quote) else -1.0


def _coverage(tokens: Sequence[str], weights: NDArray[np.float32], text: str) -> float:
    """Weighted share of the question's full-weight word tokens that occur in the text, at a word's beginning."""
    lowered = text.lower()
    top = float(weights.max()) if len(weights) else 0.0
    wanted = [
        t for t, w in zip(tokens, weights.tolist(), strict=True) if w >= top and not t.startswith("##") and len(t) > 2
    ]
    if not wanted:
        return 0.0
    return sum(1 for t in wanted if re.search(r"\b" + re.escape(t[:-1] if len(t) > 4 else t), lowered)) / len(wanted)


def _lines(element: Element) -> list[tuple[int, int]]:
    """The visual lines of a picture's text, joined three at a time, each group overlapping the next by one line."""
    spans: dict[int, list[int]] = {}
    for (start, end), line in zip(element.words.spans.tolist(), element.words.lines.tolist(), strict=True):
        seen = spans.setdefault(line, [start, end])
        seen[:] = [min(seen[0], start), max(seen[1], end)]
    lines = list(spans.values())
    return (
        [(lines[i][0], lines[min(i + 2, len(lines) - 1)][1]) for i in range(0, max(len(lines) - 1, 1), 2)]
        if lines
        else []
    )


def _repeats(quote: Quote, other: Quote) -> bool:
    """Whether two quotes overlap in one element, or share most of their words."""
    if quote.evidence.element.id == other.evidence.element.id:
        return quote.start < other.end and other.start < quote.end
    a, b = set(quote.text.lower().split()), set(other.text.lower().split())
    return len(a & b) > SAME * min(len(a), len(b))


def _place(quote: Quote) -> tuple[int, int]:
    """Reading order within a page: the element's number in its id, then the place in its text."""
    return int(quote.evidence.element.id.rsplit("-", 1)[-1].lstrip("g")), quote.start
