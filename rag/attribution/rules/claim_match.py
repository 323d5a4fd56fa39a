"""A claim -> its items; and matched with a text: where each of them is there, and the parts of the text around it.

An item is not needed where the sentence only says with it where something stands ("in the chart"), joins, addresses
("Mr."), or repeats its question: those are no claims.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from indexing.language import (
    BOUNDS,
    HEDGES,
    NUMBER_WEIGHT,
    ORDINALS,
    Quantity,
    Token,
    agree,
    meaning,
    opposite,
    sentence_spans,
)
from rag.attribution.words import CLAUSE, Claims, claims_of, connects, lexicon, refers

_LIGHT = frozenset(map(meaning, (*lexicon.LIGHT_WORDS, *lexicon.LINKING_VERBS, *lexicon.TITLES)))
_WE = frozenset(map(meaning, lexicon.AUTHORS))
_TYING = lexicon.CLAUSE_OPENERS.union(lexicon.PREPOSITIONS)
_BOUNDING = frozenset(word for phrase in (*BOUNDS, *HEDGES) for word in phrase.split()) | {"the", "a", "an"}
_PLACES = frozenset(map(meaning, lexicon.PAGE_PARTS))
_ORDER = frozenset(["last", "final", *ORDINALS])
_POLAR = re.compile(rf"\s*(?:{'|'.join(sorted(lexicon.AUXILIARIES))})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Item:
    """A word or quantity, `claim[start:end]`; its evidence must have it if `needed`, its question has it if `asked`."""

    start: int
    end: int
    text: str
    token: Token
    quantity: Quantity | None
    needed: bool
    asked: bool = False

    @property
    def weight(self) -> float:
        """The weight that it adds to what is found of a claim."""
        return NUMBER_WEIGHT if self.quantity is not None else max(self.token.weight, 1.0)


def items_of(claims: Claims, about: Sequence[str]) -> tuple[Item, ...]:
    """Return the items of a claim in order; words of `about` are not needed, except those of a yes/no question."""
    contexts = [claims_of(text) for text in about if not _POLAR.match(text)]
    stems = {t.stem for c in contexts for t in c.tokens}
    labels = [q for c in contexts for q in c.quantities if q.kind == "label" or q.unit == "th"]
    denying = {t.start for t in claims.negations}
    bounds = {t.start for q in claims.quantities if q.bound or q.hedged for t in _before(claims, q)}
    order = _ORDER if re.search(r"\b(?:e\.g|i\.e)\b", claims.text) else _ORDER | {"e", "g", "i"}  # 5 g is a weight
    items: list[Item] = []
    quantities = iter(claims.quantities)
    quantity = next(quantities, None)
    for token in claims.tokens:
        while quantity is not None and quantity.end <= token.start:
            quantity = next(quantities, None)
        if quantity is not None and token.end > quantity.start and not quantity.soft:
            if not items or items[-1].quantity is not quantity:
                needed = not any(agree(quantity, q) for q in labels)
                start, end = quantity.start, quantity.end
                items.append(Item(start, end, claims.text[start:end].strip(), token, quantity, needed))
            continue
        directs = token.key in lexicon.DIRECTION_WORDS and token.start not in bounds
        ties = token.stop or token.key in _TYING or token.start in bounds
        if (ties and not directs) or token.start in denying:
            continue
        placed = directs and says_where(claims, token)
        idle = (
            placed
            or token.stem in _LIGHT
            or token.stem in _WE
            or (token.key not in order and (connects(token) or (not token.name and refers(token.key))))
        )
        needed = token.stem not in stems and not placed and (directs or not idle or token.key in ORDINALS)
        items.append(Item(token.start, token.end, claims.said_word(token), token, None, needed, token.stem in stems))
    return tuple(items)


def _before(claims: Claims, quantity: Quantity) -> Sequence[Token]:
    """Return the few words before a number that make it a bound: "no more than", "about"."""
    at = bisect_left(claims.tokens, quantity.start, key=lambda t: t.start)
    near = claims.tokens[max(at - 4, 0) : at]
    return [t for n, t in enumerate(near) if all(u.key in _BOUNDING for u in near[n:])]


def says_where(claims: Claims, token: Token) -> bool:
    """Return True for a word that refers to a position in a document: "the first page", "under the heading"."""
    at = bisect_left(claims.tokens, token.end, key=lambda t: t.start)
    onward = [t for t in claims.tokens[at : at + 2] if t.key not in lexicon.DETERMINERS][:1]
    marked = claims.text[token.end : token.end + 2].strip() in ('"', "\u201c", "\u2018", "'")
    worked = token.key == "out" and claims.text[: token.start].rstrip().lower().endswith("worked")
    return marked or worked or any(t.stem in _PLACES for t in onward)


def is_self(item: Item) -> bool:
    """Return True for a word that means the authors of a document, who write "we"."""
    return item.quantity is None and item.token.stem in _WE


GAP = 5
"""The most words of a text between two neighbours of a claim that stand in the place of what the claim has there."""
LONG = 60
"""The most words of a part of a sentence on either side of one."""
Span = tuple[int, int]


class TokenPlace(NamedTuple):
    """The place of an item in a text: the indices of its first and last token, and its (start, end) in characters."""

    first: int
    last: int
    start: int
    end: int


@dataclass(frozen=True)
class ClaimMatch:
    """A claim aligned with a text, whose claims are `part`; `places` has the place in the text of items, by index."""

    claims: Claims
    items: Sequence[Item]
    part: Claims
    places: Mapping[int, TokenPlace]

    def home(self, near: Iterable[int] | None = None) -> Claims:
        """Return the claims of the sentences of the text that have the items, or only the items `near`."""
        return self._home if near is None else self._sentences([self.places[n] for n in near])

    @cached_property
    def _home(self) -> Claims:
        return self._sentences(list(self.places.values()))

    @cached_property
    def _used_tokens(self) -> set[int]:
        """The indices of the text's tokens that belong to an item."""
        return {k for place in self.places.values() for k in range(place.first, place.last + 1)}

    def _sentences(self, places: Sequence[TokenPlace]) -> Claims:
        """Return the claims of the text from the first to the last sentence with one of the places."""
        if not places:
            return self.part.claims_between(0, 0)
        ends = (0, *sentence_starts(self.part.text), len(self.part.text))
        first = bisect_right(ends, min(p.start for p in places)) - 1
        last = bisect_right(ends, max(p.start for p in places)) - 1
        return self.part.claims_between(ends[first], ends[min(last + 1, len(ends) - 1)])

    def span(self) -> Span:
        """Return the (start, end) of the sentences of the text that have the items; (0, 0) without any."""
        every = self.home().tokens
        return (every[0].start, every[-1].end) if every else (0, 0)

    def part_of(self, at: int) -> Claims:
        """Return the claims of the clause, between commas, that has token `at` of the text."""
        every = self.part.tokens
        first, last = at, at
        while first > 0 and at - first < LONG and not ends_part(every[first - 1], every[first]):
            first -= 1
        while last + 1 < len(every) and last - at < LONG and not ends_part(every[last], every[last + 1]):
            last += 1
        return self.part.claims_between(every[first].start, every[last].end)

    def instead(self, n: int) -> list[Token] | None:
        """Return the words that the text has between the neighbours of item `n` instead of it; None if unclear."""
        before = next((k for k in range(n - 1, -1, -1) if k in self.places), None)
        after = next((k for k in range(n + 1, len(self.items)) if k in self.places), None)
        if before is not None and n - before <= 3:
            first = self.places[before].last + 1
        elif before is None and after == n + 1 and n not in self.places:
            first = self._opening(self.places[after].first)
        else:
            return None
        last = self.places[after].first if after is not None and after - n <= 3 else len(self.part.tokens)
        stop = next((k for k in range(first, min(first + GAP, last)) if self.breaks(k)), last)
        if after is None and not 0 < stop - first < GAP:
            window = self.part.tokens[first : first + GAP]
            return [t for t in window if opposite(self.items[n].token.stem, t.stem)] or None
        last = stop if after is None else last
        if not 0 < last - first <= GAP or (n in self.places and first <= self.places[n].first < last):
            return None
        words = [self.part.tokens[k] for k in range(first, last) if k not in self._used_tokens]
        words = [
            t
            for t in words
            if (not t.stop or t.key in lexicon.DIRECTION_WORDS) and not connects(t) and not t.key.isdigit()
        ]
        return words or None

    def _opening(self, k: int) -> int:
        """Return the index of the first token of the clause that has token `k`, at most GAP tokens before it."""
        first = k
        while first > max(k - GAP, 0) and not self.breaks(first):
            first -= 1
        return first

    def breaks(self, k: int) -> bool:
        """Return True if a clause of the text ends before token `k`."""
        return k > 0 and ends_part(self.part.tokens[k - 1], self.part.tokens[k])

    def sentence(self, n: int) -> int:
        """Return the number, from 0, of the sentence of the text that has item `n`."""
        return bisect_right(sentence_starts(self.part.text), self.places[n].start)

    def part_ends(self, one: int, other: int) -> bool:
        """Return True if a clause of the text ends between two items, given by index."""
        first, last = sorted((self.places[one].last, self.places[other].first))
        return any(self.breaks(k) for k in range(first + 1, last + 1))


def ends_part(token: Token, onward: Token) -> bool:
    """Return True if a clause ends between two successive tokens: at a comma, or a stronger break."""
    figure = token.key.isdigit() and onward.key.isdigit() and onward.start - token.end == 1
    return onward.at - token.at > CLAUSE and not figure


@lru_cache(maxsize=256)
def sentence_starts(text: str) -> tuple[int, ...]:
    """Return the start of each sentence and each line but the first."""
    lines = [m.end() for m in re.finditer(r"\n", text)]
    return tuple(sorted({*(start for start, _ in sentence_spans(text)[1:]), *lines}))


def same_quantity(claim: Quantity, source: Quantity) -> bool:
    """Return True if a quantity of a text agrees with a claim's; if that is a bound ("over 5"), it must be one, too."""
    return agree(claim, source) and not (claim.bound and not source.bound and claim.kind == "number")
