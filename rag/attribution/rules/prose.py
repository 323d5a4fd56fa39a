"""A claim matched with a running text, item by item: what is there, what is tied to something else, what differs.

Every item of the claim is put at one of its places in the text, so that neighbours stay near each other. Then what ties
neighbours in the claim has to tie them in the text: who does what, what is of what, what comes before what, which
number is of what, and what is denied. All of it is linear in the length of the text.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from indexing.language import Quantity, Token, agree, opposite, without_accents
from rag.attribution.rules.claim_match import ClaimMatch, Item, Span, TokenPlace, is_self, same_quantity
from rag.attribution.rules.doubts import denial_doubts, far_doubts, number_doubts
from rag.attribution.rules.ties import tie_doubts
from rag.attribution.words import Claims, lexicon, rank

PLACES = 8
"""The most places in a text at which an item of a claim is tried: those nearest to the passage that matches best."""
FAR = 40
"""The distance in words from which all places are equally far."""
BACK = 0.5
"""The cost of a place before that of the item before it."""
APART = 3.0
"""The cost of parting the words of a compound: "Wi-Fi", "GOES-11"."""
MOST_ITEMS = 300
"""The most items of a claim that are matched with a text."""
_OURS = frozenset(["we", "our", "us", "ours"])


@dataclass(frozen=True, slots=True)
class Difference:
    """What a claim and an element differ in: (start, end) in the claim, and in the element's text.

    `reason` says it in words; `place` is the (start, end) of the sentence or the cell that contradicts.
    """

    reason: str
    said: Span
    found: Span
    place: Span


@dataclass(slots=True)
class TextReading:
    """The result of reading a claim in an element: where its items occur, what is in doubt, what differs."""

    places: dict[int, Span] = field(default_factory=dict)
    """The (start, end) in the element's text of each item that is there, by its place in the list of items."""
    around: set[int] = field(default_factory=set)
    """The items that the caption, the headings or the context have."""
    doubts: list[str] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    match: ClaimMatch | None = None

    @property
    def has(self) -> set[int]:
        """The items that the element has, itself or around it."""
        return {*self.places, *self.around}


def read_text(claims: Claims, items: Sequence[Item], part: Claims, around: Sequence[Claims]) -> TextReading:
    """Return the reading of a claim in a text, whose claims are `part`, around the passage that matches best.

    `around` are the claims of caption, headings and context; they count for words, names, dates, labels, not numbers.
    """
    if not items or len(items) > MOST_ITEMS or not part.tokens:
        return TextReading(around=_items_around(items, around))
    places = _candidates(items, part)
    opening, ending = part.tokens[0].start, part.tokens[-1].end
    passages = rank(claims.tokens, part.text[:ending])[:9] if opening == 0 else []
    best = max(passages, key=lambda p: _score(p.score, p.start, p.end, items, part), default=None)
    centre = (best.start + best.end) / 2 if best is not None else (opening + ending) / 2
    choice = _place_items(claims, items, part, places, centre)
    reading = TextReading({n: (place.start, place.end) for n, place in choice.items()})
    nearby = reading.around = _items_around(items, around) - set(choice)
    match = reading.match = ClaimMatch(claims, items, part, choice)
    reading.doubts += [*tie_doubts(match), *number_doubts(match), *far_doubts(match, nearby), *denial_doubts(match)]
    return reading


def _score(score: float, start: int, end: int, items: Sequence[Item], part: Claims) -> float:
    """Return the score of a passage plus the weight of the items whose quantities it has."""
    inside = part.claims_between(start, end).quantities
    return score + sum(i.weight for i in items if i.quantity and any(agree(i.quantity, q) for q in inside))


def _candidates(items: Sequence[Item], part: Claims) -> list[list[TokenPlace]]:
    """Return, for each item, the places in the text that it may have."""
    by_stem: dict[str, list[int]] = defaultdict(list)
    by_form: dict[str, list[int]] = defaultdict(list)
    for n, token in enumerate(part.tokens):
        by_stem[token.stem].append(n)
        if not token.stop:
            by_form[token.key[:4]].append(n)
        if token.key in _OURS:
            by_stem["we"].append(n)
    starts = [t.start for t in part.tokens]
    places: list[list[TokenPlace]] = []
    for item in items:
        if item.quantity is not None:
            same = [q for q in part.quantities if same_quantity(item.quantity, q)]
            places.append([TokenPlace(*_tokens_of(part.tokens, starts, q), q.start, q.end) for q in same])
            continue
        own = by_stem[item.token.stem]
        if item.token.name:
            own = [n for n in own if _same_name(item.token.key, part.tokens[n].key)]
        own = own or [n for n in by_form[item.token.key[:4]] if one_word(item.token.key, part.tokens[n].key)]
        if not own and not item.text.isascii():
            bare = without_accents(item.token.key)
            own = [n for n, t in enumerate(part.tokens) if not t.key.isascii() and without_accents(t.key) == bare]
        own = own or (by_stem["we"] if is_self(item) else [])
        places.append([TokenPlace(n, n, part.tokens[n].start, part.tokens[n].end) for n in own])
    return places


def _tokens_of(every: Sequence[Token], starts: Sequence[int], quantity: Quantity) -> tuple[int, int]:
    """Return the first and last token of a quantity, which may begin with a sign that is no word."""
    first = max(bisect_right(starts, quantity.start) - 1, 0)
    first += every[first].end <= quantity.start and first + 1 < len(every)
    return first, max(bisect_left(starts, quantity.end) - 1, first)


def _same_name(key: str, other: str) -> bool:
    """Return True if two names are spelled alike but for a plural ending; names are not compared by their stems."""
    return key == other or key + "s" == other or key.removesuffix("s") == other


def one_word(one: str, other: str) -> bool:
    """Return True if two words are forms of one: "implement" and "implementation"."""
    one, other = one.removesuffix("s"), other.removesuffix("s")
    same = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return same >= 4 and one.isalpha() and {one[same:], other[same:]} <= lexicon.SUFFIXES and not opposite(one, other)


def _items_around(items: Sequence[Item], around: Sequence[Claims]) -> set[int]:
    """Return the indices of the items that the texts around an element have (caption, headings, context)."""
    stems = {t.stem for c in around for t in c.tokens}
    every = [q for c in around for q in c.quantities]
    indices = set()
    for n, item in enumerate(items):
        quantity = item.quantity
        if quantity is None:
            there = item.token.stem in stems and (item.token.name or not item.token.key.endswith("ed"))
        elif quantity.kind == "moment":
            parts = [(name, getattr(quantity, name)) for name in ("year", "quarter", "month", "day")]
            there = all(not v or any(q.kind == "moment" and getattr(q, name) == v for q in every) for name, v in parts)
        else:
            there = any(agree(quantity, q) for q in every) and (quantity.kind == "label" or bool(quantity.unit))
        if there:
            indices.add(n)
    return indices


def _place_items(
    claims: Claims, items: Sequence[Item], part: Claims, places: Sequence[Sequence[TokenPlace]], centre: float
) -> dict[int, TokenPlace]:
    """Return the place of each item that has one, chosen by dynamic programming to keep neighbours near each other."""
    best: dict[int, list[tuple[float, TokenPlace, int]]] = {}  # item -> (cost, place, index in the item before)
    before = -1
    for n, every in enumerate(places):
        if not every:
            continue
        near = sorted(every, key=lambda p: abs(p.start - centre))[:PLACES]
        rows: list[tuple[float, TokenPlace, int]] = []
        for place in near:
            away = min(abs(place.start - centre) / 400, 1.0)
            if before < 0:
                rows.append((away, place, -1))
                continue
            glued = before == n - 1 and claims.text[items[before].end : items[n].start] in ("-", ".", "/", "_", "")
            steps = [
                cost + _step_cost(part, old, place) + (APART if glued and place.first != old.last + 1 else 0.0)
                for cost, old, _ in best[before]
            ]
            cheapest = min(range(len(steps)), key=steps.__getitem__)
            rows.append((steps[cheapest] + away, place, cheapest))
        best[n] = rows
        before = n
    choice: dict[int, TokenPlace] = {}
    at = -1
    for n in reversed(best):
        row = min(range(len(best[n])), key=lambda k: best[n][k][0]) if at < 0 else at
        choice[n] = best[n][row][1]
        at = best[n][row][2]
    return choice


def _step_cost(part: Claims, old: TokenPlace, new: TokenPlace) -> float:
    """Return the cost of two neighbouring items at these places: their distance in words, more if in reverse order."""
    if old == new:
        return 2.0
    away = min(abs(part.tokens[new.first].at - part.tokens[old.last].at), FAR) / 10
    return away + (BACK if new.first < old.first else 0.0)
