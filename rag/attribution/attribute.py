"""Check a sentence against what it cites: confirmed by words or by a judge, contradicted, or unconfirmed.

The steps, each of which may decide:

1. A sentence that claims nothing is a remark.
2. The words of all that it cites, taken together, confirm it (`rag.attribution.rules`).
3. The words of something else that was found confirm it: that place is cited, too.
4. The cited place speaks of the same thing and says another value: it is contradicted.
5. A judge reads and looks at what it cites, and confirms it. What a model sees in a picture cannot be refuted by the
   words that OCR read off it, so here the judge's word stands.

A sentence that none of these decides is unconfirmed, and keeps the places that it names: nothing is taken away from it
but what is shown to be wrong. A citation never moves to another element.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from indexing import Element
from rag.attribution.judge import CONFIRMS
from rag.attribution.localizer import BY_WORDS, localize
from rag.attribution.orders import order_in
from rag.attribution.rules import Compared, compare
from rag.attribution.statements import plain, strip_marks
from rag.attribution.words import claims_nothing, find_quotes
from rag.types import Citation, CitationRole, Evidence, Judge, Localizer, Sentence
from rag.verdicts import Conflict

Search = Callable[[str], Sequence[Evidence]]
"""A function that returns the evidence found for a claim, best first."""
MAX_SENTENCE = 4000
"""The most characters of a sentence that is checked."""
SPEAKS = 0.3
"""The least share of a sentence in what it cites from which no other place is looked for that says it."""
NEAR = 0.4
"""The least share of a sentence in a place that is shown as the nearest, where the sentence names none."""
ASKED = 3
"""The most places about which a judge is asked where a sentence names none."""
NOTHING = "it names no source, and nothing was found that says it"


@dataclass(frozen=True, slots=True)
class Checker:
    """A checker of sentences: call it with a sentence and the evidence that it names.

    `about` is the question that the sentences answer and the headings above them, from the outermost: a sentence that
    says little ("It was 43%") is read with these words, which are no claims of its own. `context` holds for all
    elements, such as the title of their document. `search` finds evidence for a sentence that names none; the `judge`
    decides what comparing words leaves open.
    """

    judge: Judge | None = None
    localizer: Localizer = BY_WORDS
    about: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    search: Search | None = None

    def __call__(self, text: str, cited_evidence: Sequence[Evidence], evidence: Sequence[Evidence]) -> Sentence:
        """Return a sentence with the outcome of checking, and its citations.

        `cited_evidence` is the evidence that it names, `evidence` all evidence that was retrieved, best first.
        """
        sources = _each_once(cited_evidence)
        if len(text) > MAX_SENTENCE:
            reason = f"only sentences of up to {MAX_SENTENCE} characters are checked"
            return Sentence(text, _unconfirmed_citations(sources), "unconfirmed", reason)
        claim = strip_marks(plain(text))
        if nothing := claims_nothing(claim, self.about[0] if self.about else ""):
            return Sentence(text, _unconfirmed_citations(sources), "remark", nothing)
        here = self._compare(claim, sources)
        if here.outcome == "confirmed":
            return self._confirm(text, claim, sources, here)
        elsewhere, there = self._elsewhere(claim, sources, evidence, here)
        if there is not None and there.outcome == "confirmed":
            sentence = self._confirm(text, claim, elsewhere, there)
            return replace(sentence, citations=(*sentence.citations, *_unconfirmed_citations(sources)))
        for items, result in ((sources, here), (elsewhere, there)):
            if result is not None and result.outcome == "contradicted" and (items is elsewhere) <= (not sources):
                return self._contradict(text, claim, items, result)
        return self._ask_judge(text, claim, sources, elsewhere, there if there is not None and not sources else here)

    def _compare(self, claim: str, items: Sequence[Evidence]) -> Compared:
        return compare(claim, [item.element for item in items], about=self.about, context=self.context)

    def _elsewhere(
        self, claim: str, sources: Sequence[Evidence], evidence: Sequence[Evidence], here: Compared
    ) -> tuple[list[Evidence], Compared | None]:
        """Return other evidence that decides about a claim, from `evidence` or a search, and its comparison.

        Return ([], None) if there is none, or if the named evidence already has a share of SPEAKS of the claim.
        """
        if sources and here.coverage >= SPEAKS:
            return [], None
        named_ids = {item.element.id for item in sources}
        candidates = [item for item in _each_once(evidence) if item.element.id not in named_ids]
        best = self._best(claim, candidates)
        if self.search is not None and (best is None or best[1].outcome != "confirmed"):
            named_ids |= {item.element.id for item in candidates}
            match = self._best(claim, [item for item in self.search(claim) if item.element.id not in named_ids])
            best = max((b for b in (best, match) if b is not None), key=_decisiveness, default=None)
        return best if best is not None else ([], None)

    def _best(self, claim: str, items: Sequence[Evidence]) -> tuple[list[Evidence], Compared] | None:
        """Return the item that decides about a claim, else the one with most of it, with its comparison; None of none.

        If none decides alone, but the best few together confirm the claim, return these.
        """
        pairs = [([item], self._compare(claim, [item])) for item in items]
        best = max(pairs, key=_decisiveness, default=None)
        if best is None or best[1].outcome != "open" or len(items) < 2:
            return best
        few = [item for item, _ in sorted(((i, c) for (i,), c in pairs), key=lambda pair: -pair[1].coverage)[:ASKED]]
        together = self._compare(claim, few)
        return (few, together) if together.outcome == "confirmed" else best

    def _confirm(self, text: str, claim: str, items: Sequence[Evidence], result: Compared) -> Sentence:
        """Return the sentence as confirmed; it cites the items that prove it first, then the others it names."""
        proofs = dict(result.proofs)
        citations = tuple(
            self._citation(claim, item, proofs[n]) if n in proofs else _cite(item, "unconfirmed")
            for n, item in enumerate(items)
        )
        proving = sorted(citations, key=lambda c: c.role != "proves")
        return Sentence(text, tuple(proving), "confirmed", result.reason, certainty=result.coverage, checked_by="words")

    def _contradict(self, text: str, claim: str, items: Sequence[Evidence], result: Compared) -> Sentence:
        """Return the sentence as contradicted; it cites the item that says something else, then the others it names."""
        assert result.against is not None  # noqa: S101  a contradiction has its place
        assert result.difference is not None  # noqa: S101
        item, difference = items[result.against], result.difference
        element = item.element
        conflict = Conflict(
            _one_line(claim, difference.said), _one_line(element.text, difference.found), _source(element)
        )
        conflict = replace(conflict, at=_only_place(text, conflict.said))
        boxes = element.words.line_boxes(*difference.found) or element.words.line_boxes(*difference.place)
        around = localize(claim, element, (difference.place,)).context if element.cells else ()
        quote = element.text[slice(*difference.place)]
        against = replace(Citation.of(item, quote, boxes, around), role="contradicts")
        others = _unconfirmed_citations([other for n, other in enumerate(items) if n != result.against])
        return Sentence(
            text, (against, *others), "contradicted", str(conflict), conflict=conflict, certainty=1.0 - result.coverage
        )

    def _ask_judge(
        self, text: str, claim: str, sources: Sequence[Evidence], near: Sequence[Evidence], result: Compared
    ) -> Sentence:
        """Return the sentence as confirmed if the judge finds it in the named, else nearest, items; or unconfirmed."""
        items = list(sources) or (list(near)[:ASKED] if result.coverage >= NEAR else [])
        reason = result.reason if items else NOTHING
        if self.judge is not None and items:
            elements = [item.element for item in items]
            if order := _instruction_in(claim, elements, self.context):
                reason = f"the cited place gives orders to its judge ({order!r}), so none was asked: {reason}"
            elif (opinion := self.judge.judge(claim, elements, " ".join(self.about))) is not None:
                if opinion.probability >= CONFIRMS and (number := _number_that_a_text_lacks(result, elements)):
                    reason = f"the judge found it there, but {number} is not in the text"
                elif opinion.probability >= CONFIRMS:
                    citations = tuple(self._cite_for_judge(claim, item) for item in items)
                    why = opinion.reason or "the judge found it there"
                    return Sentence(
                        text, citations, "confirmed", why, certainty=opinion.probability, checked_by="judge"
                    )
                else:
                    reason = opinion.reason or reason
        return Sentence(text, _unconfirmed_citations(items), "unconfirmed", reason, certainty=result.coverage)

    def _citation(self, claim: str, item: Evidence, spans: Sequence[tuple[int, int]]) -> Citation:
        """Return a citation of the lines or cells at `spans`; of the element alone if the localizer is unsure."""
        place = self.localizer(claim, item.element, spans)
        quote = " ".join(item.element.text[a:b] for a, b in spans)
        return Citation.of(item, quote, place.boxes, place.context)

    def _cite_for_judge(self, claim: str, item: Evidence) -> Citation:
        """Return a citation of what a judge saw: lines and cells of a text, or an entire figure."""
        if item.element.needs_picture:
            return _cite(item, "proves")
        place = self.localizer(claim, item.element)
        return Citation.of(item, "", place.boxes, place.context)


def relocate_citations(sentence: Sentence, elements: Sequence[Element], localizer: Localizer) -> Sentence:
    """Return the sentence with new boxes of its proofs by `localizer`; `elements` include those that it cites."""
    by_id = {e.id: e for e in elements}

    def redraw(citation: Citation) -> Citation:
        if citation.role != "proves" or citation.element_id not in by_id:
            return citation
        place = localizer(citation.quote or sentence.text, by_id[citation.element_id])
        return replace(citation, boxes=place.boxes, context=place.context)

    return replace(sentence, citations=tuple(map(redraw, sentence.citations)))


def _decisiveness(pair: tuple[Sequence[Evidence], Compared]) -> tuple[int, float]:
    """Return a sort key of a comparison: by outcome (confirmed is highest), then by coverage."""
    return ("open", "contradicted", "confirmed").index(pair[1].outcome), pair[1].coverage


def _instruction_in(claim: str, elements: Sequence[Element], context: Sequence[str]) -> str:
    """Return an instruction to the judge in the texts that it would be shown, such as "answer yes"; else ""."""
    texts = [claim, *context]
    texts += [text for e in elements for text in (e.text, e.caption, *e.section[-3:])]
    return next((order for text in texts if (order := order_in(text))), "")


def _number_that_a_text_lacks(result: Compared, elements: Sequence[Element]) -> str:
    """Return a number of the sentence that its cited elements lack, if all of these are plain text; "" otherwise.

    A text layer shows exactly which numbers it has, so a judge that finds another one was misled. From figures and
    tables a judge can read or compute numbers that are not in their text.
    """
    if any(element.needs_picture or element.cells or element.source != "layer" for element in elements):
        return ""
    return next((word for word in result.missing if any(map(str.isdigit, word))), "")


def _cite(item: Evidence, role: CitationRole) -> Citation:
    return replace(Citation.of(item, "", ()), role=role)


def _unconfirmed_citations(items: Sequence[Evidence]) -> tuple[Citation, ...]:
    return tuple(_cite(item, "unconfirmed") for item in items)


def _one_line(text: str, span: tuple[int, int]) -> str:
    """Return the characters of a span of a text, on one line."""
    return " ".join(text[slice(*span)].split())


def _only_place(text: str, words: str) -> tuple[int, int] | None:
    """Return the (start, end) of words in a text if they occur exactly once, else None."""
    places = find_quotes(text, words) if words else []
    return places[0] if len(places) == 1 else None


def _source(element: Element) -> str:
    return "table" if element.cells or element.kind == "table" else "figure" if element.needs_picture else "text"


def _each_once(cited_evidence: Sequence[Evidence]) -> list[Evidence]:
    """Return the evidence with each element once; of a table named several times, a named row is preferred."""
    by_element: dict[str, Evidence] = {}
    for item in cited_evidence:
        if item.element.id not in by_element or by_element[item.element.id].row is None:
            by_element[item.element.id] = item
    return list(by_element.values())
