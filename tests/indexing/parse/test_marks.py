"""Ink beside figures: numbers are held against what is drawn on and beside them; rules and bullets cost no quote."""

import pymupdf
import pytest

from indexing import IndexingSettings, Mismatch
from indexing.parse import mismatches, parse_page
from indexing.types import layer_lines
from tests.support import documents
from tests.support.inked_pages import INKED, INNOCENT, NUMBER, Draw, Inked

pytestmark = [pytest.mark.slow, pytest.mark.gate]

SETTINGS = IndexingSettings(visual="none", ocr="never")
Line = tuple[str, str, str]


def looked_at(page: pymupdf.Page) -> tuple[str, tuple[Mismatch, ...]]:
    """Return the text of a page, as it is indexed, and what the page shows otherwise."""
    page = documents.reopened(page)
    elements = [e for e in parse_page(page, "d", SETTINGS).elements if not e.parts]
    return " ".join(e.text for e in elements), mismatches(page, layer_lines(elements, [e.bbox for e in elements]))


def test_the_pages_are_many() -> None:
    assert sum(map(len, INKED.values())) == 60
    assert len(INNOCENT) == 30


@pytest.mark.parametrize(
    ("n", "line", "room", "draw"),
    [pytest.param(n, *each, id=f"{kind}-{n}") for kind, ways in INKED.items() for n, each in enumerate(ways)],
)
def test_no_number_is_quoted_as_it_does_not_look(n: int, line: Line, room: float, draw: Draw) -> None:
    inked = Inked.of(*line, n, room)
    draw(inked)
    text, found = looked_at(inked.page)
    assert line[1] in text
    struck = f"[struck out: {line[1]}]" in text
    assert struck != bool({m.text for m in found} & set(line[1].split())), "it is told once, in the text or by the look"


@pytest.mark.parametrize("n", range(len(INNOCENT)))
def test_honest_ink_costs_no_quote(n: int) -> None:
    line, room, draw = INNOCENT[n]
    inked = Inked.of(*line, n, room)
    draw(inked)
    assert looked_at(inked.page)[1] == ()


@pytest.mark.parametrize("kind", ["signs", "strokes", "letters"])
@pytest.mark.parametrize("turn", [90, 180])
def test_marks_are_seen_on_a_turned_page(kind: str, turn: int) -> None:
    line, room, draw = next(each for each in INKED[kind] if each[0] == NUMBER)
    inked = Inked.of(*line, 2, room)
    draw(inked)
    inked.page.set_rotation(turn)
    text, found = looked_at(inked.page)
    assert "[struck out: 21]" in text or "21" in {m.text for m in found}


def test_what_is_shown_is_told_and_images_count() -> None:
    inked = Inked.of(*NUMBER, 2, 0.9)
    minus = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 20, 3))
    minus.clear_with(0)
    inked.page.insert_image((*inked.point(-0.6, 0.33), *inked.point(-0.1, 0.26)), pixmap=minus, keep_proportion=False)
    assert looked_at(inked.page)[1] == (Mismatch("21", "21 with a drawn mark", agreed=False),)
