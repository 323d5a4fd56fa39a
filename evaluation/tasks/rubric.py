"""A rubric: one thing to be judged, the prompt it is judged by, and the pictures that a judge is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image


@dataclass(frozen=True, slots=True)
class PageRegion:
    """A piece of a page: the document's id, the page from 1, the box in fractions of the page."""

    document: str
    page: int
    bbox: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Rubric:
    """Something to be judged: under `key`, by the prompt `prompt` with its `values`, on the `scale` of scores.

    `regions` are shown as pictures to a judge that sees. With `pictured` the regions show more than the values say:
    a judge that is not shown every one of them could only guess. `image` is the file of a picture that is shown first,
    and without which nothing can be judged.
    """

    key: str
    prompt: str
    values: Mapping[str, str]
    scale: tuple[float, ...]
    regions: tuple[PageRegion, ...] = ()
    pictured: bool = False
    image: Path | None = None


Picture = Callable[[PageRegion], "Image.Image"]
