"""A sentence -> its claims: quantities, names, words, negations; and how its parts belong together."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TypeVar

from indexing.language import NUMBER_WEIGHT, Quantity, Token, quantities, tokens
from rag.attribution.words.lexicon import AUXILIARIES, DETERMINERS, LINKING_VERBS, NEGATIONS, PAST_FORMS, RELATION_WORDS

_T = TypeVar("_T", Token, Quantity)
Span = tuple[int, int]
"""The (start, end) of some characters of a text."""
NEAR = 4.0
"""The distance, in words, at which a word's tie to a number has fallen to 1/e."""
CLAUSE = 2.5
"""A step between words (`Token.at`) that a negation does not reach over: a comma or more."""
WITHIN = 24
"""The most words, common ones too, among which those are that a negation reaches."""
SCOPE = 3
"""The number of content words that a negation reaches."""


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims of a text. `words` are its content words and names without those inside a quantity."""

    text: str
    tokens: tuple[Token, ...]
    words: tuple[Token, ...]
    quantities: tuple[Quantity, ...]
    negations: tuple[Token, ...]

    @property
    def numbers(self) -> tuple[Quantity, ...]:
        """The quantities that must agree ("one" and "half" need not)."""
        return tuple(q for q in self.quantities if not q.soft)

    @property
    def naming(self) -> tuple[Token, ...]:
        """Every word outside quantities, stop words too: headers may differ only in "before" and "after"."""
        number_tokens = _tokens_in_quantities(self.tokens, self.quantities)
        return tuple(t for n, t in enumerate(self.tokens) if n not in number_tokens)

    @property
    def weight(self) -> float:
        """The weight of everything that can be proven, together."""
        return sum(t.weight for t in self.words) + NUMBER_WEIGHT * len(self.numbers)

    def wording(self, quantity: Quantity) -> str:
        """Return a quantity as the text words it."""
        return self.text[quantity.start : quantity.end].strip()

    def said_word(self, token: Token) -> str:
        """Return a word as the text spells it."""
        return self.text[token.start : token.end]

    def phrase(self, token: Token) -> str:
        """Return a word with its neighbours: "did not grow"."""
        start, end = self.with_neighbours(token)
        return self.text[start:end]

    def with_neighbours(self, token: Token) -> Span:
        """Return the (start, end) of a word with its neighbours."""
        at = bisect_left(self.tokens, token.start, key=lambda t: t.start)
        near = self.tokens[max(at - 1, 0) : at + 2]
        return near[0].start, near[-1].end

    def claims_between(self, start: int, end: int) -> Claims:
        """Return the claims in `text[start:end]`; offsets still count from the beginning of the text."""
        return Claims(
            self.text,
            _inside(self.tokens, start, end),
            _inside(self.words, start, end),
            _inside(self.quantities, start, end),
            _inside(self.negations, start, end),
        )


def _inside(items: tuple[_T, ...], start: int, end: int) -> tuple[_T, ...]:
    """Return the items, which are in order, that begin in [start, end)."""
    first = bisect_left(items, start, key=lambda i: i.start)
    return items[first : bisect_left(items, end, lo=first, key=lambda i: i.start)]


@lru_cache(maxsize=4096)
def claims_of(text: str) -> Claims:
    """Return the claims of a text, in time linear in its length."""
    every = tokens(text)
    numbers = tuple(quantities(text))
    number_tokens = _tokens_in_quantities(every, numbers)
    words = tuple(t for n, t in enumerate(every) if n not in number_tokens and not t.stop and t.key not in NEGATIONS)
    return Claims(text, every, words, numbers, tuple(t for t in every if _negates(text, t)))


def predicates(claims: Claims) -> tuple[Token, ...]:
    """Return the predicates, such as "sinks" and "free", recognized by their forms and positions.

    They are those behind a form of "be", "have" or "can", past forms, and, where the sentence has neither, a word
    between a noun and a preposition, a number or the end. Verbs that only tie a value to its thing are left out.
    """
    every, starts = claims.tokens, {t.start for t in claims.words}
    number_starts = {q.start for q in claims.quantities}
    clear = any(t.key in AUXILIARIES or _past(t.key) for t in every)
    verbs = []
    for n, token in enumerate(every):
        if token.start not in starts or token.name or token.key in LINKING_VERBS:
            continue
        before = next((t for t in reversed(every[:n]) if not t.key.endswith("ly") and t.key not in NEGATIONS), None)
        if before is None:
            continue
        past = _past(token.key) and before.key not in DETERMINERS
        last = n + 1 == len(every) or every[n + 1].stop or every[n + 1].start in number_starts
        bare = not clear and last and not before.stop and not token.key.endswith("ly")
        if before.key in AUXILIARIES or past or bare:
            verbs.append(token)
    return tuple(verbs)


def qualifiers(claims: Claims, words: Sequence[Token]) -> tuple[Token, ...]:
    """Return those of the words that qualify what follows, directly before a number or another word.

    "Planned" qualifies in "the planned net cost". A verb ("the Local uses platform 5") and what stands before one do
    not, and no plural, as far as their form tells.
    """
    clear = any(t.key in AUXILIARIES for t in claims.tokens)  # then "cost" is a noun
    verbs = {t.start for t in (*predicates(claims), *(t for t in claims.words if t.key in LINKING_VERBS and not clear))}
    nouns = {t.start for t in claims.words} - {t.start for t in words} - verbs
    numbers = {q.start for q in claims.numbers}
    after = {t.start: n for t, n in pairwise(claims.tokens)}
    result = []
    for token in words:
        onward = after.get(token.start)
        gap = claims.text[token.end : onward.start] if onward else ""
        leads = onward is not None and gap in (" ", "-") and onward.start in nouns
        form = token.key in RELATION_WORDS or (token.key.endswith("s") and not token.key.endswith(("ss", "us")))
        if not (token.name or form) and (leads or token.end + 1 in numbers):
            result.append(token)
    return tuple(result)


def _past(key: str) -> bool:
    return (key.endswith("ed") and len(key) > 4) or key in PAST_FORMS


def _tokens_in_quantities(every: Sequence[Token], quantities: Sequence[Quantity]) -> set[int]:
    """Return the indices of the tokens that lie inside a quantity."""
    starts = [t.start for t in every]
    indices: set[int] = set()
    for quantity in quantities:
        at = bisect_left(starts, quantity.start)
        while at < len(every) and every[at].start < quantity.end:
            indices.add(at)
            at += 1
    return indices


def _negates(text: str, token: Token) -> bool:
    """Return True if a token is a negation here; "No. 3", "no more than" and the like are none."""
    if token.key.endswith(("n't", "n’t")):
        return True
    if token.key not in NEGATIONS or (token.key in ("ne", "pas", "nie") and text[token.start : token.end].isupper()):
        return False
    after = text[token.end : token.end + 14].lower()
    if token.key == "no" and text[token.start] == "N" and re.match(r"\.?\sof\b|\.\s?[:#\d]", after):  # "No of boats"
        return False
    if token.key in ("not", "no") and re.match(r"\s(?:(?:more|less|fewer|later|earlier) than|least)\b", after):
        return False
    return not (token.key == "no" and re.match(r"\.?\s?\d", after)) and not (token.key == "pas" and "ne" in after)


def position(claims: Claims, start: int) -> float:
    """Return the position in words, counted like `Token.at`, of the character at `start`."""
    at = bisect_left(claims.tokens, start, key=lambda t: t.start)
    if at < len(claims.tokens):
        return claims.tokens[at].at
    return claims.tokens[-1].at if claims.tokens else 0.0


def scope(claims: Claims, negation: Token) -> tuple[Token, ...]:
    """Return the content words that a negation reaches: those after it in its clause, else the one before."""
    after: list[Token] = []
    last = negation.at
    first = bisect_left(claims.tokens, negation.end, key=lambda t: t.start)
    for token in claims.tokens[first : first + WITHIN]:
        if token.at - last >= CLAUSE or len(after) == SCOPE:
            break
        last = token.at
        if not token.stop:
            after.append(token)
    at = bisect_left(claims.words, negation.start, key=lambda t: t.start)
    before = list(claims.words[max(at - 1, 0) : at])
    return tuple(after or before)
