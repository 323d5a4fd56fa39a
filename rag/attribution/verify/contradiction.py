"""Contradiction: a claim and an element that speaks of the same thing and says something else of it.

The checks of `rag.attribution.claims` find what differs; here it is decided if the two speak of the same, as they must
before anything is called contradicted: nearly every word of the claim stands there, nothing is missing but what is
replaced, and the passage is about little that the claim does not say, above all no other year, name or number.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from indexing import Element
from rag.attribution.claims import (
    NOWHERE,
    Claims,
    Contrary,
    Quantity,
    TextReading,
    agree,
    claims_of,
    connects,
    grid_of,
    refers,
)
from rag.attribution.verify.near_quotes import changed, names_a_thing, spelled_alike
from rag.sentences import sentence_spans

SAME, ENOUGH = 0.8, 4.0
"""The least share of a claim's words in a passage that speaks of the same, and the least weight of the claim."""
NARROWER = 0.34
"""The most weight of the words of a passage that the claim lacks, as a share of all of its words."""
ANCHOR = 3.0
"""The weight of a year or a number of the passage that the claim lacks."""
ROUNDED = 0.1
"""The least relative difference of numbers one of which is said to be rounded ("about 40")."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Difference:
    """The first thing in which a claim and an element differ: (start, end) in the claim, and in the element's text.

    `reason` says it in words; `place` is the (start, end) of the sentence or the cell that contradicts. `words` is the
    share of the claim's words that the element has, 0 to 1.
    """

    reason: str
    said: Span
    found: Span
    place: Span
    words: float


def difference(
    claims: Claims, element: Element, reading: TextReading | None, around: Sequence[Claims]
) -> Difference | None:
    """Return what an element says instead of what a claim says of the same thing; None unless it is sure.

    `reading` is that of the claim in the element, `around` what is said around it (caption, headings).
    """
    if (
        reading is None
        or not reading.objections
        or claims.weight < ENOUGH
        or element.pictured
        or element.kind == "heading"
    ):
        return None
    if element.cells or element.kind == "table":
        return _of_table(claims, element, reading)
    return _of_quote(claims, element, reading, around) or _of_text(claims, element, reading, around)


def _of_table(claims: Claims, element: Element, reading: TextReading) -> Difference | None:
    """Return the cell that has another value in the row and the column that the claim names."""
    against = _against(claims, element, reading)
    if len(against) != 1 or reading.doubts or reading.words < SAME or _dated(claims, element, against[0].found):
        return None
    return Difference(against[0], against[0].said, against[0].found, against[0].found, reading.words)


def _dated(claims: Claims, element: Element, found: Span) -> bool:
    """Return True if a cell is of a date that the claim does not say."""
    grid = grid_of(element)
    slot = next((s for s in grid.body if (s.start, s.end) == found), None)
    names = [name.claims for name in grid.names_of(slot)] if slot else []
    dates = [q for c in (*names, claims_of(element.caption)) for q in c.quantities if q.kind == "moment"]
    return any(not any(q.kind == "moment" and agree(q, d) for q in claims.quantities) for d in dates)


def _of_quote(claims: Claims, element: Element, reading: TextReading, around: Sequence[Claims]) -> Difference | None:
    """Return the change in a sentence that is a quote otherwise."""
    whole = claims_of(element.text)
    for start, end in sentence_spans(element.text):
        if end <= reading.passage[0] or start >= reading.passage[1]:
            continue
        found = changed(claims, whole.between(start, end), around)
        if found and all(_clear(claims, element, one, (start, end), placed=True) for one in found):
            return Difference(found[0], found[0].said, found[0].found, (start, end), 1.0)
    return None


def _of_text(claims: Claims, element: Element, reading: TextReading, around: Sequence[Claims]) -> Difference | None:
    """Return what a passage says in the place of something of a claim that it has nearly all words of."""
    against = _against(claims, element, reading)
    if len(against) != 1 or reading.doubts or reading.words < SAME:
        return None
    first = against[0]
    ours = [q for q in claims.quantities if q.start == first.said[0]]
    place = _sentence(element.text, first.found)
    part = claims_of(element.text).between(*place)
    if not _clear(claims, element, first, place) or not (ours or bool(claims.negations) != bool(part.negations)):
        return None
    if any(agree(mine, other) for mine in ours for other in claims_of(element.text).quantities):
        return None  # another sentence of the passage says it, of the same perhaps
    if _narrower(claims, part, against, around) > NARROWER:
        return None
    return Difference(first, first.said, first.found, place, reading.words)


def _against(claims: Claims, element: Element, reading: TextReading) -> list[Contrary]:
    """Return the objections of a reading, if each names what stands in the place of something."""
    told = [o for o in reading.objections if isinstance(o, Contrary) and o.found != NOWHERE]
    against = list({(o.said, o.found): o for o in told}.values())
    clear = all(_clear(claims, element, one, one.found) for one in against)
    return against if clear and len(told) == len(reading.objections) else []


def _clear(claims: Claims, element: Element, one: Contrary, place: Span, *, placed: bool = False) -> bool:
    """Return True unless both may be right: a number is a bound, rounded, or stands in the same sentence.

    So may a name that is another form of the other. `placed` numbers stand in the same place of the same sentence.
    """
    ours = [q for q in claims.quantities if q.start == one.said[0]]
    theirs = _quantities(element, one.found)
    if any(names_a_thing(claims, q) for q in ours) or _denies_else(claims, element, one.found, place):
        return False
    if not ours and NOWHERE not in (one.said, one.found):
        pair = claims.text[slice(*one.said)], element.text[slice(*one.found)]
        if spelled_alike(*pair) and not _denies(pair):
            return False
    beside = claims_of(element.text).between(*place).quantities
    found = element.text[slice(*one.found)]
    for mine in ours:
        if any(agree(mine, q) for q in beside) or _is_without_unit(found, claims.said(mine)):
            return False
        for other in theirs:
            if mine.bound or other.bound or agree(mine, other) or agree(other, mine) or _rounded(mine, other):
                return False
            if not placed and any(q is not mine and agree(q, other) for q in claims.quantities):
                return False
    return True


def _is_without_unit(found: str, said: str) -> bool:
    """Return True if a text has the number of a claim alone ("6,489", "$6,489 million"): its unit may stand aside."""
    digits = [[c for c in text if c.isdigit() or c == "."] for text in (found, said)]
    return digits[0] == digits[1] and all(c in "., " or c.isdigit() or c in said for c in found)


def _denies_else(claims: Claims, element: Element, found: Span, place: Span) -> bool:
    """Return True if a text denies there what a claim does not say, or what the same sentence also says is so."""
    if found == NOWHERE:
        return False
    whole = claims_of(element.text)
    inside = whole.between(*found)
    if not inside.negations:
        return False
    denied = {t.stem for t in inside.words if t.start > inside.negations[0].start}
    own = denied & {t.stem for t in claims.words}
    beside = {t.stem for t in whole.between(*place).words if not found[0] <= t.start < found[1]}
    return bool(denied) and (not own or bool(own & beside))


def _denies(pair: Sequence[str]) -> bool:
    """Return True if one of two pieces of text has a negation or an opposite in it, and the other has not."""
    return bool(claims_of(pair[0]).negations) != bool(claims_of(pair[1]).negations)


def _quantities(element: Element, found: Span) -> tuple[Quantity, ...]:
    inside = claims_of(element.text).between(*found).quantities
    return inside or claims_of(element.text[slice(*found)]).quantities


def _rounded(one: Quantity, two: Quantity) -> bool:
    """Return True if one number may be the other, rounded."""
    apart = abs(one.value - two.value)
    if one.kind != "number" or one.unit != two.unit:
        return False
    hedged = ROUNDED * max(abs(one.value), abs(two.value)) if one.hedged or two.hedged else 0.0
    return apart <= max(hedged, 0.5000001 * max(one.place, two.place) if one.place != two.place else 0.0)


def _sentence(text: str, found: Span) -> Span:
    """Return the (start, end) of the sentence in which something stands."""
    spans = list(sentence_spans(text))
    at = bisect_right([start for start, _ in spans], found[0]) - 1
    return spans[at] if at >= 0 else found


def _narrower(claims: Claims, part: Claims, against: Sequence[Contrary], around: Sequence[Claims]) -> float:
    """Return the share of a passage, by weight, that a claim does not say: it may be about less, or about another."""
    known = {t.stem for t in claims.tokens} | {t.stem for c in around for t in c.tokens}
    replaced = [one.found for one in against]
    words = {t.stem: t for t in part.words if not any(a <= t.start < b for a, b in replaced)}
    extra = [t for t in words.values() if t.stem not in known and not connects(t) and not refers(t.key)]
    said = [q for c in (claims, *around) for q in c.quantities]
    numbers = [q for q in part.numbers if not any(a <= q.start < b for a, b in replaced)]
    strange = [q for q in numbers if not any(agree(mine, q) for mine in said)]
    lacking = sum(t.weight for t in extra) + ANCHOR * len(strange)
    whole = sum(t.weight for t in words.values()) + ANCHOR * len(numbers)
    return lacking / whole if whole else 1.0
