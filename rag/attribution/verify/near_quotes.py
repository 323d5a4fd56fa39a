"""A sentence that is a quote but for what was changed in it: a number, a unit, a date, a name, a "not", an opposite.

The sentence and one of the text are laid side by side, word by word, in order. Nearly all of both has to be the same,
and what is not has to be a change that makes another statement: other words may be another way to say it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from rag.attribution.claims import (
    BREAK,
    NOWHERE,
    NUMBER_WEIGHT,
    Claims,
    Contrary,
    Quantity,
    Token,
    agree,
    connects,
    look_alike,
    opposite,
    refers,
    span_of,
)

SAME_OURS, SAME_THEIRS = 0.85, 0.75
"""The least shares, by weight, of the sentence and of the text's sentence that are the same in both."""
LEAST, LEAST_NAMED = 4.0, 8.0
"""The least weight of what is the same, where a number was changed, and where only a name or a date was."""
MOST_WORDS = 200
"""The most words of a sentence that is laid beside another."""
ALIKE = 0.7
"""The similarity of the letters of two names from which they may be one."""
NUMBERED = frozenset(
    [
        "page", "pages", "pp", "p", "figure", "figures", "fig", "table", "tables", "section", "sections", "chapter",
        "chapters", "step", "steps", "equation", "eq", "line", "lines", "volume", "vol", "number", "no", "item",
        "items",
        "part", "parts", "appendix", "version", "rule", "article", "port", "level", "phase", "type", "class",
    ]
)  # fmt: skip
"""The words behind which a number names a thing, and counts nothing."""
REPLACED = 4
"""The most words of a name, or of another change."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A word, or a quantity of one or more words, under the key by which it is laid side by side."""

    key: str
    token: Token
    quantity: Quantity | None
    weight: float


def changed(claims: Claims, part: Claims, around: Sequence[Claims] = ()) -> tuple[Contrary, ...]:
    """Return what was changed in a sentence of a text to make a claim; nothing unless all else is the same.

    `part` are the claims of the one sentence of the text, `around` what is said around it: a word of the sentence that
    stands there may take the place of another ("Nike" of "we").
    """
    ours, theirs = _pieces(claims), _pieces(part)
    if not ours or not theirs or max(len(ours), len(theirs)) > MOST_WORDS:
        return ()
    known = {t.stem for c in around for t in c.tokens}
    matcher = SequenceMatcher(None, [p.key for p in ours], [p.key for p in theirs], autojunk=False)
    found: list[Contrary] = []
    same = lacking = extra = 0.0
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            for mine, yours in zip(ours[a:b], theirs[c:d], strict=True):
                if _numbers_another(claims, mine, part, yours):
                    return ()
                one = _other_number(claims, mine, part, yours)
                found += [one] if one else []
                same += 0.0 if one else mine.weight
            continue
        one = _change(claims, ours[a:b], part, theirs[c:d])
        if one is not None:
            found.append(one)
            continue
        lacking += sum(p.weight for p in ours[a:b] if p.key not in known)
        extra += sum(p.weight for p in theirs[c:d])
    enough = LEAST if any(_counts(claims, one) for one in found) else LEAST_NAMED
    if len(found) != 1 or same < enough:
        return ()
    if same / (same + lacking) < SAME_OURS or same / (same + extra) < SAME_THEIRS:
        return ()
    return tuple(found)


def _pieces(claims: Claims) -> list[_Piece]:
    """Return the words of a text to lay side by side; each quantity is one, alike to every other of its kind."""
    return list(_each(claims))


def _each(claims: Claims) -> Iterator[_Piece]:
    quantities = iter(claims.quantities)
    quantity = next(quantities, None)
    denying = {token.start for token in claims.negations}
    last: Quantity | None = None
    for token in claims.tokens:
        while quantity is not None and quantity.end <= token.start:
            quantity = next(quantities, None)
        if quantity is None or token.end <= quantity.start:
            idle = token.stop or connects(token) or refers(token.key)
            weight = 0.0 if idle and token.start not in denying else max(token.weight, 1.0)
            yield _Piece(token.stem, token, None, weight)
        elif last is not quantity:
            last = quantity
            yield _Piece(f"#{quantity.kind}", token, quantity, 1.0 if quantity.soft else NUMBER_WEIGHT)


def _counts(claims: Claims, one: Contrary) -> bool:
    """Return True unless a name or a date was changed: another year, or another's, may be as true."""
    if one.said == NOWHERE:
        return True
    dated = any(q.start == one.said[0] and q.kind == "moment" for q in claims.quantities)
    return not dated and not any(t.start == one.said[0] and t.name for t in claims.tokens)


def _other_number(claims: Claims, mine: _Piece, part: Claims, yours: _Piece) -> Contrary | None:
    ours, theirs = mine.quantity, yours.quantity
    if ours is None or theirs is None or agree(ours, theirs):
        return None
    told = f"where the text speaks of this it says {part.said(theirs)}, not {claims.said(ours)}"
    return Contrary.of(told, span_of(ours), span_of(theirs))


def _numbers_another(claims: Claims, mine: _Piece, part: Claims, yours: _Piece) -> bool:
    """Return True if two numbers name two things: "Port 2" and "Port 3", "pages 12" and "pages 14"."""
    ours, theirs = mine.quantity, yours.quantity
    if ours is None or theirs is None or agree(ours, theirs):
        return False
    return ours.kind == "label" or names_a_thing(claims, ours) or names_a_thing(part, theirs)


def names_a_thing(claims: Claims, quantity: Quantity) -> bool:
    """Return True for a whole number without a unit that stands directly behind a name or such a word as "page"."""
    if quantity.kind != "number" or quantity.unit or quantity.place < 1:
        return False
    before = next((t for t in reversed(claims.tokens) if t.end <= quantity.start), None)
    if before is None or claims.text[before.end : quantity.start].strip(" ."):
        return False
    return before.key in NUMBERED or (not before.stop and claims.text[before.start].isupper())


def _change(claims: Claims, ours: Sequence[_Piece], part: Claims, theirs: Sequence[_Piece]) -> Contrary | None:
    """Return the change where one gap stands beside another; None where they may say the same in other words."""
    mine, yours = [p for p in ours if p.weight], [p for p in theirs if p.weight]
    if len(ours) > REPLACED or len(theirs) > REPLACED or not (ours or theirs):
        return None
    uneven = bool(claims.negations) != bool(part.negations)
    if uneven and [p for p in mine if p.token in claims.negations] and len(mine) == 1 and not yours:
        said = claims.around(mine[0].token)
        return Contrary.of(f"the text does not say {claims.text[slice(*said)]!r}", said, NOWHERE)
    if uneven and [p for p in yours if p.token in part.negations] and len(yours) == 1 and not mine:
        found = part.around(yours[0].token)
        return Contrary.of(f"the text says {part.text[slice(*found)]!r}", NOWHERE, found)
    if len(ours) == len(theirs) == 1 and opposite(ours[0].token.stem, theirs[0].token.stem):
        return _instead(claims, ours, part, theirs)
    named = _lists(ours) == _lists(theirs) and all(p.token.name and p.quantity is None for p in (*mine, *yours))
    other = named and not _alike(mine, yours) and _is_acronym(claims, mine) == _is_acronym(part, yours)
    return _instead(claims, mine, part, yours) if mine and yours and other else None


def _lists(pieces: Sequence[_Piece]) -> bool:
    """Return True if several things are named: "Bergen and Voss", "Bergen, Voss"."""
    at = [p.token.at for p in pieces]
    return any(p.token.key in ("and", "or") for p in pieces) or any(b - a >= BREAK for a, b in pairwise(at))


def _is_acronym(claims: Claims, pieces: Sequence[_Piece]) -> bool:
    """Return True for one name in capitals: it may be short for any other ("GOP" for "Republican Party")."""
    return len(pieces) == 1 and claims.text[pieces[0].token.start : pieces[0].token.end].isupper()


def _alike(mine: Sequence[_Piece], yours: Sequence[_Piece]) -> bool:
    """Return True if two names may be one: one holds the other, abbreviates it, or is a letter or two away."""
    one, other = ("".join(p.token.key for p in pieces) for pieces in (mine, yours))
    initials = ["".join(p.token.key[0] for p in pieces) for pieces in (mine, yours)]
    if one == initials[1] or other == initials[0]:
        return True
    if {p.token.key for p in mine} & {p.token.key for p in yours}:
        return True
    return spelled_alike(one, other)


def spelled_alike(one: str, other: str) -> bool:
    """Return True if two names hold one another, or differ in a few letters: they may be one, misread or misspelt."""
    one, other = look_alike(one.casefold()), look_alike(other.casefold())
    return one in other or other in one or SequenceMatcher(None, one, other, autojunk=False).ratio() > ALIKE


def _instead(claims: Claims, mine: Sequence[_Piece], part: Claims, yours: Sequence[_Piece]) -> Contrary:
    said, found = (mine[0].token.start, mine[-1].token.end), (yours[0].token.start, yours[-1].token.end)
    return Contrary.of(f"the text says {part.text[slice(*found)]!r}, not {claims.text[slice(*said)]!r}", said, found)
