"""Prepare images for a vision model: resize them to multiples of its patches, encode them, and count their tokens.

A server resizes images to whole patches within its limits, but leaves one that fits as it is. So the model sees the
pixels that we sent, and the coordinates of its boxes refer to them.
"""

from __future__ import annotations

import io
import math
from collections.abc import Sequence

from PIL import Image

from rag.errors import ImageRefused
from rag.llm.chat import Message
from rag.llm.settings import ModelSettings

LONGEST = 100
"""The most times that an image is as long as wide; others are padded, as servers refuse them (Qwen: above 200)."""
_HEAVY_PNG = 1_000_000


def sent_size(width: int, height: int, settings: ModelSettings) -> tuple[int, int]:
    """Return the width and height in pixels at which an image is sent: multiples of `patch`, about the same shape.

    Their product is at most `max_pixels`, and at least `min_pixels` unless the shape does not allow it.
    """
    if width < 1 or height < 1:
        raise ImageRefused(f"an image of {width} x {height} pixels cannot be sent to a model: leave it out")
    width, height = _padded_size(width, height)
    patch, most, least = settings.patch, settings.max_pixels, settings.min_pixels
    w, h = (max(patch, round(side / patch) * patch) for side in (width, height))
    if w * h > most:
        shrink = max(1.0, math.sqrt(width * height / most))
        w, h = (max(patch, math.floor(side / shrink / patch) * patch) for side in (width, height))
    elif w * h < least:
        grow = math.sqrt(least / (width * height))
        w, h = (math.ceil(side * grow / patch) * patch for side in (width, height))
    while w * h > most and max(w, h) > patch:  # one side is down to a single patch, or the limits are close together
        w, h = (w - patch, h) if w >= h else (w, h - patch)
    return min(w, LONGEST * h), min(h, LONGEST * w)  # whole patches may have made it narrower


def fit_image(image: Image.Image, settings: ModelSettings) -> Image.Image:
    """Return the image in RGB at `sent_size`; a very narrow one is padded with white on the right or below."""
    image = image.convert("RGB")
    size = sent_size(*image.size, settings)
    canvas_size = _padded_size(*image.size)
    if canvas_size != image.size:
        canvas = Image.new("RGB", canvas_size, "white")
        canvas.paste(image, (0, 0))
        image = canvas
    return image if image.size == size else image.resize(size, Image.Resampling.LANCZOS)


def encode_image(image: Image.Image) -> tuple[bytes, str]:
    """Return the bytes and media type of an image: PNG, or JPEG if the PNG is large, as photographs are."""
    data = io.BytesIO()
    image.save(data, "PNG", compress_level=3)
    if data.tell() <= _HEAVY_PNG:
        return data.getvalue(), "image/png"
    data = io.BytesIO()
    image.save(data, "JPEG", quality=92, subsampling=0)
    return data.getvalue(), "image/jpeg"


def image_tokens(width: int, height: int, settings: ModelSettings) -> int:
    """Return the tokens of an image of this size once it is sent: one a patch, and its two brackets."""
    w, h = sent_size(width, height, settings)
    return (w // settings.patch) * (h // settings.patch) + 2


def images_of(messages: Sequence[Message]) -> list[Image.Image]:
    """Return all images of a prompt, in order."""
    return [part for message in messages for part in message.parts if not isinstance(part, str)]


def _padded_size(width: int, height: int) -> tuple[int, int]:
    """Return the size at which neither side is more than `LONGEST` times the other."""
    return max(width, math.ceil(height / LONGEST)), max(height, math.ceil(width / LONGEST))
