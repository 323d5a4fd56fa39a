"""The disagreements beside an answer: its cited values, compared with all that was retrieved for it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from indexing import Element
from indexing.language import tokens
from plugins.conflicts.compare import ConflictingValues, disagree, disagreements_of
from plugins.conflicts.statements import StatedValue, statements_of
from rag import CLAIMED, Citation, Crops, Evidence, Judge, Sentence
from rag.attribution import judge_of
from rag.attribution.localize import boxes_of, localize
from rag.methods import Draft, MethodContext

HEADING = "Documents disagree"
"""The heading over the disagreements that an answer is shown with."""
MOST_SHOWN, MOST_PLACES = 3, 4
"""The most disagreements beside an answer, and the most places that one of them cites."""
MOST_CITED = 40
"""The most values of an answer that are compared."""
REASON = "the same words with another value; code compared them"
LEAST_PROBABILITY = 0.5
"""The least probability, 0 to 1, with which a judge must find both values in one place to drop a pair."""


def remarks_on(draft: Draft, context: MethodContext) -> tuple[Sentence, ...]:
    """Return a sentence for each disagreement about a value that the answer cites, with citations of both sides."""
    evidence = {item.label: item for item in draft.evidence}
    documents = {document.id: document for document in context.collection.documents()}

    def read(label: str) -> list[StatedValue]:
        """Return the values that the evidence with this label states; none if its document is gone."""
        document = documents.get(evidence[label].element.doc_id)
        return statements_of(evidence[label].element, document) if document is not None else []

    values = {c.label: read(c.label) for s in draft.sentences for c in s.proof if c.label in evidence and not s.beside}
    citations: dict[StatedValue, Citation] = {}
    for sentence in draft.sentences:
        for citation in sentence.proof if not sentence.beside else ():
            for one in values.get(citation.label, ()):
                if _is_cited(one, sentence.text, citation.quote) and len(citations) < MOST_CITED:
                    citations.setdefault(one, citation)
    if not citations:
        return ()
    for label, item in evidence.items():
        if label not in values and _may_share_subject(item.element, citations):
            values[label] = read(label)
    others = {one: evidence[label] for label, every in values.items() for one in every}
    results = disagreements_of((one, other) for one in citations for other in others if disagree(one, other))
    judge = _judge(draft, context) if results else None
    remaining = [result for result in results if judge is None or is_confirmed(result, judge)]
    return tuple(_sentence(result, citations, others) for result in remaining[:MOST_SHOWN])


def _is_cited(one: StatedValue, text: str, quote: str) -> bool:
    """Return True if a sentence has the value of a statement, and its quote contains it or is not contiguous text."""
    at = one.element.text.find(quote)
    inside = at < 0 or at <= one.start < at + len(quote)
    return inside and re.search(rf"(?<!\w){re.escape(one.wording)}(?!\w)", text) is not None


def _may_share_subject(element: Element, own: Iterable[StatedValue]) -> bool:
    """Return True if an element has all subject words of one of the statements: a fast filter before reading it."""
    stems = {
        word for t in tokens(" ".join((element.text, element.caption, *element.section))) for word in (t.stem, t.key)
    }
    return any(one.subject <= stems for one in own)


def is_confirmed(result: ConflictingValues, judge: Judge) -> bool:
    """Return False if a judge finds that the element of the second side supports the statement of the first."""
    first, second = result.sides[0][0], result.sides[1][0]
    opinion = judge.judge(first.statement, [second.element])
    return opinion is None or opinion.probability < LEAST_PROBABILITY


def _judge(draft: Draft, context: MethodContext) -> Judge | None:
    """Return the judge of the context, or one for an answer with claims of a model; None for quotes alone."""
    if context.judge is not None or not any(s.verdict in CLAIMED for s in draft.sentences):
        return context.judge
    writing = context.settings.writing
    crops = Crops(context.collection, writing.page_width, writing.picture_side)
    return judge_of(context.settings, context.model(), crops, None)


def _sentence(
    result: ConflictingValues, own: dict[StatedValue, Citation], others: dict[StatedValue, Evidence]
) -> Sentence:
    places = [one for side in result.sides for one in side[: MOST_PLACES // len(result.sides) or 1]][:MOST_PLACES]
    citations = tuple(dict.fromkeys(own.get(one) or citation_of(one, others[one]) for one in places))
    return Sentence(f"{result}.", citations, "computed", REASON, beside=True, heading=HEADING)


def citation_of(one: StatedValue, evidence: Evidence) -> Citation:
    """Return the citation of a statement: the lines of its sentence, or its cell with the cells that explain it."""
    element = evidence.element
    if element.cells:
        place = localize(one.sentence, element, (one.within,))
        return Citation.of(evidence, one.statement, place.boxes, place.context)
    return Citation.of(evidence, one.sentence, boxes_of(element, *one.within))
