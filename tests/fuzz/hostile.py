"""Hostile strings, names and values, and what must hold of whatever is made of them."""

import json
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tests.support.hostile_strings import MOST, Shape, growth
from ui.show import public_words

ANY = st.text(st.characters(exclude_categories=()), max_size=40)
"""Any characters: control characters, halves of surrogate pairs, combining marks, marks of direction."""
NAMES = st.lists(
    st.sampled_from(["..", ".", "/", "\\", "~", "C:", "\0", "%2e%2e", "a" * 300, "é" * 200, " ", ".pdf", ".zip", "CON",
                     "\u202e", "\x1b[2J", "<img src=x onerror=x()>", "-rf", "\ud800", "\n"]) | ANY,
    max_size=5,
).map("".join)  # fmt: skip
"""Names of files: paths that climb, names of devices, names too long, names that a terminal or a page would obey."""
NUMBERS = st.sampled_from([0, -1, 2**63, -(2**63), 10**400, 1e308, -0.0, float("nan"), float("inf")]) | st.integers()
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | ANY | NAMES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY, inner, max_size=4),
    max_leaves=12,
)
"""Any value of JSON, and numbers that only some parsers take."""
PIECES = st.text(st.sampled_from(" \n\tA1a.,-()[]{}<>&;:'\"\\/|_*#@=+%$~^`!?\u0301一“”0–"), min_size=1, max_size=8)
"""What is repeated to see if a reader takes linear time."""
DEEP = ("[" * 5_000, '{"a":' * 5_000, "9" * 5_000, '{"a":' + "9" * 5_000 + "}", '{"a":1e999999999}', "-" + "0" * 999)
"""What some parsers of JSON fail over: nested deeper than Python's stack, numbers of more digits than it takes."""


def written(value: Any) -> str:
    """Return a value as JSON, as lax writers have it: halves of surrogate pairs, NaN, numbers of any length."""
    return json.dumps(value)


def is_a_message(error: Exception) -> None:
    """Assert that an error says something, and in one line that nothing obeys where people are told of it."""
    said = public_words(error)
    assert said.strip()
    assert len(said) < 2_000, said[:200]
    assert not {"\n", "\x1b", "\0", "\u202e"} & set(said), ascii(said)


def linear(work: Callable[[str], object], piece: str) -> None:
    """Assert that a reader takes linear time over a text of one piece, repeated."""
    assert growth(work, Shape("", piece), noise=0.02, unending=3.0) <= MOST, piece
