"""Boxes, crops and the spelling of raised signs."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from PIL import Image

from indexing import crop
from indexing.types import BBox, Words
from indexing.typography import to_superscript

UNIT = st.floats(0, 1, allow_nan=False)


@st.composite
def boxes(draw: st.DrawFn) -> BBox:
    """Boxes at least a ten-thousandth of the page wide and high."""
    x0, x1 = sorted(draw(st.tuples(UNIT, UNIT)))
    y0, y1 = sorted(draw(st.tuples(UNIT, UNIT)))
    assume(x1 - x0 > 1e-4 and y1 - y0 > 1e-4)
    return BBox(x0, y0, x1, y1)


def close(a: BBox, b: BBox) -> bool:
    return np.allclose(a.as_tuple(), b.as_tuple(), atol=1e-9)


@given(st.tuples(*[st.floats(-0.5, 1.5) | st.sampled_from([math.nan, math.inf, 0.0, 1.0])] * 4))
def test_a_box_is_born_inside_the_page_or_not_at_all(values: tuple[float, float, float, float]) -> None:
    x0, y0, x1, y1 = values
    fits = all(map(math.isfinite, values)) and 0 <= x0 < x1 <= 1 and 0 <= y0 < y1 <= 1
    if fits:
        assert BBox(*values).as_tuple() == values
    else:
        with pytest.raises(ValueError, match="box"):
            BBox(*values)


@given(boxes(), st.floats(1, 20_000), st.floats(1, 20_000))
def test_to_the_page_and_back(box: BBox, width: float, height: float) -> None:
    back = BBox.from_page(*box.to_page(width, height), width, height)
    assert back is not None
    assert close(back, box)


def test_from_page_scales_each_axis_by_its_own_side_and_clips() -> None:
    assert BBox.from_page(50, 30, 150, 270, 200, 300) == BBox(0.25, 0.1, 0.75, 0.9)
    assert BBox.from_page(-50, 30, 1500, 270, 200, 300) == BBox(0.0, 0.1, 1.0, 0.9)


@pytest.mark.parametrize(
    ("values", "size"),
    [
        ((210, 0, 250, 10), (200, 300)), ((0, -20, 10, -5), (200, 300)), ((math.nan, 0, 1, 1), (200, 300)),
        ((0, 0, 10, math.inf), (200, 300)), ((50, 10, 40, 20), (200, 300)), ((0, 0, 1, 1), (0, 100)),
        ((0, 0, 1, 1), (-5, 10)),
    ],
)  # fmt: skip
def test_from_page_off_the_page(values: tuple[float, float, float, float], size: tuple[float, float]) -> None:
    assert BBox.from_page(*values, *size) is None


def test_turned_clockwise_on_values_that_tell_the_axes_apart() -> None:
    box = BBox(0.1, 0.2, 0.4, 0.9)  # its left edge becomes the top
    assert close(box.rotate(1), BBox(0.1, 0.1, 0.8, 0.4))
    assert close(box.rotate(2), BBox(0.6, 0.1, 0.9, 0.8))
    assert close(box.rotate(3), BBox(0.2, 0.6, 0.9, 0.9))


@given(boxes(), st.integers(-8, 8), st.integers(-8, 8))
def test_turns_add_up_and_four_are_none(box: BBox, a: int, b: int) -> None:
    assert close(box.rotate(a).rotate(b), box.rotate(a + b))
    assert close(box.rotate(a).rotate(4 - a), box)


@given(boxes(), boxes(), st.integers(0, 3))
def test_iou_is_symmetric_bounded_and_turns_with_the_page(a: BBox, b: BBox, quarters: int) -> None:
    assert a.iou(b) == pytest.approx(b.iou(a))
    assert 0.0 <= a.iou(b) <= 1.0 + 1e-9
    assert a.iou(a) == pytest.approx(1.0)
    assert BBox(0, 0, 0.5, 0.5).iou(BBox(0.25, 0, 0.75, 0.5)) == pytest.approx(1 / 3)
    assert a.rotate(quarters).iou(b.rotate(quarters)) == pytest.approx(a.iou(b), abs=1e-6)


@given(st.lists(boxes(), min_size=1, max_size=6))
def test_a_union_holds_its_members_and_no_more(found: list[BBox]) -> None:
    union = BBox.union(found)
    assert all(b.overlap(union) == pytest.approx(b.area) for b in found)
    assert union.as_tuple() == (
        min(b.x0 for b in found), min(b.y0 for b in found), max(b.x1 for b in found), max(b.y1 for b in found)
    )  # fmt: skip
    with pytest.raises(ValueError, match="no boxes"):
        BBox.union([])


WORDS = Words(
    np.array([(0, 3), (4, 9), (10, 12), (13, 20)], np.int32),
    np.array(
        [(0.1, 0.1, 0.2, 0.12), (0.25, 0.1, 0.4, 0.125), (0.1, 0.2, 0.15, 0.22), (0.2, 0.2, 0.5, 0.22)], np.float32
    ),
    np.array([0, 0, 1, 1], np.int32),
)


def test_line_boxes_are_one_a_line_around_the_words_that_touch_the_span() -> None:
    found = WORDS.line_boxes(4, 12)
    assert [pytest.approx(b.as_tuple(), abs=1e-6) for b in found] == [(0.25, 0.1, 0.4, 0.125), (0.1, 0.2, 0.15, 0.22)]
    assert WORDS.line_boxes(3, 4) == WORDS.line_boxes(20, 99) == ()
    (whole_line,) = WORDS.line_boxes(0, 9)
    assert whole_line.as_tuple() == pytest.approx((0.1, 0.1, 0.4, 0.125), abs=1e-6)


def sheet() -> Image.Image:
    """A page no two pixels of which are of one colour: a crop tells where it was taken."""
    numbers = np.arange(200 * 200, dtype=np.uint32).reshape(200, 200)
    return Image.fromarray(np.stack([numbers >> 8, numbers & 255, numbers % 7], axis=2).astype(np.uint8), "RGB")


SHEET = sheet()
Rect = tuple[int, int, int, int]


@pytest.mark.parametrize(
    ("box", "sides"),
    [
        (BBox(0.5, 0.5, 0.75, 0.75), (100, 100, 150, 150)),  # whole pixels
        (BBox(0.501, 0.501, 0.749, 0.749), (100, 100, 150, 150)),  # parts of pixels are taken whole
        (BBox(0.0, 0.0, 1.0, 1.0), (0, 0, 200, 200)),
    ],
)
def test_every_pixel_that_a_box_touches_is_taken(box: BBox, sides: Rect) -> None:
    assert crop(SHEET, box).tobytes() == SHEET.crop(sides).tobytes()
    assert crop(SHEET, box, margin=5).size == (min(200, sides[2] - sides[0] + 10),) * 2


@pytest.mark.parametrize(
    ("text", "before", "spelled"),
    [
        ("31", "with 2", "³¹"), ("-4", "10", "⁻⁴"), ("\u22124", "10", "⁻⁴"), ("2+", "Ca", "²⁺"),
        ("1, 2", "Holm", "¹, ²"), (" 27", "end.”", " ²⁷"), ("cd", "74", "ᶜᵈ"), ("n", "2", "ⁿ"), ("th", "16", "th"),
        ("er", "1", "er"), ("cd", "word", "cd"), (" cd", "74", " cd"), ("q", "74", "q"),
        ("abcdefg", "74", "abcdefg"), ("(1)", "Plan", "(1)"), ("[12]", "word", "[12]"), ("TM", "Duty", "TM"),
        ("-", "a", "-"), ("", "2", ""),
    ],
)  # fmt: skip
def test_digits_are_raised_and_the_marks_behind_them(text: str, before: str, spelled: str) -> None:
    assert to_superscript(text, before) == spelled
    assert len(spelled) == len(text)
