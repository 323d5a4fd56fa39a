"""Contradiction: all of a claim stands in an element but one thing, in the place of which the element says another.

The element must speak of the same thing: it has every other word of the claim, tied in the same way, and the part of
its sentence that says another value is about little that the claim does not say, above all no other year or number.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from difflib import SequenceMatcher

from indexing import Element
from indexing.language import Quantity, Token, agree, look_alike, opposite
from rag.attribution.rules.claim_match import ClaimMatch, Item, Span, same_quantity
from rag.attribution.rules.prose import Difference, TextReading, denial_doubts
from rag.attribution.rules.ties import MARGIN, NumberGroup
from rag.attribution.words import Claims, connects, lexicon, refers

SAME, ENOUGH = 0.8, 3.0
"""The least share of a claim's other words that the element has, and their least weight."""
ENOUGH_NAMED = 7.0
"""The least weight of what is the same, where a name was changed: another's may be as true."""
NARROWER = 0.5
"""The most weight of the words of a part of a text that the claim lacks, as a share of all of its words."""
ROUNDING = 0.1
"""The least relative difference of numbers one of which is said to be rounded ("about 40")."""
ALIKE = 0.7
"""The similarity of the letters of two names from which they may be one."""


def difference(
    items: Sequence[Item], element: Element, reading: TextReading, around: Sequence[Claims], has: set[int]
) -> Difference | None:
    """Return the difference of an element that says something else than the claim of the same thing; None if unsure.

    Only words of a text layer count: text recognition may have misread, and a picture's words are not all it shows.
    """
    if element.source != "layer" or element.needs_picture or element.kind == "heading":
        return None
    lacking = [n for n, item in enumerate(items) if item.needed and n not in has]
    others = [item.weight for n, item in enumerate(items) if n not in lacking]
    same = sum(item.weight for n, item in enumerate(items) if n in reading.has and n not in lacking)
    if len(lacking) > 2 or same < ENOUGH or same < SAME * sum(others):
        return None
    if reading.differences:
        one = reading.differences[0]
        sole = all(items[n].start >= one.said[0] and items[n].end <= one.said[1] for n in lacking)
        return one if sole and len({d.said for d in reading.differences}) == 1 else None
    match = reading.match
    if match is None or not match.places:
        return None
    if len(lacking) == 1 and not reading.doubts:
        item = items[lacking[0]]
        return _other_number(match, item, around) if item.quantity is not None else _other_word(match, lacking[0], same)
    return _denial(match, reading) if not lacking else None


def _other_number(match: ClaimMatch, item: Item, around: Sequence[Claims]) -> Difference | None:
    """Return the difference if the claim's words belong to another number of the text; None if that is unsure."""
    quantity = item.quantity
    if any(sign in item.text for sign in "^×"):
        return None
    compared = (
        any(t.key in lexicon.COMPARATIVES for t in match.claims.tokens)
        and sum(q.kind == "number" for q in match.claims.numbers) > 1
    )
    if (
        quantity is None
        or quantity.soft
        or quantity.bound
        or quantity.kind == "label"
        or names_a_thing(match.claims, quantity)
        or compared
    ):
        return None
    near = match.home()
    group = [
        q for q in near.quantities
        if q.kind == quantity.kind and not q.soft and not any(same_quantity(own, q) for own in match.claims.quantities)
    ]  # fmt: skip
    alike = [q for q in group if q.unit == quantity.unit] or [q for q in group if q.value == quantity.value and q.unit]
    if not alike:
        return None
    votes = NumberGroup(near, alike).votes(match.claims, quantity)
    rivals = sorted(alike, key=lambda q: -votes[q.start])
    if not votes[rivals[0].start] or (len(rivals) > 1 and votes[rivals[1].start] + MARGIN >= votes[rivals[0].start]):
        return None
    rival = rivals[0]
    part = match.part_of(bisect_right(match.part.tokens, rival.start, key=lambda t: t.start) - 1)
    every = near.quantities if quantity.kind != "moment" else ()
    dated = any(q.kind == "moment" and not _is_known(q, match.claims, around) for q in every)
    may_agree = _may_agree(quantity, rival) or any(agree(quantity, q) for q in match.part.quantities)
    if may_agree or dated or names_a_thing(near, rival) or _narrower(match, part, rival, around):
        return None
    reason = f"where the text speaks of this it says {near.wording(rival)}, not {item.text}"
    return Difference(reason, (item.start, item.end), (rival.start, rival.end), match.span())


def _is_known(quantity: Quantity, claims: Claims, around: Sequence[Claims]) -> bool:
    """Return True if a quantity agrees with one of the claim or of the texts around the element."""
    return any(agree(mine, quantity) or agree(quantity, mine) for c in (claims, *around) for mine in c.quantities)


def _narrower(match: ClaimMatch, part: Claims, rival: Quantity, around: Sequence[Claims]) -> bool:
    """Return True if a clause has other numbers or many words that the claim lacks: it may be about something else."""
    known_stems = {t.stem for c in (match.claims, *around) for t in c.tokens} | {
        match.part.tokens[k].stem for place in match.places.values() for k in range(place.first, place.last + 1)
    }
    words = {t.stem: t for t in part.words if not connects(t) and not refers(t.key)}
    extra = sum(t.weight for stem, t in words.items() if stem not in known_stems)
    strange = [q for q in part.numbers if q != rival and not _is_known(q, match.claims, around)]
    return bool(strange) or extra > NARROWER * (sum(t.weight for t in words.values()) or 1.0)


def _may_agree(mine: Quantity, other: Quantity) -> bool:
    """Return True if two numbers may both be right: one is a bound, or rounded, or has no unit or a shorter date."""
    if mine.bound or other.bound or agree(mine, other) or agree(other, mine):
        return True
    if mine.kind == "moment":
        return not all(getattr(other, part) for part in ("year", "month", "day") if getattr(mine, part))
    apart = abs(mine.value - other.value)
    if mine.value == other.value and not (mine.unit and other.unit):
        return True
    hedge = ROUNDING * max(abs(mine.value), abs(other.value)) if mine.hedged or other.hedged else 0.0
    rounding = 0.5000001 * max(mine.place, other.place) if mine.place != other.place else 0.0
    return mine.unit == other.unit and apart <= max(hedge, rounding)


def names_a_thing(claims: Claims, quantity: Quantity) -> bool:
    """Return True for a whole number without a unit directly after a name: "Port 2"."""
    if quantity.kind != "number" or quantity.unit or quantity.place < 1:
        return False
    before = next((t for t in reversed(claims.tokens) if t.end <= quantity.start), None)
    if before is None or claims.text[before.end : quantity.start].strip(" ."):
        return False
    return not before.stop and claims.text[before.start].isupper()


def _other_word(match: ClaimMatch, n: int, same: float) -> Difference | None:
    """Return the difference if the text has an opposite or another name in the place of item `n`; None otherwise."""
    item, instead = match.items[n], match.instead(n)
    if not instead:
        return None
    antonyms = [t for t in instead if opposite(item.token.stem, t.stem) or {item.token.key, t.key} in lexicon.PARTICLES]
    if antonyms and bool(match.claims.negations) == bool(match.home().negations):
        return _make_difference(match, item, (antonyms[0].start, antonyms[0].end))
    are_names = item.token.name and all(t.name for t in instead) and same >= ENOUGH_NAMED
    if not are_names or _may_be_one_name(item.text, instead, match.part.text):
        return None
    return _make_difference(match, item, (instead[0].start, instead[-1].end))


def _make_difference(match: ClaimMatch, item: Item, span: Span) -> Difference:
    reason = f"the text says {match.part.text[slice(*span)]!r}, not {item.text!r}"
    return Difference(reason, (item.start, item.end), span, match.span())


def _may_be_one_name(name: str, instead: Sequence[Token], text: str) -> bool:
    """Return True if two names may mean the same: one contains or abbreviates the other, or they are spelled alike."""
    there = text[instead[0].start : instead[-1].end]
    if name.isupper() or there.isupper():
        return True
    one, other = look_alike(name.casefold()), look_alike(there.casefold())
    return one in other or other in one or SequenceMatcher(None, one, other, autojunk=False).ratio() > ALIKE


def _denial(match: ClaimMatch, reading: TextReading) -> Difference | None:
    """Return the difference if claim and text differ in nothing but a negation; None otherwise."""
    near = match.home()
    if reading.doubts != denial_doubts(match) or bool(match.claims.negations) == bool(near.negations):
        return None
    if any(
        t.key in lexicon.IMPLICIT_NEGATIONS or (len(t.key) > 6 and t.key.startswith(("un", "im")))
        for t in (*near.tokens, *match.claims.tokens)
    ):
        return None
    words = [t for t in near.words if not connects(t)]
    places = {k.start for k in match.places.values()}
    if sum(t.start in places for t in words) < (1 - NARROWER) * len(words):
        return None
    if near.negations:
        return Difference(reading.doubts[0], (0, 0), near.with_neighbours(near.negations[0]), match.span())
    return Difference(
        reading.doubts[0], match.claims.with_neighbours(match.claims.negations[0]), match.span(), match.span()
    )
