"""A claim laid beside a running text, item by item: what stands there, what differs, and what leaves it in doubt.

Every item of the claim is put at one of its places in the text, so that neighbours stay near each other. Then what ties
neighbours in the claim has to tie them in the text: who does what, what is of what, what comes before what, which
number is of what, and what is denied. All of it is linear in the length of the text.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from itertools import pairwise

from indexing.language import Quantity, Token, agree, opposite, without_accents
from rag.attribution.rules.claim_match import (
    ClaimMatch,
    Item,
    Span,
    TokenPlace,
    is_self,
    same_quantity,
    sentence_starts,
)
from rag.attribution.rules.ties import NumberRivals, tie_doubts, words_of_other_numbers
from rag.attribution.words import Claims, lexicon, rank, scope

REACH = 12
"""The most words that are looked back over for what a word is tied to."""
LONG_HOME = 120
"""The most words among which every number is heard."""
CLOSE = 8
"""The most words of a text between a name and what a claim says of it."""
RUN = 4
"""The most words of a text from one word of a name to the next."""
_PRONOUNS = frozenset(
    ["it", "its", "they", "their", "them", "he", "his", "she", "her", "this", "these", "those", "such"]
)


def number_doubts(match: ClaimMatch) -> list[str]:
    """Return doubts, in words, about numbers that the text says of something else than the claim does."""
    doubts = []
    holders: dict[Span, int] = {}
    rivals: dict[Span, NumberRivals] = {}
    for n, item in enumerate(match.items):
        quantity = item.quantity
        if quantity is None or n not in match.places:
            continue
        if holders.setdefault(match.places[n][2:], n) != n and quantity.kind == "number":
            doubts.append(f"the text says {item.text!r} once")
        if quantity.soft:
            continue
        near = _sentences_about(match, n)
        same = [q for q in near.quantities if same_quantity(quantity, q)]
        span = near.tokens[0].start, near.tokens[-1].end
        shared = rivals[span] = rivals.get(span) or NumberRivals(match.claims, near)
        other = shared.rival(quantity, same) if same else None
        if other is not None:
            doubts.append(f"where the text speaks of this it says {match.part.wording(other)}, not {item.text}")
    for n in match.places:
        if match.items[n].quantity is None or match.claims.negations:
            continue
        negations = match.part_of(match.places[n].first).negations
        doubts += [f"the text says {match.part.phrase(t)!r} of {match.items[n].text!r}" for t in negations[:1]]
    spans = [(match.places[n].start, match.places[n].end) for n in match.places if match.items[n].quantity is not None]
    strange = words_of_other_numbers(match.claims, match.part, spans)
    return doubts + [f"the text says {match.claims.said_word(t)!r} of another number" for t in strange]


def _sentences_about(match: ClaimMatch, n: int) -> Claims:
    """Return the sentences of the text that have the claim's items; if long, about 360 words around item `n`."""
    near = match.home()
    if len(near.tokens) > LONG_HOME:
        near = match.home({k for k in (n - 1, n, n + 1) if k in match.places})
    if len(near.tokens) > LONG_HOME:
        block = match.places[n].first // LONG_HOME * LONG_HOME  # its neighbours' words are mostly the same
        about = match.part.tokens[max(block - LONG_HOME, 0) : block + 2 * LONG_HOME]
        near = near.claims_between(about[0].start, about[-1].end)
    return near


def far_doubts(match: ClaimMatch, around: Set[int]) -> list[str]:
    """Return doubts about items that are in another sentence than most, or where the text has another word instead.

    For the second, items that the text lacks count too, if they are not needed or are in the texts `around` it.
    """
    ends = sentence_starts(match.part.text)
    sentence = {n: bisect_right(ends, place.start) for n, place in match.places.items()}
    weights: dict[int, float] = defaultdict(float)
    for n, k in sentence.items():
        weights[k] += match.items[n].weight
    home = max(weights, key=lambda k: weights[k], default=0)
    doubts = [
        f"the text says {match.items[n].text!r} elsewhere"
        for n, k in sentence.items()
        if match.items[n].needed and not _may_belong(match, match.items[n], k, home)
    ]  # fmt: skip
    doubts += [f"the text says {i.text!r} of something else" for n, i in enumerate(match.items) if _is_far(match, n)]
    doubts += [f"the text does not say {match.claims.text[a.start : b.end]!r}" for a, b in _split_names(match)]
    for n, item in enumerate(match.items):
        if item.quantity is not None or (n not in match.places and (item.asked or (item.needed and n not in around))):
            continue
        instead = match.instead(n)
        if instead is None:
            continue
        is_opposite = any(opposite(item.token.stem, t.stem) for t in instead)
        if is_opposite or n not in match.places or (item.needed and instead[0].key not in lexicon.DIRECTION_WORDS):
            doubts.append(f"the text says {match.part.said_word(instead[0])!r} here, not {item.text!r}")
    return doubts


def _split_names(match: ClaimMatch) -> Iterator[tuple[Item, Item]]:
    """Yield neighbouring items that form one name or number in the claim ("GOES-11") but are apart in the text."""
    for n, (a, b) in enumerate(pairwise(match.items)):
        if n not in match.places or n + 1 not in match.places:
            continue
        away = match.places[n + 1].first - match.places[n].last
        gap = match.claims.text[a.end : b.start]
        marked = any(c.isdigit() for c in a.text + b.text) or (a.token.name and b.token.name)
        named = a.text[:1].isupper() and (b.text[:1].isupper() or b.quantity is not None)
        if (gap in (".", "-", "_", "/", "") and marked and away != 1) or (gap == " " and named and not 0 < away <= RUN):
            yield a, b


def _are_one_name(match: ClaimMatch, n: int) -> bool:
    """Return True if an item and the next are words of one name."""
    a, b = match.items[n], match.items[n + 1]
    return a.text[:1].isupper() and b.text[:1].isupper() and b.start - a.end <= 1


def _is_far(match: ClaimMatch, n: int) -> bool:
    """Return True for a needed name or ordinal that is far, in the text, from both items beside it in the claim."""
    quantity = match.items[n].quantity
    ordinal = quantity is not None and quantity.unit == "th"
    if n not in match.places or not match.items[n].needed or not (match.items[n].token.name or ordinal):
        return False
    first, last = n, n
    while first and _are_one_name(match, first - 1):
        first -= 1
    while last + 1 < len(match.items) and _are_one_name(match, last):
        last += 1
    before = next((k for k in range(first - 1, -1, -1) if k in match.places), None)
    after = next((k for k in range(last + 1, len(match.items)) if k in match.places), None)
    own = match.places[n].first
    away = [abs(match.places[k].first - own) for k in (before, after) if k is not None]
    return bool(away) and min(away) > (RUN if ordinal else CLOSE)


def _may_belong(match: ClaimMatch, item: Item, k: int, home: int) -> bool:
    """Return True if an item in sentence `k` may belong to the sentence `home`, which has most of the others."""
    if match.claims.text[item.start - 1] == "(":  # a short form: "logic programming (LP)"
        return True
    if not item.token.name:
        return abs(k - home) <= 1
    return k == home or (k == home - 1 and _has_pronoun(match, home))


def _has_pronoun(match: ClaimMatch, home: int) -> bool:
    """Return True if sentence `home` has a pronoun, which may stand for a word of the sentence before."""
    ends = (0, *sentence_starts(match.part.text), len(match.part.text) + 1)
    return any(t.key in _PRONOUNS for t in match.part.claims_between(ends[home], ends[home + 1]).tokens)


def denial_doubts(match: ClaimMatch) -> list[str]:
    """Return doubts about words that only the claim negates, or only the text."""
    mine, yours = _negated_words(match.claims), _negated_words(match.part)
    doubts: list[str] = []
    if not mine and not yours:
        return doubts
    for n, item in enumerate(match.items):
        if n not in match.places:
            continue
        here, there = mine.get(item.token.start), yours.get(match.part.tokens[match.places[n].first].start)
        if here and not there:
            doubts.append(f"the text does not say {match.claims.phrase(here)!r}")
        if there and not here:
            doubts.append(f"the text says {match.part.phrase(there)!r}")
    first = min((place.first for place in match.places.values()), default=0)
    window = match.part.tokens[max(first - REACH, 0) : first]
    outer_negations = [t for t in match.home().negations if t in window and any(u.key == "that" for u in window)]
    if outer_negations and not match.claims.negations:
        doubts.append(f"the text says {match.part.phrase(outer_negations[0])!r} before these words")
    starts = {i.token.start for n, i in enumerate(match.items) if n in match.places}
    near = match.home().negations
    unsaid = [t for t in match.claims.negations if not any(t is d and at in starts for at, d in mine.items())]
    return doubts + [f"the text does not say {match.claims.phrase(t)!r}" for t in unsaid if not near][:1]


def _negated_words(claims: Claims) -> dict[int, Token]:
    """Return the negations by the start of the first content word in the scope of each."""
    negation_of: dict[int, Token] = {}
    for negation in claims.negations:
        for token in scope(claims, negation)[:1]:
            negation_of.setdefault(token.start, negation)
    return negation_of


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
