"""Compare a sentence with all the elements that it cites together: the public face of checking by words.

Confirmed: every number, name, word, negation and order of the sentence stands in what is cited, tied as the sentence
ties it. Contradicted: the cited place, aligned to the same subject, says another value. Open: all else, and why.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Literal

from indexing import Element, without_struck
from indexing.language import Quantity, agree
from rag.attribution.rules.claim_match import items_of
from rag.attribution.rules.differences import difference
from rag.attribution.rules.grids import read_table
from rag.attribution.rules.prose import Difference, TextReading, read_text
from rag.attribution.sums import comparison_fits, derived_quantities, mistake
from rag.attribution.words import Claims, best_quote, claims_of, clauses, complete_claim, grid_of, lexicon, strip_frames
from rag.logistic import probability

Outcome = Literal["confirmed", "open", "contradicted"]
Span = tuple[int, int]
LEAST_SUPPORTED = 0.85
"""The least score of a sentence that is confirmed: the measured share of right ones."""
VERBATIM, NOTHING, MOST_DOUBTED = 0.99, 0.02, 0.7
"""The scores of a quote and of a sentence of which nothing is there, and the most of one that is open."""
COEFFICIENTS = (-4.0, 10.0, -3.0)
"""The coefficients of the bias, the coverage and the logarithm of the number of missing words in a logistic model."""
MAX_SENTENCE = 4000
"""The most characters of a sentence that is compared."""
ABOUT = 0.5
"""The least share of the question's words that what is cited must have, where a sentence says little itself."""
MOST_CITED = 40
"""The most elements with which a sentence is compared."""
_HEADING_LEVELS = 3


@dataclass(frozen=True, slots=True)
class Compared:
    """The outcome of comparing a sentence with the elements that it cites.

    `coverage` is the calibrated score (0 to 1); `reason` is for people. `proofs` are the elements that prove it, by
    their index, with the (start, end) in their text. `against` is the index of the element that contradicts it and
    `difference` what it says instead. `missing` are the words that were not found.
    """

    outcome: Outcome
    reason: str
    coverage: float
    proofs: tuple[tuple[int, tuple[Span, ...]], ...] = ()
    against: int | None = None
    difference: Difference | None = None
    missing: tuple[str, ...] = ()


def compare(
    sentence: str, elements: Sequence[Element], *, about: Sequence[str] = (), context: Sequence[str] = ()
) -> Compared:
    """Return whether the words of some elements, taken together, confirm or contradict a sentence, or leave it open.

    `about` is the question that it answers and the text above it, `context` holds for all elements. A paragraph
    that a column or page breaks is one; what is struck out of a text says nothing.
    """
    if len(sentence) > MAX_SENTENCE:
        return Compared("open", f"the sentence is longer than {MAX_SENTENCE} characters", 0.0)
    elements = [replace(e, text=without_struck(e.text)) for e in elements[:MOST_CITED]]
    result = _compare_elements(sentence, elements, about, context)
    if result.outcome == "confirmed":
        return result
    for paragraph in _broken_paragraphs(elements):
        one = _compare_elements(sentence, [paragraph.element], about, context)
        if one.outcome == "confirmed":
            return replace(one, proofs=paragraph.split_by_half(one.proofs[0][1]))
    return result


def _compare_elements(
    sentence: str, elements: Sequence[Element], about: Sequence[str], context: Sequence[str]
) -> Compared:
    """Return the outcome for elements taken as they are, without joining broken paragraphs."""
    bare = strip_frames(sentence)
    quotes = [_find_quote(bare, element, context) for element in elements]
    if any(quotes):
        proofs = tuple((n, (place,)) for n, place in enumerate(quotes) if place is not None)
        return Compared("confirmed", f"verbatim in the {kind_of(elements[proofs[0][0]])}", VERBATIM, proofs)
    complete = complete_claim(bare, about)
    claim = _Claim(complete, elements, about, context)
    if not any(item.needed for item in claim.items):
        return Compared("open", "the sentence makes no claim that can be compared", NOTHING)
    proof = claim.proofs() if complete == bare or claim.speaks_of_it() else None
    if proof is None and complete == bare and len(pieces := clauses(claim.text)) > 1:
        proof = _union_of_proofs([_Claim(piece, elements, about, context).proofs() for piece in pieces])
    if proof is not None:
        reason = f"the {kind_of(elements[proof[0][0]])} says this" if len(proof) == 1 else "what is cited says this"
        return Compared("confirmed", reason, max(claim.score(), LEAST_SUPPORTED), tuple(proof))
    return claim.find_contradiction(sentence) or claim.left_open()


def kind_of(element: Element) -> str:
    """Return what people call an element: a table, figure, caption, heading or text."""
    names = {"table": "table", "picture": "figure", "caption": "caption", "heading": "heading"}
    return names.get(element.kind, "table" if element.cells else "text")


@dataclass(frozen=True, slots=True)
class _Broken:
    """A paragraph that a column or page breaks: both halves as one `element`, whose second begins at `start`."""

    element: Element
    first: int
    second: int
    end: int
    start: int

    def split_by_half(self, spans: Sequence[Span]) -> tuple[tuple[int, tuple[Span, ...]], ...]:
        """Return (index of the element, spans in it) for each half that has some of the spans of the joined text."""
        first_half = tuple((a, min(b, self.end)) for a, b in spans if a < self.end)
        right = tuple((max(a - self.start, 0), b - self.start) for a, b in spans if b > self.start)
        return tuple((half, own) for half, own in ((self.first, first_half), (self.second, right)) if own)


def _broken_paragraphs(elements: Sequence[Element]) -> Iterator[_Broken]:
    """Yield the paragraphs made of two elements, an unfinished one and its continuation in the next column or page."""
    for (n, one), (m, other) in permutations(enumerate(elements), 2):
        last = one.text.rstrip()
        apart = other.page == one.page + 1 or (other.page == one.page and other.bbox.y0 < one.bbox.y0)
        goes_on = bool(_OPEN.search(last)) and other.text[:1].islower()
        if one.doc_id == other.doc_id and one.kind in _PROSE and other.kind == "text" and apart and goes_on:
            hyphen = last[-1] in _HYPHENS
            text = last[:-1] if hyphen else f"{last} "
            yield _Broken(replace(one, text=text + other.text), n, m, len(last) - hyphen, len(text))


_PROSE = ("text", "list")
_HYPHENS = "-\u2010\u2011"
_OPEN = re.compile(rf"(?:[^\W_]|[{_HYPHENS},;])\Z")
"""The end of half a sentence: a word, or a sign that ends none."""
Proofs = list[tuple[int, tuple[Span, ...]]]


class _Claim:
    """A claim read in each of the elements, and in all together."""

    def __init__(self, text: str, elements: Sequence[Element], about: Sequence[str], context: Sequence[str]) -> None:
        self.text, self.elements = text, elements
        self.claims = claims_of(text)
        self.items = items_of(self.claims, about)
        self.asked = claims_of(" ".join(about))
        self.around = [_context_claims(element, context) for element in elements]
        self.readings = [
            self._read_element(element, around) for element, around in zip(elements, self.around, strict=True)
        ]
        self.has: set[int] = set().union(*(r.has for r in self.readings)) if self.readings else set()
        self.has |= self._derived_numbers(self.has)

    def _read_element(self, element: Element, around: Sequence[Claims]) -> TextReading:
        """Return the reading of the claim in an element, as a table or as running text."""
        if element.cells or element.kind == "table":
            return read_table(self.claims, self.items, element, around, self.asked)
        part = claims_of(element.text)
        reading = read_text(self.claims, self.items, part, around)
        if element.needs_picture and any(
            i.quantity is not None and n in reading.places for n, i in enumerate(self.items)
        ):
            reading.doubts.append("of what the figure says a number cannot be told from its words")
        return reading

    def _derived_numbers(self, has: set[int]) -> set[int]:
        """Return the items that follow from the numbers found (`has`): sums, comparisons, and words for computing."""
        there = [self.items[n].quantity for n in sorted(has) if self.items[n].quantity is not None]
        quantities: list[Quantity] = [q for q in there if q is not None]
        follow = derived_quantities(self.text, quantities)
        places = {n for n, item in enumerate(self.items) if item.quantity in follow and item.quantity is not None}
        for n, item in enumerate(self.items):
            compares = n not in has and item.quantity is None and item.token.key in lexicon.COMPARATIVES
            if compares and (places or comparison_fits(self.text, item.token.key, quantities)):
                places.add(n)
        if places:
            places |= {n for n, item in enumerate(self.items) if item.token.stem in _RECKONING}
        return places

    @property
    def lacking(self) -> list[int]:
        """The indices of the needed items that no element has."""
        return [n for n, item in enumerate(self.items) if item.needed and n not in self.has]

    def proofs(self) -> Proofs | None:
        """Return (index, spans) of each element that proves the claim by itself; None if none does."""
        if self.lacking:
            return None
        extra = self.has - set().union(*(r.has for r in self.readings)) if self.readings else set()
        needed_items = {n for n, item in enumerate(self.items) if item.needed} - extra
        alone = [k for k, r in enumerate(self.readings) if needed_items <= r.has and not r.doubts and r.places]
        return [(k, self._spans(k)) for k in alone] or None

    def speaks_of_it(self) -> bool:
        """Return True if the elements have ABOUT of the question's words, without which the sentence says little."""
        asked_items = [n for n, item in enumerate(self.items) if item.asked and not item.needed]
        return sum(n in self.has for n in asked_items) >= ABOUT * len(asked_items)

    def _spans(self, k: int) -> tuple[Span, ...]:
        """Return the spans of the items in element `k`, widened to cells in a table and joined in other texts."""
        spans = list(self.readings[k].places.values())
        element = self.elements[k]
        if element.cells or element.kind == "table":
            cells = {(s.start, s.end) for s in (*grid_of(element).body, *grid_of(element).head)}
            return tuple(sorted({next((c for c in cells if c[0] <= a and b <= c[1]), (a, b)) for a, b in spans}))
        return join_spans(element.text, spans)

    def score(self) -> float:
        """Return the calibrated score, 0 to 1, of the share of the claim's items that the elements have."""
        total = sum(i.weight for i in self.items)
        weight = sum(i.weight for n, i in enumerate(self.items) if n in self.has or not i.needed)
        return probability((1.0, weight / total if total else 0.0, math.log1p(len(self.lacking))), COEFFICIENTS)

    def find_contradiction(self, sentence: str) -> Compared | None:
        """Return the claim as contradicted if one element gives another value for the same thing; else None."""
        differences = [
            (k, difference(self.items, element, self.readings[k], self.around[k], self.has))
            for k, element in enumerate(self.elements)
        ]
        clear = [(k, one) for k, one in differences if one is not None]
        values = {(one.said, " ".join(self.elements[k].text[slice(*one.found)].split()).casefold()) for k, one in clear}
        if len(values) != 1:
            return None
        k, one = clear[0]
        return Compared("contradicted", one.reason, self.score(), (), k, _moved_to_sentence(sentence, self.text, one))

    def left_open(self) -> Compared:
        """Return the claim as open, with the missing words or the first doubt as the reason."""
        missing = tuple(dict.fromkeys(self.items[n].text for n in self.lacking))
        doubts = [d for r in self.readings for d in r.doubts]
        kind = kind_of(self.elements[0]) if len(self.elements) == 1 else "text"
        reason = f"not found in what is cited: {', '.join(missing[:5])}" if missing else ""
        reason = mistake(self.text) or reason
        reason = reason or (doubts[0] if doubts else f"nothing of this is in the {kind}")
        proofs = tuple((k, self._spans(k)) for k, r in enumerate(self.readings) if r.places)
        score = min(self.score(), MOST_DOUBTED) if proofs else NOTHING
        return Compared("open", reason, score, proofs, missing=missing)


_RECKONING = frozenset(t.stem for t in claims_of(
    "difference differ total sum average mean ratio divided share percentage point minus plus times together combined "
    "calculate compute result subtract add work out gap growth"
).tokens)  # fmt: skip


def _union_of_proofs(every: Sequence[Proofs | None]) -> Proofs | None:
    """Return the union of the proofs of all parts of a claim; None if a part has none."""
    places: dict[int, list[Span]] = {}
    for proofs in every:
        if proofs is None:
            return None
        for k, spans in proofs:
            places.setdefault(k, []).extend(spans)
    return [(k, tuple(sorted(set(spans)))) for k, spans in sorted(places.items())]


def _moved_to_sentence(sentence: str, claim: str, one: Difference) -> Difference:
    """Return the difference with its span in the sentence instead of in the claim made from it; (0, 0) if not there."""
    words = claim[slice(*one.said)]
    at = sentence.find(words) if words else -1
    return Difference(one.reason, (at, at + len(words)) if at >= 0 else (0, 0), one.found, one.place)


def _context_claims(element: Element, context: Sequence[str]) -> tuple[Claims, ...]:
    """Return the claims of the element's caption, of the headings above it and of `context`, one for each text."""
    return tuple(claims_of(text) for text in (element.caption, *element.section[-_HEADING_LEVELS:], *context) if text)


def _find_quote(sentence: str, element: Element, context: Sequence[str]) -> Span | None:
    """Return the (start, end) of a verbatim quote; None without one, or if a negation before it reverses it."""
    place = best_quote(element.text, sentence, [c.text for c in _context_claims(element, context)])
    if place is None or len(claims_of(sentence).tokens) < 2:
        return None
    text_claims = claims_of(element.text)
    inside = text_claims.claims_between(*place)
    if any(not any(agree(q, there) for there in inside.quantities) for q in claims_of(sentence).numbers):
        return None
    opening = max((m.end() for m in re.finditer(r"[.!?]\s", element.text[: place[0]])), default=0)
    return None if text_claims.claims_between(opening, place[0]).negations and not element.cells else place


def join_spans(text: str, spans: Sequence[Span]) -> tuple[Span, ...]:
    """Return spans in order; those with at most three words between them are joined."""
    result: list[Span] = []
    for start, end in sorted(spans):
        if result and (start <= result[-1][1] or _close(text[result[-1][1] : start])):
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return tuple(result)


def _close(gap: str) -> bool:
    return len(gap) < 40 and len(gap.split()) <= 3 and "\n" not in gap and ". " not in gap
