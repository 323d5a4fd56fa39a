"""The words by which questions and answers that are made are compared."""

from __future__ import annotations

import doctest

from plugins.research.construct import wording
from plugins.research.construct.wording import words


def test_words_are_compared_without_case_articles_and_punctuation() -> None:
    assert doctest.testmod(wording) == (0, 1)
    assert words("The  Mill, at Harrow's gate: 3.5 kg!") == ["mill", "at", "harrow's", "gate", "3.5", "kg"]
    assert words("...") == words("") == []
