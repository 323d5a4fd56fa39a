"""Features: describes every token of an entry in columns of hashed features: its shape, word, place and quotes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from plugins.audit.references.fields.tokens import MONTH, PARTICLE, STOP, VENUE, EntryToken

HASHED = 1 << 13
"""The number of features; 0 stands for none, each name is hashed to one of the others."""
COLUMNS = 11
WORD_COLUMNS = slice(2, 5)
"""The columns that hold words: they are left out of some entries that are learnt from."""
FAR = 12
_OPENING, _CLOSING = frozenset("“„«‘"), frozenset("”»’")
_MARKS = frozenset(".,:;()[]“”\"'‘’?!/-–—&«»„`…*<>_+#@·•|=")
_GROUPS: tuple[tuple[str, frozenset[str]], ...] = (
    ("&", frozenset(("and", "und", "et", "y", "e", "&"))),
    ("al", frozenset(("al", "others"))),
    ("in", frozenset(("in",))),
    ("ed", frozenset(("ed", "eds", "editor", "editors", "hrsg", "edited"))),
    ("v", VENUE),
    ("m", MONTH),
    ("p", PARTICLE),
    ("s", STOP),
)


def token_columns(tokens: Sequence[EntryToken]) -> NDArray[np.int16]:
    """Return the numbers of every token's features, (n, COLUMNS), each below `HASHED`."""
    found = np.zeros((len(tokens), COLUMNS), np.int16)
    quoted, depth = False, 0
    for i, token in enumerate(tokens):
        shape = token.shape
        opens = shape in _OPENING or (shape == '"' and not quoted)
        closes = shape in _CLOSING or (shape == '"' and quoted)
        if shape in ("(", "["):
            depth = min(depth + 1, 2)
        state = (f"q{int(quoted)}{depth}", f"k{int(opens)}{int(closes)}{int(quoted)}")
        found[i] = [_number(name) if name else 0 for name in (*_names(tokens, i), *state)]
        quoted = (quoted or opens) and not closes
        if shape in (")", "]"):
            depth = max(depth - 1, 0)
    return found


def _names(tokens: Sequence[EntryToken], i: int) -> Iterator[str]:
    """Yield the names of a token's features, "" for one that it lacks; the last two columns are the caller's."""
    token, count = tokens[i], len(tokens)
    word, shape = token.word, token.shape
    if len(shape) == 1 and not shape.isalnum() and shape not in _MARKS:
        shape = "*"
    spaced, followed = token.spaced or i == 0, i + 1 >= count or tokens[i + 1].spaced
    long = word[:1].isalpha() and len(word) > 3
    group = next((name for name, words in _GROUPS if word in words), "")
    yield f"s{shape}|{int(spaced)}{int(followed)}"
    yield f"S{shape}"
    yield f"n{len(word)}" if shape in ("Y", "9", "9x") else f"w{word}"
    yield f"x{word[-3:]}" if long else ""
    yield f"p{word[:3]}" if long else ""
    yield f"g{group}|{shape}" if group else ""
    yield f"l{shape[:2]}{min(len(word), 9)}"
    yield f"i{min(i, FAR)}"
    yield f"e{min(count - i, FAR)}"


@lru_cache(maxsize=1 << 16)
def _number(name: str) -> int:
    return 1 + crc32(name.encode()) % (HASHED - 1)
