"""A question as a calculation reads it: its words, what they say to do, its numbers with their limits."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from rag.attribution.words import Quantity, Token, claims_of
from rag.calculation.lexicon import SIGNS

MOST_WORDS = 60
"""The words of a question that are read, from its beginning."""


_ENDING = r")\s*(?:the |year |a |\W)?$"
_AT_LEAST = re.compile(
    r"\b(?:at least|no (?:less|fewer|earlier) than|minimum of|since|from|starting" + _ENDING, re.IGNORECASE
)
_AT_MOST = re.compile(
    r"\b(?:at (?:the )?most|no (?:more|later) than|maximum of|up to|until|through|by" + _ENDING, re.IGNORECASE
)
_ABOVE = re.compile(
    r"\b(?:(?:more|greater|higher|larger|bigger|longer|older|later|taller|better) than|over|above|exceed(?:s|ed|ing)?|"
    r"after|past|beyond" + _ENDING,
    re.IGNORECASE,
)
_BELOW = re.compile(
    r"\b(?:(?:less|fewer|lower|smaller|shorter|earlier|younger|faster) than|under|below|before|prior to|within"
    + _ENDING,
    re.IGNORECASE,
)
_OR_MORE = re.compile(
    r"\W{0,3}(?:\w{1,20} )?or (?:more|above|higher|greater|over|better|later|longer)\b", re.IGNORECASE
)
_OR_LESS = re.compile(r"\W{0,3}(?:\w{1,20} )?or (?:less|fewer|below|lower|under|worse|earlier|before)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Limit:
    """A number or moment of the question with the comparison it stands in: =, >, >=, < or <=; `mask` are its words.

    `bare` is the number without the scale that it is written with ("10,000 thousand").
    """

    quantity: Quantity
    comparison: str
    mask: int
    bare: float = 0.0


@dataclass(frozen=True)
class Asked:
    """A question: its content words in order (without stop words), and all its words folded."""

    text: str
    words: tuple[Token, ...]
    every: tuple[Token, ...]

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """All words, folded."""
        return tuple(t.key for t in self.every)

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """The stems of the content words."""
        return tuple(t.stem for t in self.words)

    @cached_property
    def signs(self) -> tuple[str, ...]:
        """The words that say what to do, each once, and the pairs that they make with their neighbours of the kind."""
        single = [k for k in self.keys if k in SIGNS]
        pairs = [f"{a} {b}" for a, b in zip(self.keys, self.keys[1:], strict=False) if a in SIGNS and b in SIGNS]
        ends = [k[-3:] for k in self.keys if k not in SIGNS and k.endswith("est") and len(k) > 5]
        return tuple(dict.fromkeys((*single, *pairs, *(f"-{e}" for e in ends))))

    @cached_property
    def content(self) -> int:
        """The mask of the content words that do not merely say what to do."""
        return sum(1 << n for n, t in enumerate(self.words) if t.key not in SIGNS)

    @cached_property
    def target(self) -> int:
        """The mask of the words that say what is wanted: those after which, what, how many, until the first sign."""
        mask, begun = 0, False
        for n, token in enumerate(self.words):
            opens = token.key in ("which", "what", "many", "whose", "much")
            if begun and (token.key in SIGNS or mask.bit_count() == 2) and not opens:
                break
            begun = begun or opens
            if begun and not opens:
                mask |= 1 << n
        return mask

    @cached_property
    def limits(self) -> tuple[Limit, ...]:
        """The numbers and moments of the question."""
        found = []
        quantities = [
            q for q in claims_of(self.text).quantities if q.kind in ("number", "moment") or q.unit == "decade"
        ]
        for n, quantity in enumerate(quantities[:6]):
            mask = sum(1 << k for k, t in enumerate(self.words) if quantity.start <= t.start < quantity.end)
            after = self.text[quantities[n - 1].end : quantity.start].strip().lower() if n else ""
            between = n > 0 and after in ("and", "to", "-", "–", "through", "until")
            digits = re.search(r"\d[\d,]*(?:\.\d+)?", self.text[quantity.start : quantity.end])
            bare = float(digits[0].replace(",", "")) if digits else 0.0
            found.append(Limit(quantity, "to" if between else _comparison(self.text, quantity), mask, bare))
        return tuple(found)


def _comparison(text: str, quantity: Quantity) -> str:
    before = text[max(0, quantity.start - 30) : quantity.start].rstrip("$€£ ")
    after = text[quantity.end : quantity.end + 40]
    if _OR_MORE.match(after) or _AT_LEAST.search(before):
        return ">="
    if _OR_LESS.match(after) or _AT_MOST.search(before):
        return "<="
    if _ABOVE.search(before):
        return ">"
    return "<" if _BELOW.search(before) else "="


def asked_of(question: str) -> Asked:
    """Read a question."""
    tokens = claims_of(" ".join(question.split())).tokens[:MOST_WORDS]
    words = tuple(t for t in tokens if not t.stop or t.key in _KEPT)
    return Asked(" ".join(question.split()), words, tokens)


_KEPT = frozenset(("which", "what", "who", "when", "where", "whose"))
