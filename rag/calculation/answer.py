"""The retrieved evidence -> the sentence that was computed in code, with every cell that it used cited; or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from indexing import BBox, Collection, Element
from rag.attribution.localize import boxes_of
from rag.calculation.calculate import Calculation, calculate
from rag.calculation.counts import element_count, mentions
from rag.calculation.lexicon import CALLS
from rag.calculation.question import asked_of
from rag.calculation.sheet import Entry
from rag.options import Question
from rag.types import Citation, Evidence, Sentence

MOST_TABLES = 3
"""The tables, best first, that are tried."""
MOST_QUOTED = 1500
"""The most characters of a table that a computed sentence quotes; the boxes show every cell all the same."""


def counted(asked: Question, collection: Collection) -> Sentence | None:
    """Return the sentence that counts pages, tables, figures, sections or mentions; None for another question.

    It is the whole answer. Raises CollectionDamaged.
    """
    documents = [collection.document(name) for name in asked.documents] or list(collection.documents())
    manner = "counted in the catalogue"
    found = element_count(asked.text, collection, documents)
    if found is None:
        manner = "counted in the text"
        found = mentions(asked.text, collection, documents)
    if found is None:
        return None
    return _sentence(found.named or str(found.number), found.working, found.citations, manner, None)


def with_computed(
    question: str, evidence: Sequence[Evidence], sentences: list[Sentence], most: int, confidence: float = 1.0
) -> list[Sentence]:
    """Return the sentences of an answer, at most `most`, the computed one first where the question calls for one.

    It is then the answer, and the quotes stand beside it. `confidence`, 0 to 1, is that of the evidence: a calculation
    is no more likely to answer than its table is to be the right place. It is done only where something is quoted.
    """
    computed = computed_from(question, evidence, confidence) if sentences else None
    if computed is None:
        return sentences
    return [computed, *(replace(each, beside=True, short=None) for each in sentences)][:most]


def computed_from(question: str, evidence: Sequence[Evidence], confidence: float = 1.0) -> Sentence | None:
    """Return the calculation that is most probably right, of the best tables of the evidence; None without one.

    Its `answers` is the probability that it is right, times the `confidence` (0 to 1) of the evidence.
    """
    if not CALLS.intersection(asked_of(question).signs):
        return None
    tables = [item for item in evidence if item.element.kind == "table"][:MOST_TABLES]
    made = [
        (item, found)
        for item in tables
        if (found := calculate(question, item.element)) and found.calculated and found.cells
    ]
    if not made:
        return None
    item, best = max(made, key=lambda pair: pair[1].probability)
    return _sentence(
        ", ".join(best.answer), best.working, (_citation(item, best),), best.manner, best.probability * confidence
    )


def _citation(item: Evidence, made: Calculation) -> Citation:
    """Return the place of a calculation: each cell that it used in a box of its own, their heads and labels around."""
    element = item.element
    boxes = _boxes(element, made.cells)
    start = min(e.start for e in made.cells)
    ends = [e.end for e in made.cells if e.end - start <= MOST_QUOTED]
    quote = element.text[start : max(ends, default=start)]
    return Citation.of(item, quote, boxes, [b for b in _boxes(element, made.names) if b not in boxes])


def _boxes(element: Element, entries: Sequence[Entry]) -> list[BBox]:
    by_span = {(c.start, c.end): c.bbox for c in element.cells}
    found: list[BBox] = []
    for entry in entries:
        box = by_span.get((entry.start, entry.end))
        found += [box] if box is not None else boxes_of(element, entry.start, entry.end)
    return list(dict.fromkeys(found))


def _sentence(
    answer: str, working: str, citations: tuple[Citation, ...], manner: str, answers: float | None
) -> Sentence:
    """Return the answer with its working in brackets, as a sentence whose short answer is the answer."""
    text = f"{answer} ({working})."
    return Sentence(text, citations, "computed", manner, answers, short=(0, len(answer)))
