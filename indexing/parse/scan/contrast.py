"""Contrast: how far the colours of pixels are apart for an eye, whatever their brightness and hue.

The measure is the distance in CIE L*a*b*, where 1 is the least that anybody notices side by side. 9 is a ratio of
luminance of about 1.25 between greys, near white as near black; a text below it nobody reads.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

LEGIBLE = 9.0
"""The distance between ink and paper from which a text can be read."""
SURE = 40
"""The difference in grey levels, of 255, that is more than `LEGIBLE` wherever it lies."""
_TO_XYZ = np.array([[0.4339, 0.3762, 0.1899], [0.2126, 0.7152, 0.0722], [0.0178, 0.1095, 0.8728]])
"""The matrix from linear sRGB to CIE XYZ in units of the white point D65."""


def distance(pixels: NDArray[np.uint8], outliers: float = 0.0) -> float:
    """Return how far apart the colours of pixels (..., 3) in RGB are; 0 for none.

    `outliers` is the percentage of pixels at either end that do not count: noise.
    """
    flat = pixels.reshape(-1, 3)
    if not len(flat):
        return 0.0
    colours = np.unique(flat, axis=0) if not outliers else flat
    low, high = np.percentile(lab(colours), (outliers, 100 - outliers), axis=0)
    return float(np.linalg.norm(high - low))


def lab(rgb: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return colours (n, 3) of sRGB, 0 to 255, as L* (0 to 100), a* and b*."""
    part = rgb / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    xyz = linear @ _TO_XYZ.T
    root = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    x, y, z = root.T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=1)


def inside(image: NDArray[np.uint8], box: Sequence[float]) -> NDArray[np.uint8]:
    """Return the pixels of an image (h, w, c) that a box, in pixels, touches."""
    left, top = (max(0, int(np.floor(edge))) for edge in box[:2])
    right, bottom = (max(0, int(np.ceil(edge))) for edge in box[2:])
    return image[top:bottom, left:right]
