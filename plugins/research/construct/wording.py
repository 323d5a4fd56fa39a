"""The words of questions and answers that are made, as they are compared with one another and with their evidence."""

from __future__ import annotations

import re

_ARTICLES = frozenset({"a", "an", "the"})
_WORD = re.compile(r"\w+(?:[.,:/'’-]\w+)*")


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, without articles and punctuation.

    >>> words("The mill grinds 1,200 sacks.")
    ['mill', 'grinds', '1,200', 'sacks']
    """
    return [word for word in _WORD.findall(text.lower()) if word not in _ARTICLES]
