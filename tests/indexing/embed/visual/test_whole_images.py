"""What visual embedders are given of an image file: its pixels, once. Nothing here needs torch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PIL import Image

from indexing import BBox
from indexing.embed.visual.universal import _items
from indexing.store.multivectors import by_element
from tests.indexing.patchwork import Patchwork
from tests.support import documents, fakes


def shown(texts: tuple[str, ...], caption: str = "red kite") -> fakes.ParsedPage:
    """The page of an image file with its pixels."""
    return replace(
        fakes.image_page("d", caption, texts), image=documents.png(Image.new("RGB", (300, 200), (200, 0, 0)))
    )


def test_a_universal_embedder_gets_an_image_once_and_by_its_pixels_alone() -> None:
    whole, text = _items(shown(("The harbour bridge.",)))
    assert whole[0] == 0  # the whole image is the page's first element
    assert (whole[1].as_tuple(), whole[2].text) == ((0, 0, 1, 1), "")
    assert whole[2].image is not None
    assert whole[2].image.size == (300, 200)
    assert (text[0], text[2].text, text[2].image) == (1, "The harbour bridge.", None)


def test_patches_in_which_nothing_was_read_are_of_the_whole_image() -> None:
    """Of four patches, the piece of text holds the middles of the upper two."""
    page = shown(("The harbour bridge.",))
    text = replace(page.elements[1], bbox=BBox(0.1, 0.2, 0.9, 0.3))
    (patches,) = Patchwork().embed_pages([page])
    made = by_element((page.elements[0], text), patches, Patchwork())
    assert [(owner, count) for owner, _, count in made.spans] == [(0, 2), (1, 2)]
    alone = by_element(page.elements[:1], patches, Patchwork())
    assert [(owner, count) for owner, _, count in alone.spans] == [(0, 4)]
    assert np.array_equal(np.sort(alone.vectors[:, 0]), [1, 2, 3, 4])
