"""What ties the words of a claim to each other and to its numbers, and whether a text ties them so.

Every item of the claim is tied to the item before it in its part of the sentence, right away or by a small word. The
text has to tie it to the same, by the same kind of word; what is turned round, crossed or of somebody else is in doubt.

"Weather caused 641 of these, engine trouble 322": engine belongs to 322. Every word is bound to the number of its kind
that it stands nearest to. A word that is said once with the first number may hold for those that follow ("caused"), so
words bound to the first count less against a later one than the other way round.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from indexing.language import Quantity, Token, agree
from rag.attribution.rules.claim_match import ClaimMatch, ends_part
from rag.attribution.words import NEAR, Claims, connects, lexicon, position, qualifiers, refers

CHAIN = 3
"""The most words that are one of the other, up to their head."""
REACH = 12
"""The most words that are looked back over for what a word is tied to."""
OPENING = ("after", "before", "until", "without", "against")
"""The ties that the text must have before the very word."""
_BEING = frozenset(["is", "are", "was", "were", "be", "been", "being"])


def tie_doubts(match: ClaimMatch) -> list[str]:
    """Return doubts, in words, about items that the text ties to something else than the claim does."""
    owner = {k: n for n, place in match.places.items() for k in range(place.first, place.last + 1)}
    at = {t.start: k for k, t in enumerate(match.claims.tokens)}
    own: dict[int, int] = {}
    for n, item in enumerate(match.items):
        k = at[item.token.start]
        while k < len(match.claims.tokens) and match.claims.tokens[k].start < item.end:
            own[k] = n
            k += 1
    pairs: dict[int, tuple[_Tie, _Tie]] = {}
    for n in match.places:
        mine = _tie_of(match.claims.tokens, at[match.items[n].token.start], own.get)
        pairs[n] = mine, _tie_of(match.part.tokens, match.places[n].first, owner.get)
    doubts = []
    for n, (here, there_tie) in sorted(pairs.items()):
        alike = _same(match, here.item, there_tie.item) or _share_head(pairs, here.item, there_tie.item)
        there = replace(there_tie, item=here.item) if alike else there_tie
        differs = _other_preposition(match, n, here, there) if here.by else _differs_directly(match, n, here, there)
        tied = here.by or match.items[n].quantity is not None
        if differs or (tied and _is_crossed(n, pairs)) or _is_reversed(match, n):
            word = match.part.said_word(match.part.tokens[match.places[n].first])
            instead = there.by or (match.items[there.item].text if there.item is not None else "")
            instead = instead or (match.part.said_word(there.between[0]) if there.between else "something else")
            doubts.append(f"the text ties {word!r} to {instead!r}, not as the sentence does")
    return doubts


def _same(match: ClaimMatch, one: int | None, other: int | None) -> bool:
    """Return True for two items that are the same word."""
    return None not in (one, other) and match.items[one].token.stem == match.items[other].token.stem  # type: ignore[index]


def _share_head(pairs: Mapping[int, tuple[_Tie, _Tie]], one: int | None, other: int | None) -> bool:
    """Return True if one item is of the other ("the value of the index"), so that both mean the same thing."""
    for first, goal, side in ((one, other, 0), (other, one, 1)):
        head = first
        for _ in range(CHAIN):
            if head is None or goal is None or head not in pairs or not pairs[head][side].by:
                break
            head = pairs[head][side].item
            if head == goal:
                return True
    return False


def _other_preposition(match: ClaimMatch, n: int, here: _Tie, there: _Tie) -> bool:
    """Return True if the claim ties item `n` by a preposition, and the text by none of the same kind."""
    mine, yours = lexicon.PREPOSITIONS[here.by], lexicon.PREPOSITIONS.get(there.by, frozenset())
    if not mine & yours and (yours if there.by in lexicon.REQUIRED_PREPOSITIONS else mine and yours):
        return True
    if here.by in OPENING and not yours & mine:
        return True
    return here.item is not None and here.item in match.places and _by_another(match, n, here.item, here, there)


def _by_another(match: ClaimMatch, n: int, back: int, here: _Tie, there: _Tie) -> bool:
    """Return True if the text ties item `n` to another item than `back`, to which the claim ties it."""
    place, before = match.places[n], match.places[back]
    done_by = here.by == "by" and not there.by and place.first > before.first
    direct = not there.by and there.item is not None and there.item < back and match.items[n].quantity is None
    counted = match.items[n].quantity is not None and match.items[back].needed
    onward = match.part.tokens[before.last + 1 : before.last + 7]
    ended = here.by == there.by and there.item is None and there.between and match.part_ends(back, n)
    return (
        done_by
        or (bool(lexicon.PREPOSITIONS[here.by]) and here.by not in lexicon.REQUIRED_PREPOSITIONS and direct)
        or (counted and match.sentence(n) != match.sentence(back))
        or (bool(ended) and any(t.key == here.by for t in onward))  # "from the mill, sugar from Malta"
    )


def _differs_directly(match: ClaimMatch, n: int, here: _Tie, there: _Tie) -> bool:
    """Return True if the text ties an item to another word than the one right before it in the claim."""
    if here.item is None or here.item not in match.places:
        return False
    if there.item == here.item:
        return there.by in ("by", "without", "against", "from") and match.items[here.item].quantity is None
    item, before = match.items[n], match.items[here.item]
    strange = [t for t in there.between if not (t.key.endswith("ly") or connects(t) or refers(t.key))]
    close, alone = item.start - before.end == 1, there.item is None
    fixed = before.token.name or before.quantity is not None
    if (close and strange and alone and fixed) or _another_number(match, n, here.item, there, strange):
        return True
    named = item.text[:1].isupper() or before.text[:1].isupper()
    if (item.asked or before.asked) and not named:
        return False
    first = match.places[here.item].first
    is_predicate = first > 0 and match.part.tokens[first - 1].key in _BEING  # "it is old" of "the old mill"
    qualified = item.quantity is None and not is_predicate and before.token in qualifiers(match.claims, [before.token])
    apart = alone and not there.between and qualified
    if close and match.part_ends(here.item, n) and (apart or _is_in_reverse(match, n, here.item)):
        return True
    counted = item.quantity is not None and (not close or not (alone or named or before.quantity is not None))
    return not there.by and not counted and _has_other_owner(match, n, here.item, there, strange)


def _is_in_reverse(match: ClaimMatch, n: int, back: int) -> bool:
    """Return True if the text has item `n` before item `back`; a count may be on either side of what is counted."""
    counts = any(q is not None and q.unit != "th" for q in (match.items[n].quantity, match.items[back].quantity))
    return not counts and match.places[n].first < match.places[back].first and match.sentence(n) == match.sentence(back)


def _another_number(match: ClaimMatch, n: int, back: int, there: _Tie, strange: Sequence[Token]) -> bool:
    """Return True if a number is of another word that is the same ("gross cost", "net cost"), or a word of a number."""
    if match.items[n].quantity is not None:
        return any(t.stem == match.items[back].token.stem for t in strange)
    return there.item is None and any(t.key.isdigit() for t in strange) and bool(match.claims.numbers)


def _has_other_owner(match: ClaimMatch, n: int, back: int, there: _Tie, strange: Sequence[Token]) -> bool:
    """Return True if the text ties a word to another one than the claim does; the passive swaps the two."""
    if _passive(match, n) and match.places[back].first > match.places[n].first:
        return False
    by = _follows_by(match.part.tokens, match.part.tokens[match.places[back].first])
    if there.item is None:
        return bool(strange) and not by
    return abs(there.item - back) > 1 and not by and not _follows_by(match.claims.tokens, match.items[there.item].token)


def _passive(match: ClaimMatch, n: int) -> bool:
    """Return True if item `n` follows a form of "be" in the claim but not in the text."""
    at, first = bisect_left(match.claims.tokens, match.items[n].start, key=lambda t: t.start), match.places[n].first
    mine = at > 0 and match.claims.tokens[at - 1].key in _BEING
    return mine and not (first > 0 and match.part.tokens[first - 1].key in _BEING)


def _is_crossed(n: int, pairs: Mapping[int, tuple[_Tie, _Tie]]) -> bool:
    """Return True if two items have changed places: "opens at noon and closes at six", "118,400 of 1,236"."""
    here, there = pairs[n]
    if here.item is None or there.item is None or here.item == there.item:
        return False
    if pairs.get(here.item, (here, here))[1].item == n and there.item != here.item:
        return pairs[here.item][1].by == here.by
    return any(
        one.item == there.item and other.item == here.item and one.by == here.by
        for k, (one, other) in pairs.items() if k != n
    )  # fmt: skip


def _is_reversed(match: ClaimMatch, n: int) -> bool:
    """Return True if the text, unlike the claim, reverses item `n`: "off" for "on", "except on Mondays"."""
    every, place = match.part.tokens, match.places[n]
    after = next((t.key for t in match.claims.tokens if t.start >= match.items[n].end), "")
    onward = every[place.last + 1].key if place.last + 1 < len(every) else ""
    if after != onward and {after, onward} in lexicon.PARTICLES:
        return True
    before = {t.key for t in every[max(place.first - 3, 0) : place.first]}
    claim_keys = {t.key for t in match.claims.tokens}
    return bool(before & lexicon.EXCEPTION_WORDS) and not claim_keys & lexicon.EXCEPTION_WORDS


def _follows_by(every: Sequence[Token], token: Token) -> bool:
    """Return True for a word shortly after "by", which names who acts in a passive."""
    at = bisect_left(every, token.start, key=lambda t: t.start)
    return any(t.key == "by" for t in every[max(at - 3, 0) : at])


@dataclass(frozen=True, slots=True)
class _Tie:
    """The tie of a word to an earlier one: the preposition, the index of the item, and the words skipped between."""

    by: str = ""
    item: int | None = None
    between: tuple[Token, ...] = ()


def _tie_of(every: Sequence[Token], at: int, owner: Callable[[int], int | None]) -> _Tie:
    """Return the tie of token `at` to what is before it in its clause; `owner` gives the item of a token."""
    by, skipped_tokens = "", list[Token]()
    for k in range(at - 1, max(at - 1 - REACH, -1), -1):
        token, onward = every[k], every[k + 1]
        if ends_part(token, onward) or token.key in lexicon.CLAUSE_OPENERS:
            break
        item = owner(k)
        if skipped_tokens and token.key in ("after", "before", "until", "since"):  # they open a part of a sentence
            break
        if token.key == "to" and k and every[k - 1].key in ("due", "according", "compared", "owing", "thanks"):
            continue
        if token.key in lexicon.PREPOSITIONS:
            by = by if lexicon.PREPOSITIONS.get(by) else token.key
        elif item is not None:
            return _Tie(by, item, tuple(skipped_tokens))
        elif not token.stop and token.key not in lexicon.AUXILIARIES | lexicon.DETERMINERS | lexicon.NEGATIONS:
            skipped_tokens.append(token)
    return _Tie(by, None, tuple(skipped_tokens))


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
