"""A claim -> its items: the numbers, names, words, and words of order and direction that its evidence must have.

An item is not needed where the sentence only says with it where something stands ("in the chart"), joins, addresses
("Mr."), or repeats its question: those are no claims.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from indexing.language import BOUNDS, HEDGES, NUMBER_WEIGHT, ORDINALS, Quantity, Token, agree, meaning
from rag.attribution.words import Claims, claims_of, connects, lexicon, refers

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
    """Return the items of a claim in order; words of `about` are not needed, unless that asks if they are true."""
    contexts = [claims_of(text) for text in about if not _POLAR.match(text)]
    asked = {t.stem for c in contexts for t in c.tokens}
    labels = [q for c in contexts for q in c.quantities if q.kind == "label" or q.unit == "th"]
    denying = {t.start for t in claims.negations}
    bounds = {t.start for q in claims.quantities if q.bound or q.hedged for t in _before(claims, q)}
    kept = _ORDER if re.search(r"\b(?:e\.g|i\.e)\b", claims.text) else _ORDER | {"e", "g", "i"}  # 5 g is a weight
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
            or (token.key not in kept and (connects(token) or (not token.name and refers(token.key))))
        )
        needed = token.stem not in asked and not placed and (directs or not idle or token.key in ORDINALS)
        items.append(Item(token.start, token.end, claims.said_word(token), token, None, needed, token.stem in asked))
    return tuple(items)


def _before(claims: Claims, quantity: Quantity) -> Sequence[Token]:
    """Return the few words before a number that make it a bound: "no more than", "about"."""
    at = bisect_left(claims.tokens, quantity.start, key=lambda t: t.start)
    near = claims.tokens[max(at - 4, 0) : at]
    return [t for n, t in enumerate(near) if all(u.key in _BOUNDING for u in near[n:])]


def says_where(claims: Claims, token: Token) -> bool:
    """Return True for a word that says where something stands in a document: "the first page", "under the heading"."""
    at = bisect_left(claims.tokens, token.end, key=lambda t: t.start)
    onward = [t for t in claims.tokens[at : at + 2] if t.key not in lexicon.DETERMINERS][:1]
    marked = claims.text[token.end : token.end + 2].strip() in ('"', "\u201c", "\u2018", "'")
    worked = token.key == "out" and claims.text[: token.start].rstrip().lower().endswith("worked")
    return marked or worked or any(t.stem in _PLACES for t in onward)


def is_self(item: Item) -> bool:
    """Return True for a word with which a document may be meant that says "we"."""
    return item.quantity is None and item.token.stem in _WE
