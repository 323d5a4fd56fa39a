"""The words that belong to a number, in a text where several numbers stand side by side.

"Weather caused 641 of these, engine trouble 322": engine belongs to 322. Every word is bound to the number of its kind
that it stands nearest to. A word that is said once with the first number may hold for those that follow ("caused"), so
words bound to the first count less against a later one than the other way round.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from rag.attribution.words import NEAR, Claims, Quantity, Token, agree, position, qualifiers

ELLIPSIS = 0.25
"""The weight of a word bound to the first of several numbers, when held against a later one."""
MARGIN = 0.05
"""The margin by which another number must fit better to be the one that the sentence is about."""
SENTENCE = 8
"""A step between words (`Token.at`) that ends a sentence."""
_RANGE = re.compile(r"\s?(?:[-–]|to|until|bis)\s?(?:the\s)?")
NUMBER_VOICE = 2.0
"""The weight of a number that stands beside the number in both texts."""


def rival(claims: Claims, asked: Quantity, part: Claims, same: Sequence[Quantity]) -> Quantity | None:
    """Return the number of the text that the sentence's words belong to, if none of `same`, which agree with it."""
    partner = range_partner(claims, asked)
    if partner is not None:
        ends = [range_partner(part, q) for q in part.quantities if agree(partner, q)]
        known = [q for q in ends if q is not None]
        if known and not any(agree(asked, q) for q in known):
            return known[0]
    others = [
        q for q in part.quantities
        if q not in same and not q.soft and q.kind == asked.kind and (q.kind != "number" or q.unit == same[0].unit)
        and (asked.place >= 1 or q.place < 1 or part.text[q.start].isdigit())
    ]  # fmt: skip
    if not others:
        return None
    group = sorted([*same, *others], key=lambda q: q.start)
    heard = voices(claims, asked, part, group)
    best = max(same, key=lambda q: heard[q.start])
    wanted = {q.start for q in others if not _owned(claims, asked, q)}
    strongest = max((q for q in others if q.start in wanted), key=lambda q: heard[q.start], default=None)
    if strongest is None or heard[strongest.start] <= heard[best.start] + MARGIN:
        return None
    return strongest


def elsewhere(claims: Claims, part: Claims, proven: Sequence[tuple[int, int]]) -> list[Token]:
    """Return the words that qualify, and stand only in sentences of the text with other numbers than the proven ones.

    `proven` are the (start, end) of the numbers that agree. "Planned" in "a cost of $4.10 was planned" is not of them.
    """
    ends = _sentence_ends(part)
    own = {bisect_right(ends, start) for start, _ in proven}
    others = {bisect_right(ends, q.start) for q in part.numbers if q.kind in ("number", "clock")} - own
    places: dict[str, set[int]] = defaultdict(set)
    for token in part.words:
        places[token.stem].add(bisect_right(ends, token.start))
    apart = [t for t in claims.words if own and places.get(t.stem) and places[t.stem] <= others]
    return list(qualifiers(claims, apart))


def range_partner(claims: Claims, quantity: Quantity) -> Quantity | None:
    """Return the other end of "from April to July" or "10-15"."""
    ends = claims.quantities
    for one, two in pairwise(ends):
        if quantity in (one, two) and one.kind == two.kind and _RANGE.fullmatch(claims.text[one.end : two.start]):
            return two if quantity == one else one
    return None


def _last(part: Claims, quantity: Quantity) -> float:
    """Return the place of the last word of a quantity."""
    inside = [t.at for t in part.tokens if quantity.start <= t.start < quantity.end]
    return inside[-1] if inside else position(part, quantity.start)


def _owned(claims: Claims, asked: Quantity, mention: Quantity) -> bool:
    """Return True if another number of the sentence agrees with a mention."""
    return any(agree(q, mention) for q in claims.quantities if q.start != asked.start)


def voices(claims: Claims, asked: Quantity, part: Claims, group: Sequence[Quantity]) -> dict[int, float]:
    """Weigh, for every number of the text, how much of the sentence around the asked number belongs to it alone."""
    places = {q.start: (position(part, q.start), _last(part, q)) for q in group}
    ends = _sentence_ends(part)

    def nearest(start: int, at: float) -> int:
        """Return the number that is nearest, one of the same sentence before others."""
        own = bisect_right(ends, start)
        return min(
            places, key=lambda n: (bisect_right(ends, n) != own, max(places[n][0] - at, at - places[n][1]), n < start)
        )

    bound: dict[str, set[int]] = defaultdict(set)
    for token in part.words:
        bound[token.stem].add(nearest(token.start, token.at))
    here = position(claims, asked.start)
    voices = dict.fromkeys(places, 0.0)
    heard: dict[str, float] = {}
    for token in claims.words:
        loud = token.weight * math.exp(-abs(token.at - here) / NEAR)
        heard[token.stem] = max(heard.get(token.stem, 0.0), loud)
    votes = [(bound[stem], loud) for stem, loud in heard.items() if stem in bound]
    for near in claims.quantities:
        mentions = [
            q for q in part.quantities if _sort(q) != _sort(asked) and _sort(near) == _sort(q) and agree(near, q)
        ]
        owners = {nearest(q.start, position(part, q.start)) for q in mentions}
        votes.append((owners, NUMBER_VOICE * math.exp(-abs(position(claims, near.start) - here) / NEAR)))
    firsts = _firsts(part, group)
    for owners, loud in votes:
        if len(owners) == 1:
            owner = next(iter(owners))
            voices[owner] += loud * (ELLIPSIS if owner in firsts else 1.0)
    return voices


def _sort(quantity: Quantity) -> str:
    """Return the kind of a quantity: the place in an order ("the first survey") is none of the numbers."""
    return "order" if quantity.unit == "th" else quantity.kind


def _sentence_ends(part: Claims) -> list[int]:
    """Return the places of the first words of all sentences but the first."""
    return [t.start for last, t in pairwise(part.tokens) if t.at - last.at >= SENTENCE]


def _firsts(part: Claims, group: Sequence[Quantity]) -> set[int]:
    """Return the first number of the group in each sentence that has several."""
    ends = _sentence_ends(part)
    sentence = {q.start: bisect_right(ends, q.start) for q in group}
    return {
        one.start for n, one in enumerate(group[:-1])
        if sentence[one.start] == sentence[group[n + 1].start]
        and (n == 0 or sentence[group[n - 1].start] != sentence[one.start])
    }  # fmt: skip
