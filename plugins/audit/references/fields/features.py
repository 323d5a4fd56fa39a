"""Features: describes every token of an entry by hashed features: words, shapes, and the segment it stands in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from plugins.audit.references.fields.tokens import MONTH, PARTICLE, STOP, VENUE, EntryToken

HASHED = 1 << 16
"""The number of features: each name is hashed to one of them."""
OPENING, CLOSING = frozenset("“„«‘`"), frozenset("”»")
BOUNDARY = frozenset(".?!:;")
FAR = 6


def feature_ids(tokens: Sequence[EntryToken], *, words: bool = True) -> list[NDArray[np.int32]]:
    """Return, for every token, the numbers of its features below `HASHED`; without the words where `words` is False."""
    found = []
    segments = _segments(tokens)
    manner = _manner(tokens)
    kinds = [_segment_kind(tokens[a:b]) for a, b in segments]
    for number, (start, end) in enumerate(segments):
        near = (
            kinds[number - 1] if number else "^",
            kinds[number],
            kinds[number + 1] if number + 1 < len(kinds) else "$",
        )
        where = f"{min(number, 5)}"
        for i in range(start, end):
            names = [*_segment_features(near, where, manner, i - start, end - i), *_shapes(tokens, i, manner, where)]
            if words:
                names += _words(tokens, i)
            found.append(np.fromiter({crc32(name.encode()) % HASHED for name in names}, np.int32))
    _context(tokens, found, manner)
    return found


def _context(tokens: Sequence[EntryToken], found: list[NDArray[np.int32]], manner: str) -> None:
    """Add what is known from before each token: quotes, a year, "in", a masked identifier, and how far it stands."""
    quoted = year = within = False
    count = len(tokens)
    any_quote = any(t.shape in OPENING or t.shape in CLOSING or t.shape == '"' for t in tokens)
    bounds = 0
    for i, token in enumerate(tokens):
        if token.shape in OPENING or (token.shape == '"' and not quoted):
            quoted = True
        elif token.shape in CLOSING or token.shape == '"':
            quoted = False
        state = f"{int(any_quote)}{int(quoted)}{int(year)}{int(within)}"
        names = (
            f"q={state}", f"qm={state}|{manner}", f"qs={state}|{token.shape}", f"at={i * 10 // count}",
            f"i={min(i, 8)}|{manner}",
            f"b={min(bounds, 5)}|{manner}|{int(year)}", f"left={min(count - i, 6)}|{token.shape}",
        )  # fmt: skip
        found[i] = np.concatenate((found[i], [crc32(name.encode()) % HASHED for name in names])).astype(np.int32)
        year = year or token.shape == "Y"
        within = within or (token.word == "in" and i > 0 and tokens[i - 1].shape in {".", ",", "”", '"', "?"})
        bounds += _bound(tokens, i)


def _bound(tokens: Sequence[EntryToken], i: int) -> bool:
    """Return True where a mark ends a part of the entry: not after an initial, not inside a number or a word."""
    token = tokens[i]
    if token.shape in CLOSING:
        return True
    if token.shape not in BOUNDARY or i + 1 >= len(tokens) or not tokens[i + 1].spaced:
        return False
    before = tokens[i - 1].shape if i else ""
    return not (token.shape == "." and before in ("X", "x"))


def _segments(tokens: Sequence[EntryToken]) -> list[tuple[int, int]]:
    """Return the parts between boundaries, as ranges of tokens."""
    found, start = [], 0
    for i in range(len(tokens)):
        if _bound(tokens, i):
            found.append((start, i + 1))
            start = i + 1
    if start < len(tokens):
        found.append((start, len(tokens)))
    return found


def _segment_kind(tokens: Sequence[EntryToken]) -> str:
    """Return what a part looks like: names, words with small letters, a venue, numbers, and how long it is."""
    small = sum(t.shape in ("xx", "x") and t.word not in PARTICLE and t.word != "and" for t in tokens)
    names = sum(t.shape in ("Xx", "Xx-Xx", "X", "mX") for t in tokens)
    commas = sum(t.shape == "," for t in tokens)
    initials = sum(t.shape == "X" for t in tokens)
    venue = any(t.word in VENUE for t in tokens)
    digits = any(t.shape in ("9", "9x", "Y") for t in tokens)
    masked = any(t.shape.startswith("<") for t in tokens)
    length = "s" if len(tokens) <= 3 else "m" if len(tokens) <= 12 else "l"
    parts = ("n" if names > 2 * small + commas // 4 else "", "x" if small > 1 else "", "v" if venue else "")
    rest = (
        "c" if commas >= 2 else "",
        "i" if initials >= 2 else "",
        "9" if digits else "",
        "m" if masked else "",
        length,
    )
    return "".join(parts + rest)


def _manner(tokens: Sequence[EntryToken]) -> str:
    """Return how the entry opens: the form of its first name, and where its first year stands."""
    shapes = [t.shape for t in tokens[:FAR]] + [""] * FAR
    comma = next((k for k, shape in enumerate(shapes) if shape == ","), 9)
    after = shapes[comma + 1] if comma < FAR else ""
    if shapes[0] == "X":
        first = "I"
    elif after == "X" and comma <= 2:
        first = "L"
    elif shapes[1] in ("X", "XX") and comma == 2:
        first = "V"
    else:
        first = "F" if comma == 1 else "G"
    first += {"XXX": "C", "Y": "Y"}.get(shapes[0], "")
    year = next((k for k, t in enumerate(tokens) if t.shape == "Y"), -1)
    place = "n" if year < 0 else "e" if year > len(tokens) * 2 // 3 else "m"
    bracket = "(" if year > 0 and tokens[year - 1].shape in "([" else ""
    return first + place + bracket


def _segment_features(
    near: tuple[str, str, str], where: str, manner: str, from_start: int, to_end: int
) -> Iterator[str]:
    before, kind, after = near
    yield f"k={kind}|{where}"
    yield f"kb={before}|{kind}"
    yield f"ka={kind}|{after}"
    yield f"km={kind}|{manner}|{where}"
    yield f"w={where}|{manner}"
    yield f"s={min(from_start, 3)}|{kind}|{before}"
    yield f"e={min(to_end, 3)}|{kind}|{after}"


def _shape_at(tokens: Sequence[EntryToken], i: int) -> str:
    if i < 0:
        return "^"
    if i >= len(tokens):
        return "$"
    token = tokens[i]
    word = token.word
    if token.shape in ("Xx", "xx", "XX", "XXX", "X", "x"):
        for name, group in (("&", ("and", "und", "et", "y")), ("stop", STOP), ("venue", VENUE), ("month", MONTH)):
            if word in group:
                return f"{token.shape}:{name}"
    return token.shape


def _shapes(tokens: Sequence[EntryToken], i: int, manner: str, where: str) -> Iterator[str]:
    a, b, c, d, e = (_shape_at(tokens, i + k) for k in (-2, -1, 0, 1, 2))
    spaced = int(tokens[i].spaced)
    yield f"c={c}|{spaced}"
    yield f"bc={b}|{c}|{spaced}"
    yield f"cd={c}|{d}"
    yield f"bcd={b}|{c}|{d}"
    yield f"abc={a}|{b}|{c}"
    yield f"cde={c}|{d}|{e}"
    yield f"abcde={a}|{b}|{c}|{d}|{e}"
    yield f"cw={c}|{where}|{manner}"
    yield f"bcm={b}|{c}|{d}|{manner}"
    yield f"far={_shape_at(tokens, i - 3)}|{a}|{b}|{c}"
    yield f"on={c}|{d}|{e}|{_shape_at(tokens, i + 3)}"


def _word_at(tokens: Sequence[EntryToken], i: int) -> str:
    return tokens[i].word if 0 <= i < len(tokens) else "^$"[i >= len(tokens)]


def _words(tokens: Sequence[EntryToken], i: int) -> Iterator[str]:
    b, c, d = (_word_at(tokens, i + k) for k in (-1, 0, 1))
    yield f"W={c}"
    yield f"WB={b}"
    yield f"WA={d}"
    yield f"W2={b}|{c}"
    yield f"W3={c}|{d}"
    yield f"WX={_word_at(tokens, i + 2)}"
    if len(c) > 3:
        yield f"end={c[-3:]}"
        yield f"start={c[:3]}"
