"""The words that belong to a number, in a text where several numbers stand side by side.

"Weather caused 641 of these, engine trouble 322": engine belongs to 322. Every word is bound to the number of its kind
that it stands nearest to. A word that is said once with the first number may hold for those that follow ("caused"), so
words bound to the first count less against a later one than the other way round.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from indexing.language import Quantity, Token, agree
from rag.attribution.words import NEAR, Claims, position, qualifiers

ELLIPSIS = 0.25
"""The weight of a word bound to the first of several numbers, when that is compared with a later one."""
MARGIN = 0.05
"""The margin by which another number must fit better to be the one that the sentence is about."""
BESIDE = 2
"""The most numbers on either side of a word among which the nearest is: two, where one stands within another."""
SENTENCE = 8
"""A step between words (`Token.at`) that ends a sentence."""
_RANGE = re.compile(r"\s?(?:[-–]|to|till|until|through|bis)\s?(?:the\s)?")
_BETWEEN = re.compile(r"\b(?:between|zwischen)\s(?:the\s)?$", re.IGNORECASE)
_AND = re.compile(r"\s(?:and|und)\s(?:the\s)?")
NUMBER_VOTE = 2.0
"""The weight of a number that stands beside the number in both texts."""
FARTHEST = 12 * NEAR
"""The distance, in words of the claim, from which on a word says nothing of a number: its weight is below 1e-5."""


class NumberRivals:
    """The numbers of one text to which the words of a claim's numbers may belong; their groups are cached."""

    def __init__(self, claims: Claims, part: Claims) -> None:
        """Keep the claims of both texts: of the sentence, and of the text that it is compared with (`part`)."""
        self._claims, self._part = claims, part
        self._groups: dict[tuple[int, ...], NumberGroup] = {}

    def rival(self, mine: Quantity, same: Sequence[Quantity]) -> Quantity | None:
        """Return the number to which the text's words at `mine` belong; None if it is one of `same` (its equals)."""
        claims, part = self._claims, self._part
        if (partner := _range_partner(claims, mine)) is not None:
            ends = [end for q in part.quantities if agree(partner, q) and (end := _range_partner(part, q)) is not None]
            if ends and not any(agree(mine, end) for end in ends):
                return ends[0]
        agreeing = set(same)
        others = [
            q for q in part.quantities
            if not q.soft and q.kind == mine.kind and (q.kind != "number" or q.unit == same[0].unit)
            and (mine.place >= 1 or q.place < 1 or part.text[q.start].isdigit()) and q not in agreeing
        ]  # fmt: skip
        if not others:
            return None
        group = sorted([*same, *others], key=lambda q: q.start)
        key = tuple(q.start for q in group)
        shared = self._groups[key] = self._groups.get(key) or NumberGroup(part, group)
        votes = shared.votes(claims, mine)
        best = max(same, key=lambda q: votes[q.start])
        more = (q for q in others if votes[q.start] > votes[best.start] + MARGIN)
        return max(
            (q for q in more if not _matches_other_number(claims, mine, q)), key=lambda q: votes[q.start], default=None
        )


class NumberGroup:
    """Several numbers of a text, in order, with the words of the text that each is nearest to."""

    def __init__(self, part: Claims, group: Sequence[Quantity]) -> None:
        """Bind every word of the text to its number."""
        self._part, self._group = part, group
        self._ends = _sentence_starts(part)
        self._starts = [q.start for q in group]
        self._places = [(position(part, q.start), _last_position(part, q)) for q in group]
        self._sentences = [bisect_right(self._ends, q.start) for q in group]
        self._owners: dict[tuple[str, Quantity], set[int]] = {}
        self._bindings: dict[str, set[int]] = defaultdict(set)
        for token in part.words:
            self._bindings[token.stem].add(self._nearest(token.start, token.at))
        self._firsts = {
            start for n, start in enumerate(self._starts[:-1])
            if self._sentences[n] == self._sentences[n + 1] and (n == 0 or self._sentences[n - 1] != self._sentences[n])
        }  # fmt: skip

    def _nearest(self, start: int, at: float) -> int:
        """Return the start of the number nearest to a word, preferring numbers in the same sentence."""
        here, sentence = bisect_right(self._starts, start), bisect_right(self._ends, start)
        near = range(max(here - BESIDE, 0), min(here + BESIDE, len(self._starts)))

        def away(n: int) -> tuple[bool, float, bool]:
            first, last = self._places[n]
            return self._sentences[n] != sentence, max(first - at, at - last), self._starts[n] < start

        return self._starts[min(near, key=away)]

    def votes(self, claims: Claims, number: Quantity) -> dict[int, float]:
        """Return by the start of each number the weight of the claim's words near `number` that belong to it alone."""
        here = position(claims, number.start)
        totals = dict.fromkeys(self._starts, 0.0)
        weight_of: dict[str, float] = {}
        for token in _claims_near(claims, here).words:
            weight = token.weight * math.exp(-abs(token.at - here) / NEAR)
            weight_of[token.stem] = max(weight_of.get(token.stem, 0.0), weight)
        votes = [(self._bindings[stem], weight) for stem, weight in weight_of.items() if stem in self._bindings]
        for near in _claims_near(claims, here).quantities:
            if _kind_of(near) != _kind_of(number):
                away = abs(position(claims, near.start) - here)
                votes.append((self._mentions(near), NUMBER_VOTE * math.exp(-away / NEAR)))
        for owners, weight in votes:
            if len(owners) == 1:
                owner = next(iter(owners))
                totals[owner] += weight * (ELLIPSIS if owner in self._firsts else 1.0)
        return totals

    def _mentions(self, near: Quantity) -> set[int]:
        """Return the starts of the numbers nearest to mentions of `near`, another number of the claim."""
        sort, meaning = _kind_of(near), replace(near, start=0, end=0)
        if (sort, meaning) not in self._owners:
            mentions = [q for q in self._part.quantities if _kind_of(q) == sort and agree(near, q)]
            owners = {self._nearest(q.start, position(self._part, q.start)) for q in mentions}
            self._owners[sort, meaning] = owners
        return self._owners[sort, meaning]


def _claims_near(claims: Claims, here: float) -> Claims:
    """Return the part of a claim at most FARTHEST words from the position `here`."""
    every = claims.tokens
    first = bisect_left(every, here - FARTHEST, key=lambda t: t.at)
    last = bisect_right(every, here + FARTHEST, lo=first, key=lambda t: t.at)
    start = every[first].start if first else 0  # "$4" begins before its first word
    return claims.claims_between(start, every[last - 1].end) if first < last else claims.claims_between(0, 0)


def words_of_other_numbers(claims: Claims, part: Claims, spans: Sequence[tuple[int, int]]) -> list[Token]:
    """Return the claim's qualifiers that the text has only in sentences without a proven number but with another.

    `spans` are the (start, end) of the numbers that agree. "Planned" in "a cost of $4.10 was planned" is no qualifier.
    """
    ends = _sentence_starts(part)
    own = {bisect_right(ends, start) for start, _ in spans}
    others = {bisect_right(ends, q.start) for q in part.numbers if q.kind in ("number", "clock")} - own
    places: dict[str, set[int]] = defaultdict(set)
    for token in part.words:
        places[token.stem].add(bisect_right(ends, token.start))
    apart = [t for t in claims.words if own and places.get(t.stem) and places[t.stem] <= others]
    return list(qualifiers(claims, apart))


def _range_partner(claims: Claims, quantity: Quantity) -> Quantity | None:
    """Return the other end of a range that a number is an end of: "from April to July", "between 2 and 4"."""
    at = bisect_left(claims.quantities, quantity.start, key=lambda q: q.start)
    for one, two in pairwise(claims.quantities[max(at - 1, 0) : at + 2]):
        if quantity in (one, two) and one.kind == two.kind and _is_range(claims.text, one, two):
            return two if quantity == one else one
    return None


def _is_range(text: str, one: Quantity, two: Quantity) -> bool:
    link = text[one.end : two.start]
    before = text[max(one.start - 20, 0) : one.start]
    return bool(_RANGE.fullmatch(link) or (_AND.fullmatch(link) and _BETWEEN.search(before)))


def _last_position(part: Claims, quantity: Quantity) -> float:
    """Return the position of the last word of a quantity."""
    after = bisect_left(part.tokens, quantity.end, key=lambda t: t.start)
    inside = after and part.tokens[after - 1].start >= quantity.start
    return part.tokens[after - 1].at if inside else position(part, quantity.start)


def _matches_other_number(claims: Claims, number: Quantity, mention: Quantity) -> bool:
    """Return True if another number of the sentence agrees with a mention."""
    return any(agree(q, mention) for q in claims.quantities if q.start != number.start)


def _kind_of(quantity: Quantity) -> str:
    """Return the kind of a quantity, "order" for an ordinal ("the first survey"), which is no number here."""
    return "order" if quantity.unit == "th" else quantity.kind


def _sentence_starts(part: Claims) -> list[int]:
    """Return the starts of the first words of all sentences but the first."""
    return [t.start for last, t in pairwise(part.tokens) if t.at - last.at >= SENTENCE]
