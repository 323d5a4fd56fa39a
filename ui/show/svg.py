"""Drawings as SVG: heat maps in page fractions, and bars as wide as there is room for them. Pure.

A heat map shows where on a page the visual embedder sees the question. The lengths of bars are shares of the width
that there is, so that letters keep their size on a phone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ui.show.rendering import render

if TYPE_CHECKING:
    from indexing import BBox

_STRONGEST = 0.75
"""The opacity of the region that is most like the question; the least like it has none."""


def heat_svg(regions: Sequence[tuple[BBox, float]]) -> bytes:
    """Draw the regions of a page with opacities by similarity, scaled from the lowest to the highest on the page."""
    values = [value for _, value in regions]
    low, span = min(values, default=0.0), (max(values, default=0.0) - min(values, default=0.0)) or 1.0
    opacities = [(box, _STRONGEST * ((value - low) / span) ** 2) for box, value in regions]
    return render("show/templates/heat.svg", regions=opacities).encode()


def bars_svg(title: str, values: Mapping[str, float], said: Callable[[float], str], most: int = 12) -> str:
    """Draw a bar for each of the first `most` values; `said` formats a value. Empty without values.

    A screen reader reads the title and each value. Negative values and NaN count as 0.
    """
    if not values:
        return ""
    top = [(name, _sound(value)) for name, value in list(values.items())[:most]]
    largest = max(value for _, value in top) or 1.0
    return render(
        "show/templates/bars.html",
        title=title,
        heard=", ".join(f"{name}: {said(value)}" for name, value in top),
        bars=[(name, said(value), 100 * value / largest) for name, value in top],
        more=len(values) - len(top),
    )


def _sound(value: float) -> float:
    """Return a value that can be drawn."""
    return value if 0.0 <= value < float("inf") else 0.0
