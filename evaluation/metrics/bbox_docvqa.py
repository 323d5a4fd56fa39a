"""The figure of BBox-DocVQA (Yu et al. 2025, arXiv 2511.15090), as its published scoring code computes it.

Boxes are fractions of the page, origin top left: IoU is the same in pixels.
"""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.metrics.core import PageBox, iou, mean


def region_iou(gold: Sequence[PageBox], cited: Sequence[PageBox]) -> float | None:
    """Return IoU, the mean over all pages that have a gold or a cited box; None without gold.

    Of a page it is the mean over its gold boxes of the best IoU with a box cited there, and 0 without a gold box. So a
    further box on a right page costs nothing, and one on another page costs much.

    >>> page = (0.0, 0.0, 1.0, 1.0)
    >>> region_iou([PageBox(1, page)], [PageBox(1, (0.0, 0.0, 1.0, 0.5))])
    0.5
    >>> region_iou([PageBox(1, page)], [PageBox(1, page), PageBox(2, page)])
    0.5
    """
    if not gold:
        return None
    found = []
    for place in dict.fromkeys(box.place for box in (*gold, *cited)):
        there = [box.bbox for box in cited if box.place == place]
        best = [max((iou(box.bbox, other) for other in there), default=0.0) for box in gold if box.place == place]
        found.append(mean(best) if best else 0.0)
    return mean(found)
