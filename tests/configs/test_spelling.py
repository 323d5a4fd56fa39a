"""The name that somebody may have meant: the nearest one, whatever its case, or none."""

from __future__ import annotations

import pytest

from configs import did_you_mean

KNOWN = ("--collection", "--compact", "--json", "-c")


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("--colection", ", did you mean --collection?"),
        ("--COLLECTION", ", did you mean --collection?"),
        ("--jsn", ", did you mean --json?"),
        ("--nothing-like-it", ""),
        ("", ""),
    ],
)
def test_the_nearest_known_name_is_offered(word: str, said: str) -> None:
    assert did_you_mean(word, KNOWN) == said


def test_the_words_before_it_and_how_alike_it_must_be_are_chosen() -> None:
    assert did_you_mean("reports", ["report"], lead=", or ") == ", or did you mean report?"
    assert did_you_mean("max_files_mb", ["max_file_mb"], alike=0.99) == ""
    assert did_you_mean("reports", []) == ""
