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
from rag.types import Citable, Evidence

LABEL_WORDS, LABEL_SHARE = 4, 0.75
"""A picture's text of fewer words, or with fewer words among its tokens, is labels or ticks of an axis."""
TICK_GAP = 3.0
"""Words of a picture are no phrase (ticks, a legend) if more than this many of their letters would fit between them."""
SENTENCE_WORDS = 3
"""Fewer words than this ("WARNING.", "Thanks") answer nothing."""
SAME = 0.8
"""Two quotes that share this much of their words say the same."""

FEATURES = ("bias", "score", "words", "lead")
COEFFICIENTS = (-5.433, 5.204, 1.89, 5.974)
"""Of a logistic regression on elements, made by `python -m evaluation.fit_confidence`: docs/experiments.md has its
numbers.
"""
ANSWERING_FEATURES = ("bias", "best MaxSim", "most words", "best score", "its lead")
ANSWERING = (-9.767, 5.321, 0.353, 10.191, 1.714)
"""Of a logistic regression on questions, made by `python -m evaluation.fit_citable`."""
SHARPNESS = 15.0
"""Log-odds that a piece of an element loses for each unit of `_fit` by which another piece of it answers better."""
NUMBER, WORDS = 0.05, 0.1
"""What a number where one is asked for, and the question's own words, add to the fit of a piece."""
PLACE = 0.5
"""Exponent of a quote's odds beside the probability of its region, where the best is chosen."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A verbatim piece of an element, `element.text[start:end]`, and the probability (0 to 1) that it answers.

    Of a picture that has labels only, its caption speaks: then start and end are 0. `reason` says that the question
    asks why and this piece gives a reason.
    """

    evidence: Evidence
    start: int
    end: int
    confidence: float
    reason: bool = False

    @property
    def text(self) -> str:
        """The words of the quote."""
        element = self.evidence.element
        return element.caption if self.of_caption else element.text[self.start : self.end]

    @property
    def of_caption(self) -> bool:
        """Whether it is the caption of a picture rather than a piece of the element's own text."""
        return self.end == 0


Cited = tuple[tuple[Quote, Citable], ...]
"""A sentence with its proofs: the quote that it is, then the same elsewhere; each with the region that is cited."""


def confidence_of(
    hits: Sequence[Hit], scores: Sequence[float], tokens: Sequence[str], weights: NDArray[np.float32]
) -> float:
    """The calibrated probability, 0 to 1, that the evidence holds the answer, and what is cited of it is the place.

    `scores` are those of the evidence, by which all that ranks it counts.
    """
    if not hits:
        return 0.0
    values = answering(hits, scores, tokens, weights)
    return 1 / (1 + math.exp(-sum(c * v for c, v in zip(ANSWERING, values, strict=True))))


def answering(
    hits: Sequence[Hit], scores: Sequence[float], tokens: Sequence[str], weights: NDArray[np.float32]
) -> tuple[float, ...]:
    """The values behind `ANSWERING_FEATURES`."""
    return (
        1.0,
        max(_maxsim(hit, None, weights) for hit in hits),
        max(words_of(hit, tokens, weights) for hit in hits),
        scores[0],
        scores[0] - float(np.median(scores)),
    )


def quotes(
    question: str,
    evidence: Sequence[Evidence],
    hits: Sequence[Hit],
    tokens: Sequence[str],
    weights: NDArray[np.float32],
) -> list[Quote]:
    """Every piece of the evidence with its confidence, the most confident first."""
    scored: list[Quote] = []
    typical = typical_of(hits)
    for item, hit in zip(evidence, hits, strict=True):
        spans = pieces(item.element)
        if not spans and item.element.kind == "picture" and _speaks(item.element.caption):
            spans = [(0, 0)]
        fits = [_fit(question, hit, span, tokens, weights) for span in spans]
        values = features(hit, tokens, weights, typical)
        odds = sum(c * v for c, v in zip(COEFFICIENTS, values, strict=True))
        for (start, end), fit in zip(spans, fits, strict=True):
            behind = SHARPNESS * (max(fits) - fit)
            reason = bool(_WHY.search(question) and _REASON.search(item.element.text[start:end]))
            scored.append(Quote(item, start, end, 1 / (1 + math.exp(behind - odds)), reason))
    return sorted(scored, key=lambda q: -q.confidence)


def best_of(scored: Sequence[Quote], regions: Sequence[Citable]) -> str:
    """The label of the evidence with the quote that comes first: it fits, and a reader would mark the place.

    Empty when no region holds a quote.
    """
    place = {label: region.probability for region in reversed(regions) for label in region.labels}

    def worth(quote: Quote) -> float:
        odds = quote.confidence / max(1.0 - quote.confidence, 1e-9)
        return float(place[quote.evidence.label] * odds**PLACE)

    held = [quote for quote in scored if quote.evidence.label in place]
    return max(held, key=worth).evidence.label if held else ""


def select(scored: Sequence[Quote], regions: Sequence[Citable], settings: RagSettings) -> list[Cited]:
    """The sentences that make the answer, in the order of the regions: the best quote of each region, then further
    quotes out of an element already quoted, while there is room, that fit nearly as well or give a reason.

    What a region says that was quoted from another becomes a second proof of that sentence.
    """
    chosen: list[list[tuple[Quote, Citable]]] = []
    further: list[tuple[Quote, Citable]] = []
    for region in regions:
        own = [q for q in scored if q.evidence.label in region.labels]
        if not own:
            continue
        said = next((proofs for proofs in chosen if _repeats(own[0], proofs[0][0])), None)
        if said is not None:
            said.append((own[0], region))
        elif len(chosen) < settings.max_sentences:
            chosen.append([(own[0], region)])
        same = [q for q in own[1:] if q.evidence.label == own[0].evidence.label]
        least = own[0].confidence - settings.sentence_margin
        further += [(q, region) for q in same if q.reason or q.confidence >= least]
    for quote, region in sorted(further, key=lambda pair: (not pair[0].reason, -pair[0].confidence)):
        if len(chosen) < settings.max_sentences and not any(_repeats(quote, q) for proofs in chosen for q, _ in proofs):
            chosen.append([(quote, region)])
    first = {proofs[0][0].evidence.label: n for n, proofs in reversed(list(enumerate(chosen)))}
    order = sorted(chosen, key=lambda proofs: (first[proofs[0][0].evidence.label], proofs[0][0].start))
    return [tuple(proofs) for proofs in order]


def pieces(element: Element) -> list[tuple[int, int]]:
    """(start, end) of what can be quoted of an element: sentences, table rows, or a picture's text."""
    text = element.text
    if element.kind == "table" or element.cells:
        header = max((c.end for c in element.cells if c.header), default=0)
        rows = [m.span() for m in re.finditer(r"[^\n]+", text) if any(c.isalnum() for c in m.group())]
        return [row for row in rows if row[0] >= header] or rows
    if element.kind == "heading":
        return []
    if element.kind == "picture":
        return [(a, b) for a, b in _lines(element) if _speaks(text[a:b])]
    whole = [(0, len(text))] if element.kind == "formula" else sentence_spans(text)
    return [(a, b) for a, b in whole if len(text[a:b].split()) >= SENTENCE_WORDS]


def typical_of(hits: Sequence[Hit]) -> float:
    """The median score of all hits, 0 when there are none."""
    return float(np.median([h.score for h in hits])) if hits else 0.0


def features(hit: Hit, tokens: Sequence[str], weights: NDArray[np.float32], typical: float) -> tuple[float, ...]:
    """The values behind `FEATURES` for a hit's element; `typical` is that of `typical_of`.

    The score is that of the text alone, which means the same in every collection; what else ranked the hit (pixels,
    full text, places) shows in its lead over the others.
    """
    return (1.0, _maxsim(hit, None, weights), words_of(hit, tokens, weights), hit.score - typical)


def words_of(hit: Hit, tokens: Sequence[str], weights: NDArray[np.float32]) -> float:
    """Weighted share (0 to 1) of the question's words that a hit's element has, its context included."""
    text = f"{' '.join(hit.element.section)} {hit.element.caption} {hit.element.text}"
    return _coverage(tokens, weights, text)


def _fit(question: str, hit: Hit, span: tuple[int, int], tokens: Sequence[str], weights: NDArray[np.float32]) -> float:
    """How well one piece of an element answers, to be compared with its other pieces."""
    quote = hit.element.text[span[0] : span[1]]
    return (
        _maxsim(hit, span, weights) + WORDS * _coverage(tokens, weights, quote) + NUMBER * _number_fit(question, quote)
    )


def _maxsim(hit: Hit, span: tuple[int, int] | None, weights: NDArray[np.float32]) -> float:
    """MaxSim of the question with the tokens of one piece, or with all of an element and its context."""
    own = hit.similarities
    if span is not None and span[1]:
        own = own[(hit.offsets[:, 0] < span[1]) & (hit.offsets[:, 1] > span[0])]
    return float(own.max(axis=0) @ weights) if len(own) else 0.0


_WANTS_NUMBER = re.compile(
    r"\b(how (many|much|old|long|high|far|large|big|often)|what (percent|percentage|share|year|number|amount)|"
    r"when|which year|wie (viel|viele|lange|hoch|alt)|wann|combien|quand)\b",
    re.IGNORECASE,
)

_WHY = re.compile(
    r"\b(why|how come|what (caused|led to)|reasons?|warum|weshalb|wieso|pourquoi|por qué|perché)\b", re.IGNORECASE
)
_REASON = re.compile(
    r"\b(because|caus(e[sd]?|ing)|due to|owing to|thanks to|reasons?|result(s|ed|ing)? (of|from)|led to|since|"
    r"therefore|weil|wegen|aufgrund|grund|parce que|à cause|grâce à|porque|debido a|perché|a causa)\b",
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


def _speaks(text: str) -> bool:
    """Whether a piece of a picture's text is made of words rather than of labels and ticks."""
    words = len(re.findall(r"[^\W\d_]{2,}", text))
    return words >= LABEL_WORDS and words >= LABEL_SHARE * len(text.split())


def _lines(element: Element) -> list[tuple[int, int]]:
    """The phrases of a picture's text, a line long at most, joined three at a time; each three begin with the last of
    those before.
    """
    words = element.words
    phrases: list[list[int]] = []
    before, right = -1, 0.0
    sides = words.boxes[:, ::2].tolist()
    for (start, end), line, (x0, x1) in zip(words.spans.tolist(), words.lines.tolist(), sides, strict=True):
        if line == before and x0 - right <= TICK_GAP * (x1 - x0) / (end - start):
            phrases[-1][1] = end
        else:
            phrases.append([start, end])
        before, right = line, x1
    last = len(phrases) - 1
    return [(phrases[i][0], phrases[min(i + 2, last)][1]) for i in range(0, max(last, 1), 2)] if phrases else []


def _repeats(quote: Quote, other: Quote) -> bool:
    """Whether two quotes overlap in one element, or share most of their words."""
    if quote.evidence.element.id == other.evidence.element.id:
        return quote.start < other.end and other.start < quote.end
    a, b = set(quote.text.lower().split()), set(other.text.lower().split())
    return len(a & b) > SAME * min(len(a), len(b))
