"""Heat maps: the likest region is the strongest, and one value for all is no heat at all."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from indexing import BBox
from ui.heat import heat_svg

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
