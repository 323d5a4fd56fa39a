"""Suggest the known name that a misspelt one was meant to be."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

_ALIKE = 0.6
"""The least similarity (difflib's ratio) of a word with the name that it is a misspelling of."""


def did_you_mean(word: str, known_names: Iterable[str], *, lead: str = ", ", alike: float = _ALIKE) -> str:
    """Return `, did you mean NAME?` with the known name most like `word`; "" if none has the similarity `alike`.

    It is appended to a message that `word` is unknown, and begins with `lead`. Upper and lower case are the same.
    """
    by_lower = {name.lower(): name for name in known_names}
    near = difflib.get_close_matches(word.lower(), by_lower, n=1, cutoff=alike)
    return f"{lead}did you mean {by_lower[near[0]]}?" if near else ""


def known_name(name: str, known_names: Sequence[str]) -> str:
    """Return the value of a setting if it is a known name. Raises PydanticCustomError for any other."""
    if name not in known_names:
        from pydantic_core import PydanticCustomError

        *most, last = map(repr, known_names)
        expected = f"{', '.join(most)} or {last}" if most else last
        raise PydanticCustomError("literal_error", "Input should be {expected}", {"expected": expected})
    return name
