"""What else is in doubt of a claim that is matched with a text: numbers of something else, names from afar, denials."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Set
from itertools import pairwise

from indexing.language import Token, opposite
from rag.attribution.rules.binding import NumberRivals, words_of_other_numbers
from rag.attribution.rules.claim_match import ClaimMatch, Item, Span, same_quantity, sentence_starts
from rag.attribution.words import Claims, lexicon, scope

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
