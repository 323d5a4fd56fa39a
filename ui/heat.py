"""A heat map as an SVG in page fractions: where on a page the visual embedder sees the question. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexing import BBox

_COLOUR = "#d9480f"
_STRONGEST = 0.75
"""Opacity of the region that is most like the question; the least like it has none."""


def heat_svg(regions: Sequence[tuple[BBox, float]]) -> bytes:
    """The regions of a page, each as strong as its similarity stands between the least and the greatest on the page."""
    values = [value for _, value in regions]
    low, span = min(values, default=0.0), (max(values, default=0.0) - min(values, default=0.0)) or 1.0
    rects = "".join(_rect(box, _STRONGEST * ((value - low) / span) ** 2) for box, value in regions)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1" preserveAspectRatio="none" width="1000" '
        f'height="1000">{rects}</svg>'
    ).encode()


def _rect(box: BBox, opacity: float) -> str:
    return (
        f'<rect x="{box.x0:.5f}" y="{box.y0:.5f}" width="{box.x1 - box.x0:.5f}" height="{box.y1 - box.y0:.5f}" '
        f'fill="{_COLOUR}" fill-opacity="{opacity:.3f}"/>'
    )
