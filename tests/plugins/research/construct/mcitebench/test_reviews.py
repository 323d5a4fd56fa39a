"""Reviews as OpenReview gives them, in both forms; broken files are named, and what is hostile is bounded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import pytest

from evaluation.errors import GoldUnreadable
from plugins.research.construct.mcitebench.reviews import MOST_CHARS, Exchange, read_exchanges
from tests.support import iclr_paper
from tests.support.iclr_paper import REBUTTAL, REVIEW, note


@pytest.mark.parametrize("form", [1, 2])
def test_both_forms_of_the_api_are_read(tmp_path: Path, form: Literal[1, 2]) -> None:
    file = iclr_paper.forum(tmp_path / "kilns.json", iclr_paper.notes(form))
    (found,) = read_exchanges(file)
    assert (found.review.splitlines()[0], found.rebuttal) == (REVIEW, REBUTTAL)


def test_replies_in_the_details_of_the_paper_are_read(tmp_path: Path) -> None:
    own, *others = iclr_paper.notes()
    (tmp_path / "a.json").write_text(json.dumps(own | {"details": {"replies": others}}))
    (tmp_path / "b.json").write_text(json.dumps([own | {"details": {"directReplies": others, "replies": None}}]))
    assert read_exchanges(tmp_path / "a.json") == read_exchanges(tmp_path / "b.json") == (Exchange(REVIEW, REBUTTAL),)


def test_an_answer_belongs_to_the_nearest_review_above_it(tmp_path: Path) -> None:
    """The second part of an answer replies to the first; a comment to everybody and a loop belong to nobody."""
    written = [
        note("r1", "Reviewer_A", "kilns", "first"),
        note("r2", "Reviewer_B", "kilns", "second"),
        note("a1", "Authors", "r2", "part one"),
        note("a2", "Authors", "a1", "part two"),
        note("a3", "Authors", "kilns", "to all"),
        note("x", "Authors", "y", "a loop"),
        note("y", "Authors", "x", "a loop"),
    ]
    found = read_exchanges(iclr_paper.forum(tmp_path / "kilns.json", written))
    assert found == (Exchange("second", "part one"), Exchange("second", "part two"))


def test_texts_are_bounded_and_odd_values_are_passed_over(tmp_path: Path) -> None:
    odd: list[Any] = [7, None, {"id": 3}, {"id": "q", "content": ["x"], "signatures": "Authors", "replyto": "r1"}]
    written = [note("r1", "Reviewer_A", None, "a" * 50_000), note("a1", "Authors", "r1", "yes"), *odd]
    (found,) = read_exchanges(iclr_paper.forum(tmp_path / "kilns.json", written))
    assert (len(found.review), found.rebuttal) == (MOST_CHARS, "yes")


def test_half_a_surrogate_pair_is_replaced(tmp_path: Path) -> None:
    written = [note("r1", "Reviewer_A", None, "a \ud800 b"), note("a1", "Authors", "r1", "yes")]
    assert read_exchanges(iclr_paper.forum(tmp_path / "kilns.json", written)) == (Exchange("a ? b", "yes"),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not JSON"),
        ("[" * 200_000, "is not JSON"),
        ("[1]", "no notes"),
        ('{"notes": 3}', "no notes"),
        (None, "cannot be read"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, text: str | None, said: str) -> None:
    file = tmp_path / "broken.json"
    if text is not None:
        file.write_text(text)
    with pytest.raises(GoldUnreadable, match=said) as refused:
        read_exchanges(file)
    assert str(file) in str(refused.value)
