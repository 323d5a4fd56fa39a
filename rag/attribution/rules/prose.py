"""A claim laid beside a running text, item by item: what stands there, what is tied to something else, what differs.

Every item of the claim is put at one of its places in the text, so that neighbours stay near each other. Then what ties
neighbours in the claim has to tie them in the text: who does what, what is of what, what comes before what, which
number is of what, and what is denied. All of it is linear in the length of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from rag.attribution.rules.align import Token, opposite, rank
from rag.attribution.rules.binding import elsewhere, rival
from rag.attribution.rules.claims import CLAUSE, Claims, qualifiers, scope
from rag.attribution.rules.frames import connects
from rag.attribution.rules.items import Item, is_self
from rag.attribution.rules.lexicon import (
    AUXILIARIES,
    CLAUSES,
    DETERMINERS,
    DIRECTIONS,
    EXCEPTING,
    NEEDED_TIES,
    NEGATIONS,
    PARTICLES,
    PREPOSITIONS,
)
from rag.attribution.rules.quantity import Quantity, agree
from rag.sentences import sentence_spans

PLACES = 8
"""The most places in a text at which an item of a claim is tried: those nearest to the passage that matches best."""
FAR = 40
"""The distance in words from which all places are equally far."""
BACK = 0.5
"""The cost of a place before that of the item before it."""
REACH = 12
"""The most words that are looked back over for what a word is tied to."""
SENTENCE = 8
"""A step between words (`Token.at`) that ends a sentence."""
PASSAGES = 3
"""The passages about which the items are placed, each in turn."""
GAP = 5
"""The most words of a text between two neighbours of a claim that stand in the place of what the claim has there."""
CLOSE = 8
"""The most words of a text between a name and what a claim says of it."""
RUN = 4
"""The most words of a text from one word of a name to the next."""
LONG = 60
"""The most words of a part of a sentence on either side of one."""
MOST_ITEMS = 300
"""The most items of a claim that are laid beside a text."""
_ENDINGS = frozenset(
    ["", "e", "ed", "ing", "ion", "ation", "ment", "ance", "ence", "al", "ial", "ical", "ic", "ive", "ity", "ness", "y"]
    + ["ous", "ly", "er", "or", "s", "ure", "ary", "able", "ible", "th", "ledge", "ency", "ancy", "ent", "t", "en"]
)  # fmt: skip
_PRONOUNS = frozenset(
    ["it", "its", "they", "their", "them", "he", "his", "she", "her", "this", "these", "those", "such"]
)
_BEING = frozenset(["is", "are", "was", "were", "be", "been", "being"])
_OURS = frozenset(["we", "our", "us", "ours"])
Span = tuple[int, int]


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
class Reading:
    """What an element has of a claim: the places of its items, what is in doubt, and what the element says instead."""

    places: dict[int, Span] = field(default_factory=dict)
    """The (start, end) in the element's text of each item that is there, by its place in the list of items."""
    around: set[int] = field(default_factory=set)
    """The items that the caption, the headings or the context have."""
    doubts: list[str] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    laid: Laid | None = None

    @property
    def has(self) -> set[int]:
        """The items that the element has, itself or around it."""
        return {*self.places, *self.around}


class _Place(NamedTuple):
    """Where an item stands in a text: its first and last token, its (start, end)."""

    first: int
    last: int
    start: int
    end: int


def read_text(claims: Claims, items: Sequence[Item], part: Claims, around: Sequence[Claims]) -> Reading:
    """Return the best reading of a claim in a text, of which `part` are the claims.

    `around` is said around the text: it counts for words, names, dates and labels, not for numbers.
    """
    if not items or len(items) > MOST_ITEMS or not part.tokens:
        return Reading(around=_around(items, around))
    places = _candidates(items, part)
    opening, ending = part.tokens[0].start, part.tokens[-1].end
    ranked = rank(claims.tokens, part.text[:ending]) if opening == 0 else []
    near = [
        (p.start + p.end) / 2 for p in sorted(ranked[:9], key=lambda p: -_score(p.score, p.start, p.end, items, part))
    ]
    readings = [
        _reading(claims, items, part, around, places, centre)
        for centre in (near[:PASSAGES] or [(opening + ending) / 2])
    ]
    return min(readings, key=lambda r: lacking_weight(items, r.has) + 2.0 * len(r.doubts))


def lacking_weight(items: Sequence[Item], has: set[int]) -> float:
    """Return the weight of the items that are needed and not there."""
    return sum(item.weight for n, item in enumerate(items) if item.needed and n not in has)


def _score(score: float, start: int, end: int, items: Sequence[Item], part: Claims) -> float:
    inside = part.between(start, end).quantities
    return score + sum(i.weight for i in items if i.quantity and any(agree(i.quantity, q) for q in inside))


def _candidates(items: Sequence[Item], part: Claims) -> list[list[_Place]]:
    """Return the places (first and last token) that each item may have in a text."""
    by_stem: dict[str, list[int]] = defaultdict(list)
    by_form: dict[str, list[int]] = defaultdict(list)
    for n, token in enumerate(part.tokens):
        by_stem[token.stem].append(n)
        if not token.stop:
            by_form[token.key[:4]].append(n)
        if token.key in _OURS:
            by_stem["we"].append(n)
    starts = [t.start for t in part.tokens]
    found: list[list[_Place]] = []
    for item in items:
        if item.quantity is not None:
            same = [q for q in part.quantities if says(item.quantity, q)]
            found.append([_Place(*_tokens_of(starts, q), q.start, q.end) for q in same])
            continue
        own = by_stem[item.token.stem]
        if item.token.name:
            own = [n for n in own if _same_name(item.token.key, part.tokens[n].key)]
        own = own or [n for n in by_form[item.token.key[:4]] if one_word(item.token.key, part.tokens[n].key)]
        own = own or (by_stem["we"] if is_self(item) else [])
        found.append([_Place(n, n, part.tokens[n].start, part.tokens[n].end) for n in own])
    return found


def _tokens_of(starts: Sequence[int], quantity: Quantity) -> tuple[int, int]:
    """Return the first and last token of a quantity."""
    first = max(bisect_right(starts, quantity.start) - 1, 0)
    return first, max(bisect_left(starts, quantity.end) - 1, first)


def says(asked: Quantity, there: Quantity) -> bool:
    """Return True if a quantity of a text is that of a claim, and a bound is one ("at least", "over")."""
    return agree(asked, there) and not (asked.bound and not there.bound and asked.kind == "number")


def _same_name(key: str, other: str) -> bool:
    """Return True if names are the same: they are not reduced to a meaning, at most a plural ending may differ."""
    return key == other or key + "s" == other or key.removesuffix("s") == other


def one_word(one: str, other: str) -> bool:
    """Return True if two words are forms of one: "implement" and "implementation"."""
    one, other = one.removesuffix("s"), other.removesuffix("s")
    same = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return same >= 4 and one.isalpha() and {one[same:], other[same:]} <= _ENDINGS and not opposite(one, other)


def _reading(
    claims: Claims,
    items: Sequence[Item],
    part: Claims,
    around: Sequence[Claims],
    places: Sequence[Sequence[_Place]],
    centre: float,
) -> Reading:
    chosen = _placed(part, places, centre)
    reading = Reading({n: (place.start, place.end) for n, place in chosen.items()})
    reading.around = _around(items, around) - set(chosen)
    laid = reading.laid = Laid(claims, items, part, chosen)
    reading.doubts += [*laid.ties(), *laid.numbers(), *laid.far(), *laid.denials(), *laid.needed_ties()]
    return reading


def _around(items: Sequence[Item], around: Sequence[Claims]) -> set[int]:
    stems = {t.stem for c in around for t in c.tokens}
    every = [q for c in around for q in c.quantities]
    found = set()
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
            found.add(n)
    return found


def _placed(part: Claims, places: Sequence[Sequence[_Place]], centre: float) -> dict[int, _Place]:
    """Return the place of each item that has one, such that neighbours are nearest to each other."""
    best: dict[int, list[tuple[float, _Place, int]]] = {}  # item -> (cost, place, index in the item before)
    before = -1
    for n, every in enumerate(places):
        if not every:
            continue
        near = sorted(every, key=lambda p: abs(p.start - centre))[:PLACES]
        rows: list[tuple[float, _Place, int]] = []
        for place in near:
            away = min(abs(place.start - centre) / 400, 1.0)
            if before < 0:
                rows.append((away, place, -1))
                continue
            steps = [cost + _step(part, old, place) for cost, old, _ in best[before]]
            cheapest = min(range(len(steps)), key=steps.__getitem__)
            rows.append((steps[cheapest] + away, place, cheapest))
        best[n] = rows
        before = n
    chosen: dict[int, _Place] = {}
    at = -1
    for n in reversed(best):
        row = min(range(len(best[n])), key=lambda k: best[n][k][0]) if at < 0 else at
        chosen[n] = best[n][row][1]
        at = best[n][row][2]
    return chosen


def _step(part: Claims, old: _Place, new: _Place) -> float:
    if old == new:
        return 2.0
    away = min(abs(part.tokens[new.first].at - part.tokens[old.last].at), FAR) / 10
    return away + (BACK if new.first < old.first else 0.0)


def ends_part(token: Token, onward: Token) -> bool:
    """Return True if a part of a sentence ends between two words that follow each other: at a comma, or more."""
    figure = token.key.isdigit() and onward.key.isdigit() and onward.start - token.end == 1
    return onward.at - token.at > CLAUSE and not figure


@lru_cache(maxsize=256)
def sentence_starts(text: str) -> tuple[int, ...]:
    """Return where each sentence but the first begins; so does each line."""
    lines = [m.end() for m in re.finditer(r"\n", text)]
    return tuple(sorted({*(start for start, _ in sentence_spans(text)[1:]), *lines}))


@dataclass(frozen=True, slots=True)
class Laid:
    """A claim that is laid beside a text: the tokens at which each of its items stands there."""

    claims: Claims
    items: Sequence[Item]
    part: Claims
    chosen: Mapping[int, _Place]

    def ties(self) -> list[str]:
        """Return the items that the text ties to something else than the claim does."""
        owner = {k: n for n, place in self.chosen.items() for k in range(place.first, place.last + 1)}
        at = {t.start: k for k, t in enumerate(self.claims.tokens)}
        own: dict[int, int] = {}
        for n, item in enumerate(self.items):
            k = at[item.token.start]
            while k < len(self.claims.tokens) and self.claims.tokens[k].start < item.end:
                own[k] = n
                k += 1
        pairs: dict[int, tuple[_Tie, _Tie]] = {}
        for n in self.chosen:
            mine = _tie(self.claims.tokens, at[self.items[n].token.start], own.get)
            pairs[n] = mine, _tie(self.part.tokens, self.chosen[n].first, owner.get)
        found = []
        for n, (here, there) in sorted(pairs.items()):
            differs = self._by(n, here, there) if here.by else self._direct(n, here, there)
            if differs or self._crossed(n, pairs) or self._turned(n):
                told = self.part.said_word(self.part.tokens[self.chosen[n].first])
                instead = there.by or (self.items[there.item].text if there.item is not None else "")
                instead = instead or (self.part.said_word(there.skipped[0]) if there.skipped else "something else")
                found.append(f"the text ties {told!r} to {instead!r}, not as the sentence does")
        return found

    def _by(self, n: int, here: _Tie, there: _Tie) -> bool:
        """Return True if the claim ties an item by a preposition that the text does not tie it by."""
        mine, yours = PREPOSITIONS[here.by], PREPOSITIONS.get(there.by, frozenset())
        if mine and yours and not mine & yours:
            return True
        if (
            here.by in ("after", "before", "until", "without", "against")
            and not yours & mine
            and not self._near(n, mine)
        ):
            return True
        if here.item not in self.chosen or here.item is None:
            return False
        if here.by == "by" and not there.by and self.chosen[n].first > self.chosen[here.item].first:
            return True
        if mine and here.by not in NEEDED_TIES and not there.by and there.item is not None and there.item < here.item:
            return True
        counted = self.items[n].quantity is not None and self.items[here.item].needed
        if counted and self._sentence(n) != self._sentence(here.item):
            return True
        onward = self.part.tokens[self.chosen[here.item].last + 1 : self.chosen[here.item].last + 7]
        ended = there.by and there.item is None and there.skipped and here.by == there.by
        return bool(ended and any(t.key == here.by for t in onward) and self._part_ends(here.item, n))

    def _direct(self, n: int, here: _Tie, there: _Tie) -> bool:
        """Return True if the text ties an item to another word than the one right before it in the claim."""
        if here.item is None or here.item not in self.chosen:
            return False
        item, before = self.items[n], self.items[here.item]
        if there.item == here.item:
            return there.by in ("by", "without", "against", "from")
        close = item.start - before.end == 1
        strange = [t for t in there.skipped if not t.key.endswith("ly") and not connects(t)]
        if close and strange and there.item is None and (before.token.name or before.quantity is not None):
            return True
        if item.quantity is not None and any(
            t.stem == before.token.stem for t in strange
        ):  # the word, of something else
            return True
        if there.item is None and any(t.key.isdigit() for t in strange) and self.claims.numbers:
            return True
        named = item.text[:1].isupper() or before.text[:1].isupper()
        if (item.asked or before.asked) and not named:
            return False
        apart = close and there.item is None and not there.skipped and self._part_ends(here.item, n)
        if apart and item.quantity is None and before.token in qualifiers(self.claims, [before.token]):
            return True
        counted = item.quantity is not None and not (named or before.quantity is not None)
        if there.by or (item.quantity is not None and not close) or (counted and there.item is not None):
            return False
        led = self._led(self.part.tokens, self.part.tokens[self.chosen[here.item].first])
        if self._passive(n) and self.chosen[here.item].first > self.chosen[n].first:
            return False
        if there.item is not None:
            passive = led or self._led(self.claims.tokens, self.items[there.item].token)
            return abs(there.item - here.item) > 1 and not passive
        return bool(strange) and not led

    def _passive(self, n: int) -> bool:
        """Return True for a word behind a form of "be" in the claim, and behind none in the text."""
        at, first = bisect_left(self.claims.tokens, self.items[n].start, key=lambda t: t.start), self.chosen[n].first
        mine = at > 0 and self.claims.tokens[at - 1].key in _BEING
        return mine and not (first > 0 and self.part.tokens[first - 1].key in _BEING)

    def _crossed(self, n: int, pairs: Mapping[int, tuple[_Tie, _Tie]]) -> bool:
        """Return True if two items have changed places: "opens at noon and closes at six", "118,400 of 1,236"."""
        here, there = pairs[n]
        if here.item is None or there.item is None or here.item == there.item or not here.by:
            return False
        if pairs.get(here.item, (here, here))[1].item == n and there.item != here.item:
            return pairs[here.item][1].by == here.by
        return any(
            one.item == there.item and other.item == here.item and one.by == here.by
            for k, (one, other) in pairs.items() if k != n
        )  # fmt: skip

    def _turned(self, n: int) -> bool:
        """Return True if the text turns an item by a small word: "switch off", "except on Mondays"."""
        every, place = self.part.tokens, self.chosen[n]
        after = next((t.key for t in self.claims.tokens if t.start >= self.items[n].end), "")
        onward = every[place.last + 1].key if place.last + 1 < len(every) else ""
        if after != onward and {after, onward} in PARTICLES:
            return True
        before = {t.key for t in every[max(place.first - 3, 0) : place.first]}
        said = {t.key for t in self.claims.tokens}
        return bool(before & EXCEPTING) and not said & EXCEPTING

    def _near(self, n: int, kinds: frozenset[str]) -> bool:
        """Return True if a tie of a kind stands shortly before an item in its sentence."""
        first = self.chosen[n].first
        window = self.part.tokens[max(first - REACH, 0) : first]
        here = self._sentence(n)
        ends = sentence_starts(self.part.text)
        return any(PREPOSITIONS.get(t.key, frozenset()) & kinds and bisect_right(ends, t.start) == here for t in window)

    def _sentence(self, n: int) -> int:
        return bisect_right(sentence_starts(self.part.text), self.chosen[n].start)

    def _part_ends(self, one: int, other: int) -> bool:
        """Return True if a part of a sentence ends between two items."""
        first, last = sorted((self.chosen[one].last, self.chosen[other].first))
        return any(self._breaks(k) for k in range(first + 1, last + 1))

    @staticmethod
    def _led(every: Sequence[Token], token: Token) -> bool:
        """Return True for a word behind "by": who does it in the passive."""
        at = bisect_left(every, token.start, key=lambda t: t.start)
        return any(t.key == "by" for t in every[max(at - 3, 0) : at])

    def needed_ties(self) -> list[str]:
        """Return the words such as "before" and "without" that the text does not have where the items stand."""
        first = min((place.first for place in self.chosen.values()), default=0)
        near = (*self.part.tokens[max(first - 2, 0) : first], *self.home().tokens)
        there = {kind for t in near for kind in PREPOSITIONS.get(t.key, ())}
        numbers = {q.start for q in self.claims.quantities}
        taken = {i.token.start for i in self.items}
        return [
            f"the text does not say {self.claims.said_word(t)!r}"
            for t, onward in pairwise(self.claims.tokens)
            if t.key in NEEDED_TIES and not PREPOSITIONS[t.key] & there and t.start not in taken
            and onward.start not in numbers
        ]  # fmt: skip

    def home(self, near: Iterable[int] | None = None) -> Claims:
        """Return the sentences of the text in which the items stand, or some of them."""
        places = [self.chosen[n] for n in (self.chosen if near is None else near)]
        if not places:
            return self.part.between(0, 0)
        ends = (0, *sentence_starts(self.part.text), len(self.part.text))
        first = bisect_right(ends, min(p.start for p in places)) - 1
        last = bisect_right(ends, max(p.start for p in places)) - 1
        return self.part.between(ends[first], ends[min(last + 1, len(ends) - 1)])

    def part_of(self, at: int) -> Claims:
        """Return the part of the text, between commas, in which one of its words stands."""
        every = self.part.tokens
        first, last = at, at
        while first > 0 and at - first < LONG and not ends_part(every[first - 1], every[first]):
            first -= 1
        while last + 1 < len(every) and last - at < LONG and not ends_part(every[last], every[last + 1]):
            last += 1
        return self.part.between(every[first].start, every[last].end)

    def far(self) -> list[str]:
        """Return the items that stand in another part of the text than most others, or in the place of another word."""
        ends = sentence_starts(self.part.text)
        sentence = {n: bisect_right(ends, place.start) for n, place in self.chosen.items()}
        weights: dict[int, float] = defaultdict(float)
        for n, k in sentence.items():
            weights[k] += self.items[n].weight
        home = max(weights, key=lambda k: weights[k], default=0)
        found = [
            f"the text says {self.items[n].text!r} elsewhere"
            for n, k in sentence.items()
            if self.items[n].needed and not self._reaches(self.items[n], k, home)
        ]  # fmt: skip
        found += [f"the text says {i.text!r} of something else" for n, i in enumerate(self.items) if self._apart(n)]
        found += [f"the text does not say {self.claims.text[a.start : b.end]!r}" for a, b in self._split()]
        for n in self.chosen:
            instead = self.instead(n)
            turned = instead is not None and any(opposite(self.items[n].token.stem, t.stem) for t in instead)
            if instead is None or self.items[n].quantity is not None:
                continue
            if turned or (self.items[n].needed and instead[0].key not in DIRECTIONS):
                found.append(f"the text says {self.part.said_word(instead[0])!r} here, not {self.items[n].text!r}")
        return found

    def _split(self) -> Iterator[tuple[Item, Item]]:
        """Yield neighbours that are one name or number in the claim ("GOES-11", "Old Detroit"), and not in the text."""
        for n, (a, b) in enumerate(pairwise(self.items)):
            if n not in self.chosen or n + 1 not in self.chosen:
                continue
            away = self.chosen[n + 1].first - self.chosen[n].last
            gap = self.claims.text[a.end : b.start]
            marked = any(c.isdigit() for c in a.text + b.text) or (a.token.name and b.token.name)
            if gap in (".", "-", "_", "/", "") and marked and away != 1:
                yield a, b
                continue
            named = a.text[:1].isupper() and (b.text[:1].isupper() or b.quantity is not None)
            if gap == " " and named and not 0 < away <= RUN:
                yield a, b

    def _close(self, n: int) -> bool:
        """Return True if an item and the next are words of one name."""
        a, b = self.items[n], self.items[n + 1]
        return a.text[:1].isupper() and b.text[:1].isupper() and b.start - a.end <= 1

    def _apart(self, n: int) -> bool:
        """Return True for a needed name that stands far from both of its neighbours in the claim."""
        ordinal = self.items[n].quantity is not None and self.items[n].quantity.unit == "th"
        if n not in self.chosen or not self.items[n].needed or not (self.items[n].token.name or ordinal):
            return False
        first, last = n, n
        while first and self._close(first - 1):
            first -= 1
        while last + 1 < len(self.items) and self._close(last):
            last += 1
        before = next((k for k in range(first - 1, -1, -1) if k in self.chosen), None)
        after = next((k for k in range(last + 1, len(self.items)) if k in self.chosen), None)
        own = self.chosen[n].first
        away = [abs(self.chosen[k].first - own) for k in (before, after) if k is not None]
        return bool(away) and min(away) > (RUN if ordinal else CLOSE)

    def _reaches(self, item: Item, k: int, home: int) -> bool:
        """Return True if an item may stand in sentence `k` where most others stand in `home`."""
        if not item.token.name:
            return abs(k - home) <= 1
        return k == home or (k == home - 1 and self._refers(home))

    def _refers(self, home: int) -> bool:
        """Return True if a sentence of the text, by its number, has a word that stands for one of the sentence before."""
        ends = (0, *sentence_starts(self.part.text), len(self.part.text) + 1)
        return any(t.key in _PRONOUNS for t in self.part.between(ends[home], ends[home + 1]).tokens)

    def instead(self, n: int) -> list[Token] | None:
        """Return the words that the text has between the neighbours of an item, where the item itself is not there."""
        before = next((k for k in range(n - 1, -1, -1) if k in self.chosen), None)
        after = next((k for k in range(n + 1, len(self.items)) if k in self.chosen), None)
        if before is None or n - before > 3:
            return None
        first = self.chosen[before].last + 1
        last = self.chosen[after].first if after is not None and after - n <= 3 else len(self.part.tokens)
        ended = next((k for k in range(first, min(first + GAP, last)) if self._breaks(k)), last)
        if after is None and not 0 < ended - first < GAP:
            window = self.part.tokens[first : first + GAP]
            return [t for t in window if opposite(self.items[n].token.stem, t.stem)] or None
        last = ended if after is None else last
        if not 0 < last - first <= GAP or (n in self.chosen and first <= self.chosen[n].first < last):
            return None
        taken = {k for place in self.chosen.values() for k in range(place.first, place.last + 1)}
        words = [self.part.tokens[k] for k in range(first, last) if k not in taken]
        words = [t for t in words if (not t.stop or t.key in DIRECTIONS) and not connects(t) and not t.key.isdigit()]
        return words or None

    def _breaks(self, k: int) -> bool:
        return k > 0 and ends_part(self.part.tokens[k - 1], self.part.tokens[k])

    def numbers(self) -> list[str]:
        """Return the numbers that the text says of something else than the claim."""
        found = []
        for n, item in enumerate(self.items):
            asked = item.quantity
            if asked is None or asked.soft or n not in self.chosen:
                continue
            near = self.home({k for k in (n - 1, n, n + 1) if k in self.chosen})
            same = [q for q in near.quantities if says(asked, q)]
            other = rival(self.claims, asked, near, same) if same else None
            if other is not None:
                found.append(f"where the text speaks of this it says {self.part.said(other)}, not {item.text}")
        for n in self.chosen:
            if self.items[n].quantity is None or self.claims.negations:
                continue
            denied = self.part_of(self.chosen[n].first).negations
            found += [f"the text says {self.part.phrase(t)!r} of {self.items[n].text!r}" for t in denied[:1]]
        proven = [(self.chosen[n].start, self.chosen[n].end) for n in self.chosen if self.items[n].quantity is not None]
        strange = elsewhere(self.claims, self.part, proven)
        return found + [f"the text says {self.claims.said_word(t)!r} of another number" for t in strange]

    def span(self) -> Span:
        """Return the (start, end) of the sentences in which the items stand."""
        every = self.home().tokens
        return (every[0].start, every[-1].end) if every else (0, 0)

    def denials(self) -> list[str]:
        """Return what one of the two denies and the other does not."""
        mine, yours = _denied(self.claims), _denied(self.part)
        found: list[str] = []
        if not mine and not yours:
            return found
        for n, item in enumerate(self.items):
            if n not in self.chosen:
                continue
            here, there = mine.get(item.token.start), yours.get(self.part.tokens[self.chosen[n].first].start)
            if here and not there:
                found.append(f"the text does not say {self.claims.phrase(here)!r}")
            if there and not here:
                found.append(f"the text says {self.part.phrase(there)!r}")
        first = min((place.first for place in self.chosen.values()), default=0)
        window = self.part.tokens[max(first - REACH, 0) : first]
        turned = [t for t in self.home().negations if t in window and any(u.key == "that" for u in window)]
        if turned and not self.claims.negations:
            found.append(f"the text says {self.part.phrase(turned[0])!r} before these words")
        placed = {i.token.start for n, i in enumerate(self.items) if n in self.chosen}
        near = self.home().negations
        unsaid = [t for t in self.claims.negations if not any(t is d and at in placed for at, d in mine.items())]
        return found + [f"the text does not say {self.claims.phrase(t)!r}" for t in unsaid if not near][:1]


def _denied(claims: Claims) -> dict[int, Token]:
    """Map the place of the first content word that each negation reaches to the negation."""
    found: dict[int, Token] = {}
    for negation in claims.negations:
        for token in scope(claims, negation)[:1]:
            found.setdefault(token.start, negation)
    return found


@dataclass(frozen=True, slots=True)
class _Tie:
    """What a word is tied to: by which preposition, to which item, over which words that are no items."""

    by: str = ""
    item: int | None = None
    skipped: tuple[Token, ...] = ()


def _tie(every: Sequence[Token], at: int, owner: Callable[[int], int | None]) -> _Tie:
    """Return what the word at a place is tied to by what stands before it in its part of the sentence."""
    by, skipped = "", list[Token]()
    for k in range(at - 1, max(at - 1 - REACH, -1), -1):
        token, onward = every[k], every[k + 1]
        if ends_part(token, onward) or token.key in CLAUSES:
            break
        item = owner(k)
        if skipped and token.key in ("after", "before", "until", "since"):  # they open a part of a sentence
            break
        if token.key in PREPOSITIONS:
            by = by if PREPOSITIONS.get(by) else token.key
        elif item is not None:
            return _Tie(by, item, tuple(skipped))
        elif not token.stop and token.key not in AUXILIARIES | DETERMINERS | NEGATIONS:
            skipped.append(token)
    return _Tie(by, None, tuple(skipped))
