"""Heat maps: the likest region is the strongest, and one value for all is no heat at all. Bars: as long as their values
say, and harmless whatever they are called.
"""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from indexing import BBox
from tests.ui.stand_ins import HOSTILE
from ui.show.svg import bars_svg, heat_svg

TOP, BOTTOM = BBox(0.1, 0.1, 0.9, 0.2), BBox(0.1, 0.5, 0.9, 0.6)


def opacities(svg: bytes) -> list[float]:
    return [float(rect.attrib["fill-opacity"]) for rect in ET.fromstring(svg)]


def test_the_likest_region_is_the_strongest() -> None:
    least, most = opacities(heat_svg([(TOP, 0.2), (BOTTOM, 0.7)]))
    assert least == 0
    assert most > 0.5


def test_boxes_stay_page_fractions() -> None:
    (rect,) = ET.fromstring(heat_svg([(TOP, 0.2)]))
    sides = [float(rect.attrib[side]) for side in ("x", "y", "width", "height")]
    assert BBox(sides[0], sides[1], sides[0] + sides[2], sides[1] + sides[3]).iou(TOP) > 0.999


def test_where_all_is_alike_nothing_is_hot() -> None:
    assert opacities(heat_svg([(TOP, 0.4), (BOTTOM, 0.4)])) == [0, 0]


def widths(svg: str) -> list[float]:
    return [float(w) for w in re.findall(r'v-plot-bar"[^>]* width="([\d.]+)%"', svg)]


def test_bars_are_shares_of_the_largest() -> None:
    svg = bars_svg("Kinds", {"text": 40, "table": 10, "none": 0}, lambda v: f"{v:.0f}")
    assert widths(svg) == [100.0, 25.0, 0.0]
    assert 'aria-label="Kinds. text: 40, table: 10, none: 0"' in svg


def test_nothing_is_no_plot_and_many_are_cut() -> None:
    assert bars_svg("Kinds", {}, str) == ""
    svg = bars_svg("Kinds", {str(n): n for n in range(20)}, str, most=5)
    assert len(widths(svg)) == 5
    assert "And 15 more." in svg


@given(st.dictionaries(st.text(max_size=60), st.floats(), min_size=1, max_size=14))
def test_any_values_draw_a_plot_that_parses(values: dict[str, float]) -> None:
    svg = bars_svg(HOSTILE, values, lambda v: f"{v:g}")
    assert "<img" not in svg
    ET.fromstring(svg)
    assert all(math.isfinite(w) and 0 <= w <= 100 for w in widths(svg))
