"""Select the sentences and table rows of the evidence that answer, verbatim, with a calibrated confidence.

This is the embedded default answerer. It needs no language model: every piece of the evidence (a sentence, a table row,
a line of a picture) is scored by the similarities that late interaction already computed, and the best are quoted. A
quote cannot be unsupported; the confidence is the probability that it answers, and below a threshold Vouch abstains.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from indexing import NUMBERED_NAME, Element, Hints, numbered_name
from indexing.language import lower_words
from rag.logistic import log_odds, probability
from rag.methods.quote.form import FORM, FORM_FEATURES, coverage_of, form_of, plain_words, rarity_of
from rag.methods.quote.pieces import named_labels, pieces, speaks, with_subject
from rag.question import ASKING, conditions_of, is_foreign
from rag.retrieval import Retrieved
from rag.settings import RagSettings
from rag.types import CandidateRegion, Evidence, RetrievedElement, WeightedQuery

BEHIND = 0.3
"""The log-odds by which a further quote may be less likely to answer than the first and still belong to the answer."""
STEM = 4
"""The letters that two forms of a word share, at least."""

FEATURES = ("bias", "score", "words", "lead")
COEFFICIENTS = (-5.433, 5.204, 1.89, 5.974)
"""The coefficients of a logistic regression on elements, fitted by a program that is at commit 956a98c1.

The numbers are in docs/experiments/citations.md.
"""
ANSWERING_FEATURES = ("bias", "best MaxSim", "most words", "best score", "its lead")
ANSWERING = (-9.231, 4.495, 0.246, 9.768, 3.19)
"""The coefficients of a logistic regression on questions, fitted by a program that is at commit 956a98c1."""
ANSWERABLE_FEATURES = ("bias", "log-odds of answering", "conditions on a page", "conditions nowhere")
ANSWERABLE = (-1.997, 0.39, 1.824, -0.442)
"""The coefficients of a second one, on questions that their documents answer and on such that they do not."""
ANSWERS = (-1.526, 0.751, 0.316)
"""The coefficients of the mark of a quote: bias, log-odds that the document answers, log-odds of the quote.

They were fitted to what a reader who knew the answers called good (docs/experiments/citations.md).
"""
SHARPNESS = 15.0
"""The log-odds that a piece of an element loses for each unit of `_fit` by which another piece of it answers better."""
WORDS = 0.4
"""The weight, in the fit of a piece, of the question's own words."""
HEADING, PICTURED, CAPTION, NAMED = -0.4, -0.1, -0.2, 0.3
"""The weights, in the fit of a piece, of being a heading that does not count what is asked for, of the text and the
caption of a picture or table that nobody asked for, and of a caption that the question names ("Figure 3")."""
UNSURE = (
    "Not sure enough to answer: the confidence is {confidence}%, and the profile accepts the risk of a wrong answer "
    "only from {least} on (rag: {limit})."
)
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


def confidence_of(results: Retrieved) -> float:
    """Return the calibrated probability, 0 to 1, that the evidence holds the answer and the cited place is right."""
    results = results.quotable
    if not results.elements:
        return 0.0
    return probability(answerable(probability(answering(results), ANSWERING), results), ANSWERABLE)


def answers_of(confidence: float, quote: Quote) -> float:
    """Return the calibrated probability, 0 to 1, that a reader learns the answer from a quote.

    `confidence` is that of the complete answer, 0 to 1.
    """
    return probability((1.0, log_odds(confidence), log_odds(quote.confidence)), ANSWERS)


def too_unsure(
    results: Retrieved, settings: RagSettings, limit: Literal["min_confidence", "min_confidence_written"]
) -> str:
    """Return a message why nothing is answered; "" if the confidence reaches the `limit` (the name of a setting).

    It is "" too where the profile sets no limit of its own, or where nothing was found.
    """
    least, confidence = getattr(settings, limit), confidence_of(results)
    if limit not in settings.model_fields_set or confidence >= least or not results.evidence:
        return ""
    return UNSURE.format(confidence=int(100 * confidence), least=f"{least:.0%}", limit=limit)


def answering(results: Retrieved) -> tuple[float, ...]:
    """Return the values of `ANSWERING_FEATURES`."""
    scores = [element.evidence.score for element in results.elements]
    return (
        1.0,
        max(_maxsim(element, None, results.query) for element in results.elements),
        max(words_of(element, results.query) for element in results.elements),
        scores[0],
        scores[0] - float(np.median(scores)),
    )


def answerable(probability_found: float, results: Retrieved) -> tuple[float, ...]:
    """Return the values of `ANSWERABLE_FEATURES`; `probability_found` is the result of the model `ANSWERING`."""
    return (1.0, log_odds(probability_found), results.conditions.share, float(results.conditions.nowhere))


def quotes(question: str, hits: Retrieved) -> list[Quote]:
    """Return every quotable part of the evidence with its confidence, the most confident first."""
    candidates: list[Quote] = []
    typical = typical_of(hits.elements)
    why, contents = bool(_WHY.search(question)), bool(_CONTENTS.search(question))
    names = conditions_of(question)
    quotable = [_quotable(r.evidence.element, hits.hints, names, contents=contents) for r in hits.elements]
    texts = [r.evidence.element.text[a:b] for r, spans in zip(hits.elements, quotable, strict=True) for a, b in spans]
    rarity = rarity_of(question, texts)
    for result, spans in zip(hits.elements, quotable, strict=True):
        element = result.evidence.element
        about = [_relevance(result, span, hits.query, rarity) for span in spans]
        values = features(result, hits.query, typical)
        odds = sum(c * v for c, v in zip(COEFFICIENTS, values, strict=True))
        for span, before, fit in zip(spans, [None, *spans], about, strict=False):
            behind = SHARPNESS * (max(about) - fit - _form_score(question, element, span, hits.hints))
            (start, end), reason = span, why and bool(_REASON.search(element.text[slice(*span)]))
            if element.kind == "text":
                start = with_subject(element.text, before, start)
                if why and not reason:  # it often stands in the next sentence
                    end = next((b for a, b in spans if a >= end), end)
            candidates.append(Quote(result.evidence, start, end, probability((odds - behind,), (1.0,)), reason))
    return sorted(candidates, key=lambda q: -q.confidence)


def _quotable(element: Element, hints: Hints, names: Sequence[str], *, contents: bool) -> list[tuple[int, int]]:
    """Return the spans of an element that can be quoted, with lines of a table of contents if `contents` is True.

    Short labels of a picture count if they contain a name in the question.

    (0, 0) is the caption of a picture that has only labels, that the question names, or that has a name and no digits
    in its text: the title of an axis says less than the caption.
    """
    spans = pieces(element, contents=contents)
    spans += [label for label in named_labels(element, names) if label not in spans]
    if element.kind == "picture" and speaks(element.caption):
        name_match = NUMBERED_NAME.match(element.caption)
        has_figures = any(c.isdigit() for a, b in spans for c in element.text[a:b])
        if not spans or (name_match and (not has_figures or numbered_name(name_match) in hints.names)):
            return [(0, 0)]
    return spans


def shares_words(question: str, quote: Quote) -> bool:
    """Return True if a quote, with its headings and caption, has at least half of the words of a foreign question.

    Other forms of a word count, and so do compounds that begin with it. An English quote needs more than half, as two
    languages share names.
    """
    element = quote.evidence.element
    question_words = [word for word in plain_words(question) if len(word) >= STEM and word not in ASKING]
    there = plain_words(f"{' '.join(element.section)} {element.caption} {quote.text}")
    matches = sum(
        any(word.startswith(target[: max(STEM, len(target) - 2)]) for word in there) for target in question_words
    )
    return 2 * matches > len(question_words) or (2 * matches == len(question_words) and is_foreign(element.text))


def best_of(candidates: Sequence[Quote], regions: Sequence[CandidateRegion]) -> str:
    """Return the label of the evidence with the best quote, by its confidence and the probability of its region.

    The label is empty if no region contains a quote.
    """
    place = {label: region.probability for region in reversed(regions) for label in region.labels}

    def worth(quote: Quote) -> float:
        odds = quote.confidence / max(1.0 - quote.confidence, 1e-9)
        return float(place[quote.evidence.label] * odds**PLACE)

    in_regions = [quote for quote in candidates if quote.evidence.label in place]
    return max(in_regions, key=worth).evidence.label if in_regions else ""


def select(
    candidates: Sequence[Quote], regions: Sequence[CandidateRegion], settings: RagSettings
) -> list[QuotedSentence]:
    """Return the sentences of the answer, in the order of the regions.

    These are the best quote of each region and, while there is room, further quotes from the same elements that fit
    nearly as well or give a reason. A quote that repeats one from another region is a second proof of that sentence.
    """
    selection: list[list[tuple[Quote, CandidateRegion]]] = []
    further: list[tuple[Quote, CandidateRegion]] = []
    for region in regions:
        own = [q for q in candidates if q.evidence.label in region.labels]
        if not own:
            continue
        repeat = next((proofs for proofs in selection if _repeats(own[0], proofs[0][0])), None)
        if repeat is not None:
            repeat.append((own[0], region))
        elif len(selection) < settings.max_sentences:
            selection.append([(own[0], region)])
        same = [q for q in own[1:] if q.evidence.label == own[0].evidence.label]
        least = own[0].confidence - settings.sentence_margin
        further += [(q, region) for q in same if q.reason or q.confidence >= least]
    for quote, region in sorted(further, key=lambda pair: (not pair[0].reason, -pair[0].confidence)):
        if len(selection) < settings.max_sentences and not any(
            _repeats(quote, q) for proofs in selection for q, _ in proofs
        ):
            selection.append([(quote, region)])
    first = {proofs[0][0].evidence.label: n for n, proofs in reversed(list(enumerate(selection)))}
    order = sorted(selection, key=lambda proofs: (first[proofs[0][0].evidence.label], proofs[0][0].start))
    return [tuple(proofs) for proofs in order]


def is_part(sentence: QuotedSentence, first: QuotedSentence) -> bool:
    """Return True if a sentence belongs to the answer that begins with `first`; else it is shown beside the answer.

    The best quote, one that gives the reason asked for, and one that answers nearly as well belong to it.
    """
    (quote, region), (best, place) = sentence[0], first[0]
    if quote is best or quote.reason:
        return True
    if quote.evidence.element.cells:  # rows of a table are alike: one of them was asked for
        return False
    behind = log_odds(best.confidence) - log_odds(quote.confidence)
    return behind <= BEHIND and region.probability >= place.probability / 2


def typical_of(elements: Sequence[RetrievedElement]) -> float:
    """Return the median score of all that was retrieved, 0 when there is nothing."""
    return float(np.median([element.evidence.score for element in elements])) if elements else 0.0


def features(result: RetrievedElement, query: WeightedQuery, typical: float) -> tuple[float, ...]:
    """Return the values behind `FEATURES` for an element; `typical` is that of `typical_of`.

    The score is that of the text alone, which means the same in every collection; the other rankings (pixels, full
    text, places) show in its lead over the others.
    """
    lead = result.evidence.score - typical
    return (1.0, _maxsim(result, None, query), words_of(result, query), lead)


def words_of(result: RetrievedElement, query: WeightedQuery) -> float:
    """Return the weighted share (0 to 1) of the question's words that an element has, its context included."""
    element = result.evidence.element
    return _coverage(query, f"{' '.join(element.section)} {element.caption} {element.text}")


def _relevance(
    result: RetrievedElement, span: tuple[int, int], query: WeightedQuery, rarity: Mapping[str, float]
) -> float:
    """Return a score of how far one piece of an element is about the question, to compare it with its other pieces."""
    quote = result.evidence.element.text[span[0] : span[1]]
    return _maxsim(result, span, query) + WORDS * coverage_of(quote, rarity)


def _form_score(question: str, element: Element, span: tuple[int, int], hints: Hints) -> float:
    """Return the score of a quote's form: if it has the kind of value asked for, and reads like an answer."""
    text = element.text[span[0] : span[1]] if span[1] else element.caption
    values = dict(zip(FORM_FEATURES, form_of(question, text), strict=True))
    if element.kind == "table" or element.cells:
        values["cut off"] = 0.0
    form = sum(weight * values[name] for name, weight in zip(FORM_FEATURES, FORM, strict=True))
    if element.kind == "heading" and max(values["counted"], values["share"]) <= 0:
        form += HEADING
    if match := NUMBERED_NAME.match(text):
        return form + (NAMED if numbered_name(match) in hints.names else CAPTION)
    if element.kind == "picture" and not (hints.pictures or hints.names):
        form += PICTURED
    return form


def _maxsim(result: RetrievedElement, span: tuple[int, int] | None, query: WeightedQuery) -> float:
    """Return the MaxSim of the question with the tokens of one piece, or with all of an element and its context."""
    own = result.similarities
    if span is not None and span[1]:
        own = own[(result.offsets[:, 0] < span[1]) & (result.offsets[:, 1] > span[0])]
    return float(own.max(axis=0) @ query.weights) if len(own) else 0.0


_CONTENTS = re.compile(r"\b(?:contents|chapters?|sections?|append(?:ix|ices)|index)\b", re.IGNORECASE)
"""The words of a question about the parts of a document, which its table of contents answers."""


_WHY = re.compile(
    r"\b(why|how come|what (caused|led to)|reasons?|warum|weshalb|wieso|pourquoi|por qué|perché)\b", re.IGNORECASE
)
_REASON = re.compile(
    r"\b(because|caus(e[sd]?|ing)|due to|owing to|thanks to|reasons?|result(s|ed|ing)? (of|from)|led to|since|"
    r"therefore|weil|wegen|aufgrund|grund|parce que|à cause|grâce à|porque|debido a|perché|a causa)\b",
    re.IGNORECASE,
)


def _coverage(query: WeightedQuery, text: str) -> float:
    """Return the share of the question's full-weight word tokens that occur in the text, at a word's beginning."""
    lower, top = text.lower(), float(query.weights.max(initial=0.0))
    words = [
        token for token, weight in zip(query.tokens, query.weights.tolist(), strict=True)
        if weight >= top and not token.startswith("##") and len(token) > 2
    ]  # fmt: skip
    there = sum(bool(re.search(r"\b" + re.escape(t[:-1] if len(t) > 4 else t), lower)) for t in words)
    return there / len(words) if words else 0.0


def _repeats(quote: Quote, other: Quote) -> bool:
    """Return True if two quotes overlap in one element, or have the same words, case and punctuation aside."""
    if quote.evidence.element.id == other.evidence.element.id:
        return quote.start < other.end and other.start < quote.end
    return lower_words(quote.text) == lower_words(other.text)
