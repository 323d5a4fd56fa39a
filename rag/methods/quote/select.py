"""Evidence -> the sentences and table rows that answer, verbatim, with a calibrated confidence; or none.

This is the embedded default answerer. It needs no language model: every piece of the evidence (a sentence, a table row,
a line of a picture) is scored by the similarities that late interaction already computed, and the best are quoted. A
quote cannot be unsupported; the confidence is the probability that it answers, and below a threshold Vouch abstains.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from indexing import Element
from rag.logistic import log_odds, probability
from rag.retrieval import Retrieved
from rag.sentences import sentence_spans
from rag.settings import RagSettings
from rag.types import CandidateRegion, Evidence, RetrievedElement, WeightedQuery

LABEL_WORDS, LABEL_SHARE = 4, 0.75
"""The least words of a picture's text, and their share of its tokens; text with less is labels or ticks of an axis."""
TICK_GAP = 3.0
"""The widest gap, in letters of its own, between words of a picture that are a phrase (not ticks, not a legend)."""
SENTENCE_WORDS = 3
"""The least words of a quote; fewer ("WARNING.", "Thanks") answer nothing."""
SAME = 0.8
"""The share of their words above which two quotes say the same."""

FEATURES = ("bias", "score", "words", "lead")
COEFFICIENTS = (-5.433, 5.204, 1.89, 5.974)
"""The coefficients of a logistic regression on elements, by `python -m evaluation.fit confidence`.

The numbers are in docs/experiments/citations.md.
"""
ANSWERING_FEATURES = ("bias", "best MaxSim", "most words", "best score", "its lead")
ANSWERING = (-9.772, 5.623, 0.162, 9.984, 0.741)
"""The coefficients of a logistic regression on questions, made by `python -m evaluation.fit citable`."""
ANSWERABLE_FEATURES = ("bias", "log-odds of answering", "conditions on a page", "conditions nowhere")
ANSWERABLE = (-2.276, 0.396, 2.161, -0.457)
"""The coefficients of a second one, on questions that their documents answer and on such that they do not."""
SHARPNESS = 15.0
"""The log-odds that a piece of an element loses for each unit of `_fit` by which another piece of it answers better."""
NUMBER, WORDS = 0.05, 0.1
"""The weights, in the fit of a piece, of a number where one is asked for, and of the question's own words."""
PLACE = 0.5
"""The exponent of a quote's odds beside the probability of its region, where the best is chosen."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A verbatim piece of an element, `element.text[start:end]`, and the probability (0 to 1) that it answers.

    A picture that has labels only is quoted by its caption: then start and end are 0. `reason` says that the question
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
        """True if it is the caption of a picture rather than a piece of the element's own text."""
        return self.end == 0


QuotedSentence = tuple[tuple[Quote, CandidateRegion], ...]
"""A sentence with its proofs: the quote itself, then the same text elsewhere; each with the region that is cited."""


def confidence_of(found: Retrieved) -> float:
    """Return the calibrated probability, 0 to 1, that the evidence holds the answer and the cited place is right."""
    if not found.elements:
        return 0.0
    return probability(answerable(probability(answering(found), ANSWERING), found), ANSWERABLE)


def answering(found: Retrieved) -> tuple[float, ...]:
    """Return the values behind `ANSWERING_FEATURES`."""
    scores = [element.evidence.score for element in found.elements]
    return (
        1.0,
        max(_maxsim(element, None, found.query) for element in found.elements),
        max(words_of(element, found.query) for element in found.elements),
        scores[0],
        scores[0] - float(np.median(scores)),
    )


def answerable(probability_found: float, found: Retrieved) -> tuple[float, ...]:
    """Return the values behind `ANSWERABLE_FEATURES`; `probability_found` is that of `ANSWERING`."""
    return (1.0, log_odds(probability_found), found.conditions.share, float(found.conditions.nowhere))


def quotes(question: str, found: Retrieved) -> list[Quote]:
    """Return every piece of the evidence with its confidence, the most confident first."""
    scored: list[Quote] = []
    typical = typical_of(found.elements)
    for retrieved in found.elements:
        item, element = retrieved.evidence, retrieved.evidence.element
        spans = pieces(element)
        if not spans and element.kind == "picture" and _speaks(element.caption):
            spans = [(0, 0)]
        fits = [_fit(question, retrieved, span, found.query) for span in spans]
        values = features(retrieved, found.query, typical)
        odds = sum(c * v for c, v in zip(COEFFICIENTS, values, strict=True))
        for (start, end), fit in zip(spans, fits, strict=True):
            behind = SHARPNESS * (max(fits) - fit)
            reason = bool(_WHY.search(question) and _REASON.search(element.text[start:end]))
            scored.append(Quote(item, start, end, probability((odds - behind,), (1.0,)), reason))
    return sorted(scored, key=lambda q: -q.confidence)


def best_of(scored: Sequence[Quote], regions: Sequence[CandidateRegion]) -> str:
    """Return the label of the evidence with the quote that comes first: it fits, and a reader would mark the place.

    The label is empty when no region holds a quote.
    """
    place = {label: region.probability for region in reversed(regions) for label in region.labels}

    def worth(quote: Quote) -> float:
        odds = quote.confidence / max(1.0 - quote.confidence, 1e-9)
        return float(place[quote.evidence.label] * odds**PLACE)

    held = [quote for quote in scored if quote.evidence.label in place]
    return max(held, key=worth).evidence.label if held else ""


def select(scored: Sequence[Quote], regions: Sequence[CandidateRegion], settings: RagSettings) -> list[QuotedSentence]:
    """Return the sentences that make the answer, in the order of the regions.

    They are the best quote of each region, then further quotes out of an element already quoted, while there is room,
    that fit nearly as well or give a reason. A quote that repeats one from another region becomes a second proof of
    that sentence.
    """
    chosen: list[list[tuple[Quote, CandidateRegion]]] = []
    further: list[tuple[Quote, CandidateRegion]] = []
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
    """Return (start, end) of the pieces of an element that can be quoted: sentences, table rows, a picture's text."""
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


def typical_of(elements: Sequence[RetrievedElement]) -> float:
    """Return the median score of all that was retrieved, 0 when there is nothing."""
    return float(np.median([element.evidence.score for element in elements])) if elements else 0.0


def features(retrieved: RetrievedElement, query: WeightedQuery, typical: float) -> tuple[float, ...]:
    """Return the values behind `FEATURES` for an element; `typical` is that of `typical_of`.

    The score is that of the text alone, which means the same in every collection; the other rankings (pixels, full
    text, places) show in its lead over the others.
    """
    lead = retrieved.evidence.score - typical
    return (1.0, _maxsim(retrieved, None, query), words_of(retrieved, query), lead)


def words_of(retrieved: RetrievedElement, query: WeightedQuery) -> float:
    """Return the weighted share (0 to 1) of the question's words that an element has, its context included."""
    element = retrieved.evidence.element
    return _coverage(query, f"{' '.join(element.section)} {element.caption} {element.text}")


def _fit(question: str, retrieved: RetrievedElement, span: tuple[int, int], query: WeightedQuery) -> float:
    """Return how well one piece of an element answers, to be compared with its other pieces."""
    quote = retrieved.evidence.element.text[span[0] : span[1]]
    return _maxsim(retrieved, span, query) + WORDS * _coverage(query, quote) + NUMBER * _number_fit(question, quote)


def _maxsim(retrieved: RetrievedElement, span: tuple[int, int] | None, query: WeightedQuery) -> float:
    """Return the MaxSim of the question with the tokens of one piece, or with all of an element and its context."""
    own = retrieved.similarities
    if span is not None and span[1]:
        own = own[(retrieved.offsets[:, 0] < span[1]) & (retrieved.offsets[:, 1] > span[0])]
    return float(own.max(axis=0) @ query.weights) if len(own) else 0.0


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
    """Return 1 when a number is asked for and there is one, -1 when there is none, 0 when none is asked for."""
    if not _WANTS_NUMBER.search(question):
        return 0.0
    return 1.0 if any(c.isdigit() for c in quote) else -1.0


def _coverage(query: WeightedQuery, text: str) -> float:
    """Return the share of the question's full-weight word tokens that occur in the text, at a word's beginning."""
    tokens, weights = query.tokens, query.weights
    lowered = text.lower()
    top = float(weights.max()) if len(weights) else 0.0
    wanted = [
        t for t, w in zip(tokens, weights.tolist(), strict=True) if w >= top and not t.startswith("##") and len(t) > 2
    ]
    if not wanted:
        return 0.0
    return sum(1 for t in wanted if re.search(r"\b" + re.escape(t[:-1] if len(t) > 4 else t), lowered)) / len(wanted)


def _speaks(text: str) -> bool:
    """Return True if a piece of a picture's text is made of words rather than of labels and ticks."""
    words = len(re.findall(r"[^\W\d_]{2,}", text))
    return words >= LABEL_WORDS and words >= LABEL_SHARE * len(text.split())


def _lines(element: Element) -> list[tuple[int, int]]:
    """Return the phrases of a picture's text, a line long at most, joined three at a time.

    Each three begin with the last of those before.
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
    """Return True if two quotes overlap in one element, or share most of their words."""
    if quote.evidence.element.id == other.evidence.element.id:
        return quote.start < other.end and other.start < quote.end
    a, b = set(quote.text.lower().split()), set(other.text.lower().split())
    return len(a & b) > SAME * min(len(a), len(b))
