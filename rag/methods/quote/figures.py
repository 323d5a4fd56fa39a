"""Point to the figure that holds an answer, where a quote of it would only be its caption, its legend or an axis."""

from __future__ import annotations

import re
from collections.abc import Sequence

from indexing import NUMBERED_NAME, BBox, Element, Hints, numbered_name
from indexing.language import STOPWORDS, stem
from rag.attribution.localize import boxes_of
from rag.methods.quote.form import FORM_FEATURES, form_of, plain_words, wanted_of
from rag.methods.quote.select import Quote
from rag.question import ASKING, conditions_of
from rag.types import Citation, Evidence, Sentence

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
