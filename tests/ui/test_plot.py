"""Bars: as long as their values say, and harmless whatever they are called."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from tests.ui.made_up import HOSTILE
from ui.plot import bars_svg


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
