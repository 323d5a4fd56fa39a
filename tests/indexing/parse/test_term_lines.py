"""A line that names a term, or an option of a command, heads the text set in below it; other lines do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from indexing.parse import heads_term
from indexing.parse.term_lines import OPTION_WORDS
from indexing.types import BBox, Element, Kind, Words


def piece(text: str, top: float, left: float = 0.1, kind: Kind = "text", lines: int = 1) -> Element:
    """A piece of a page whose lines are a hundredth of it high."""
    words = Words(
        np.array([(0, len(text))], np.int32),
        np.array([(left, top, 0.9, top + 0.01)], np.float32),
        np.zeros(1, np.int32),
    )
    box = BBox(left, top, 0.9, top + 0.01 * lines)
    return Element(f"d-1-{text[:20]}", "d", 1, kind, text, box, "layer", words=words)


BELOW = piece("Run as many tests at once.", 0.22, left=0.15, lines=3)
ITEM = replace(BELOW, kind="list")


@pytest.mark.parametrize(
    "text",
    ["--jobs=<number> [default: 2]", "-j N, --jobs N", "-j", "--skip=part1,part2,...", "MILL_HOME", "shift [n]",
     "Foreign boats of the bay"],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["text", "list", "heading"])
def test_a_term_or_an_option_heads_what_is_set_in_below_it(text: str, kind: Kind) -> None:
    assert heads_term(piece(text, 0.2, kind=kind), BELOW)


@pytest.mark.parametrize(
    ("line", "below"),
    [
        *((piece(text, 0.2), ITEM) for text in ("- two jobs", "-5 degrees", "--jobs runs two tests at once.", "jobs=2",
                                                "— two", "-two", f"--jobs {'N ' * OPTION_WORDS}")),
        *((piece(text, 0.2), BELOW) for text in ("For example:", "It rains.", "·", "• Tide gauge", "a) Tide gauge",
                                                 "A term of more words than eight is none, I think")),
        (piece("Tide gauge", 0.2), replace(BELOW, text="mill --wait")),
        (piece("Tide gauge", 0.2), ITEM),
        (piece("Tide gauge", 0.2), piece("Far below it stands a text.", 0.24, left=0.15)),
        (piece("Tide gauge", 0.2), piece("In the middle stands a text.", 0.22, left=0.4)),
        (piece("Tide gauge", 0.2, kind="picture"), BELOW),
        (replace(piece("Tide gauge", 0.2), words=Words.none()), BELOW),
        (piece("--jobs=2", 0.2), piece("Not set in.", 0.22)),
        (piece("--jobs=2", 0.2), piece("Beside it.", 0.2, left=0.5)),
        (piece("--jobs=2", 0.2), piece("1.2 Tests", 0.22, left=0.15, kind="heading")),
        (piece("--jobs and what it does", 0.2, lines=3), BELOW),
    ],
)  # fmt: skip
def test_other_lines_head_nothing(line: Element, below: Element) -> None:
    assert not heads_term(line, below)
