"""Find the regions that a careful reader would mark, and point to a figure where a quote of it would not do.

Retrieval ranks passages; people mark the complete paragraph, the table, the figure with its caption. Every element that
was retrieved, and every group that holds one, is a candidate. A logistic model weighs the evidence retrieved inside it,
the kind and number of its parts and the kind of thing the question asks for; it gives the probability that a reader
marks just this region. Of regions that do not overlap, as many are cited as raise the expected F1.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from indexing import NUMBERED_NAME, BBox, Element, Hints, numbered_name
from indexing.language import STOPWORDS, stem
from rag.attribution import boxes_of
from rag.logistic import probability
from rag.methods.quote.form import FORM_FEATURES, form_of, plain_words, wanted_of
from rag.methods.quote.select import Quote
from rag.question import ASKING, conditions_of
from rag.types import CandidateRegion, Citation, Evidence, RankedPage, Sentence

SHARED, SHARED_NAMED = 0.6, 0.25
"""The least share of the question's words that a figure has in its caption, its title, its legend and its labels; and
where the question speaks of a figure."""
TITLE_WORDS, LEAST_SHORTENED = 12, 3
"""The most words of a figure's title right before it, and the least letters of a label such as "Nov" for a name."""
READS, READ = 0.2, 3
"""The least share of stop words in a label that reads like a sentence, and the least number: it may say the answer."""
_ASKS_VALUE = re.compile(
    r"\b(?:which|what|where|who|whose|when|how (?:many|much|old|long|high|far|large|big|often|fast|tall|heavy|deep)|"
    r"welche[rsmn]?|wo|wer|wann|wie ?viele?|wie (?:hoch|alt|lang|gro(?:ß|ss))|quel(?:le)?s?|où|qui|quand|combien)\b",
    re.IGNORECASE,
)
_ASKS_TEXT = re.compile(
    r"\b(?:why|how come|title|caption|warum|weshalb|pourquoi|(?:show|depict|illustrate|represent|describe)s?\W*$)",
    re.IGNORECASE,
)
"""A question that the words of a figure answer: why, or what it shows."""


_BEGINS_CAPTION = re.compile(
    r"(?:fig(?:ure|\.)?|chart|graph|diagram|exhibit|abb(?:ildung|\.)?)\s*[A-Z]{0,3}\d", re.IGNORECASE
)


def figure_of(question: str, quote: Quote, page: Sequence[Element], hints: Hints) -> Element | None:
    """Return the figure in which a question for a value is answered, if the quote is of its labels or its caption.

    `page` has the elements of the quote's page. None if the quote says the answer, or if the figure is of another
    thing: its caption and labels lack a name or too many words of the question.
    """
    if not _ASKS_VALUE.search(question) or _ASKS_TEXT.search(question):
        return None
    element, beside = quote.evidence.element, [e for e in page if e.kind != "group"]
    if element.kind == "picture":
        figure = element if quote.of_caption or not _reads_like_answer(question, quote.text) else None
    elif element.kind == "caption":
        figure = next((e for e in beside if e.kind == "picture" and element.text in e.caption), None)
    else:  # a caption that was not made out as one
        at = next((n for n, e in enumerate(beside) if e.id == element.id), 0)
        near = beside[max(at - 1, 0) : at + 2] if _BEGINS_CAPTION.match(element.text) else ()
        figure = next((e for e in near if e.kind == "picture"), None)
    if figure is None or (wanted_of(question).number and figure.text and not any(map(str.isdigit, figure.text))):
        return None
    name_match = NUMBERED_NAME.match(figure.caption)
    if name_match and numbered_name(name_match) in hints.names:
        return figure
    place = next((n for n, e in enumerate(beside) if e.id == figure.id), 0)
    title = [e.text for e in beside[max(place - 1, 0) : place] if len(e.text.split()) <= TITLE_WORDS]
    words = plain_words(" ".join((figure.caption, *figure.section[-1:], *title, figure.text, element.text)))
    names = () if hints.pictures else plain_words(" ".join(conditions_of(question)))
    prefixes = tuple(word for word in words if len(word) >= LEAST_SHORTENED)
    if not all(name in words or any(map(name.startswith, prefixes)) for name in names):
        return None
    own = set(map(stem, words))
    stems = {stem(word) for word in plain_words(question)} - {stem(word) for word in ASKING}
    return figure if stems and len(stems & own) >= (SHARED_NAMED if hints.pictures else SHARED) * len(stems) else None


def _reads_like_answer(question: str, label: str) -> bool:
    """Return True for a label that has the form of the answer, a number for "how many", or reads like a sentence."""
    values = dict(zip(FORM_FEATURES, form_of(question, label), strict=True))
    words = label.lower().split()
    reads = sum(word in STOPWORDS for word in words) >= max(READ, READS * len(words))
    return reads or max(values[name] for name in ("number", "share", "date", "name")) > 0


def figure_sentence(figure: Element, evidence: Evidence, page: Sequence[Element]) -> Sentence:
    """Return the sentence that points to a figure: it cites all of the figure, with its caption."""
    figure_evidence = Evidence(evidence.label, figure, evidence.document, evidence.score, evidence.found_by)
    citation = Citation.of(figure_evidence, figure.caption, (), caption_boxes(figure, page))
    return Sentence(f"This is in the figure on page {figure.page}.", (citation,), "shown")


def caption_boxes(picture: Element, elements: Sequence[Element]) -> list[BBox]:
    """Return the boxes of the lines of a picture's caption."""
    page = [e for e in elements if (e.doc_id, e.page, e.kind) == (picture.doc_id, picture.page, "caption")]
    return [box for e in page if e.text in picture.caption for box in boxes_of(e, 0, len(e.text))]


REGION_FEATURES = (
    "bias", "score", "page lead", "page order", "parts", "group", "area", "with a picture", "with a table", "a list",
    "led by a heading", "led by a caption", "not the picture asked for", "cover", "table", "picture", "words",
    "share of the evidence", "length",
)  # fmt: skip
COEFFICIENTS = (
    -3.001, 1.088, 4.097, -0.767, -0.364, -0.296, 0.254, 1.613, 2.137, 0.595, 0.312, 0.484, -0.641, 0.226, 1.688, 1.393,
    1.471, 4.103, -0.098,
)  # fmt: skip
"""The coefficients, fitted by a program that is at commit 956a98c1: numbers in docs/experiments/citations.md."""
MARKED_REGIONS = 2.25
"""The number of regions that people mark for a question, on average; the expected F1 of a choice depends on it."""
WIDEST = 0.1
"""The largest share of its page that a group may cover to be cited: a wider one would point at everything."""
APART = 0.3
"""The IoU above which two regions of a page are cited once."""
INSIDE = 0.8
"""The share of the smaller region in the other above which the two are cited once, too."""


def candidate_regions(
    evidence: Sequence[Evidence],
    words: Sequence[float],
    pages: Sequence[RankedPage],
    around: Mapping[tuple[str, int], Sequence[Element]],
    hints: Hints,
) -> list[CandidateRegion]:
    """Return the regions that could be cited, the most probable first.

    `words` has the share of the question's words in each item of evidence, `pages` the ranked pages, `around` all
    elements, with groups, of the pages (document, number) of the evidence.
    """
    regions: list[CandidateRegion] = []
    total = sum(max(e.score, 0.0) for e in evidence) or 1.0
    best = max((p.score for p in pages), default=0.0)
    leads = {(p.doc_id, p.number): p.score - best for p in pages}  # how far a page is behind the best one, 0 or less
    for order, page in enumerate(dict.fromkeys((e.element.doc_id, e.element.page) for e in evidence)):
        here = {e.element.id: n for n, e in enumerate(evidence) if (e.element.doc_id, e.element.page) == page}
        by_id = {e.id: e for e in around[page]}
        for element in by_id.values():
            parts = element.parts or (element.id,)
            members = sorted(here[part] for part in parts if part in here)
            if members and not (element.kind == "group" and element.bbox.area > WIDEST):
                own = [evidence[n] for n in members]
                values = (
                    *(1.0, own[0].score, leads.get(page, min(leads.values(), default=0.0)), math.log1p(order)),
                    *_part_values(element, [by_id[p] for p in parts if p in by_id], own, hints),
                    max(words[n] for n in members),
                    sum(max(e.score, 0.0) for e in own) / total,
                    math.log1p(len(element.text)),
                )
                likely = probability(values, COEFFICIENTS)
                regions.append(CandidateRegion(element, likely, tuple(e.label for e in own), values))
    return sorted(regions, key=lambda r: -r.probability)


def choose(regions: Sequence[CandidateRegion], most: int, label: str = "") -> list[CandidateRegion]:
    """Return at most `most` regions to cite, without overlaps, that maximize the expected F1.

    The first is the most probable region with the evidence `label`, that of the best quote, which the answer needs.
    """
    ranking = sorted(regions, key=lambda r: -r.probability)
    first = next((n for n, region in enumerate(ranking) if label in region.labels), 0)
    selection: list[CandidateRegion] = []
    mass = 0.0
    for region in [*ranking[first : first + 1], *ranking]:
        n = len(selection)
        if n == most:
            break
        if any(_same_place(region.element, other.element) for other in selection):
            continue
        if n and (mass + region.probability) / (n + 1 + MARKED_REGIONS) <= mass / (n + MARKED_REGIONS):
            break
        selection.append(region)
        mass += region.probability
    return selection


def _part_values(
    element: Element, parts: Sequence[Element], own: Sequence[Evidence], hints: Hints
) -> tuple[float, ...]:
    """Return the features of the kinds and sizes of a region's parts, and of the best evidence in it (`own[0]`)."""
    kinds = Counter(part.kind for part in parts)
    group, lead = element.kind == "group", own[0].element.kind
    coverage = sum(e.element.bbox.area for e in own) / max(element.bbox.area, 1e-6)
    return (
        math.log(max(len(parts), 1)),
        float(group),
        math.log(element.bbox.area + 1e-3),
        float(group and kinds["picture"] > 0),
        float(group and kinds["table"] > 0),
        float(group and kinds["list"] >= len(parts) - 1),
        float(group and lead == "heading"),
        float(group and lead == "caption"),
        float(hints.pictures and not kinds["picture"]),
        min(1.0, coverage) if group else 1.0,
        float(element.kind == "table"),
        float(element.kind == "picture"),
    )


def _same_place(a: Element, b: Element) -> bool:
    """Return True if two elements of a page overlap so far that only one of them is cited."""
    if (a.doc_id, a.page) != (b.doc_id, b.page):
        return False
    return a.bbox.iou(b.bbox) > APART or a.bbox.overlap(b.bbox) > INSIDE * min(a.bbox.area, b.bbox.area)
