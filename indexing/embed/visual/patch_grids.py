"""The place of each patch vector on its page: the grids of the ColPali family, as the processed batch defines them.

There are three ways of looking at a page. ColPali and ColGemma3 squash it to a square of patches. ColQwen keeps its
shape: a grid of its own, of which neighbouring patches are merged. ColIdefics3 and ColModernVBERT cut it into square
tiles, each of them a small grid, tile after tile, and look once more at the whole of it in one tile. The grid always
covers the whole page, so a cell is the same share of the page at any scale of its pixels.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

from indexing.types import BBox


def cells(columns: int, rows: int) -> tuple[BBox, ...]:
    """Return the boxes of the cells of a grid that covers the page, row by row."""
    return tile_cells(columns, rows, 1)


@lru_cache(maxsize=64)
def tile_cells(columns: int, rows: int, side: int) -> tuple[BBox, ...]:
    """Return the boxes of cells of `columns` x `rows` tiles of `side` x `side` cells each, tile by tile, row by row."""
    wide, high = columns * side, rows * side
    return tuple(
        BBox((c * side + x) / wide, (r * side + y) / high, (c * side + x + 1) / wide, (r * side + y + 1) / high)
        for r in range(rows)
        for c in range(columns)
        for y in range(side)
        for x in range(side)
    )


def boxes_of(processor: Any, batch: Any, index: int, size: tuple[int, int], n_patches: int) -> tuple[BBox, ...]:
    """Return the boxes of the first image tokens of page `index` of a batch; further ones encode the page as a whole.

    `size` is (width, height) of the page's image in pixels, `n_patches` the number of its image tokens. Raises
    ValueError when the grid that follows from them is not that of the tokens.
    """
    if "image_grid_thw" in batch:
        _, high, wide = batch["image_grid_thw"][index].tolist()
        merge_size = processor.image_processor.merge_size
        boxes = cells(wide // merge_size, high // merge_size)
        fits = len(boxes) == n_patches
    elif hasattr(processor.image_processor, "max_image_size"):
        side = math.isqrt(processor.image_seq_len)
        columns, rows = tiles_of(processor.image_processor, *size)
        boxes = tile_cells(columns, rows, side)
        overview = processor.image_seq_len if columns * rows > 1 else 0
        fits = len(boxes) + overview == n_patches
    else:
        side = math.isqrt(n_patches)
        boxes = cells(side, side)
        fits = len(boxes) == n_patches
    if not fits:
        raise ValueError(
            f"an image of {size[0]} x {size[1]} pixels has {n_patches} tokens, not the {len(boxes)} of its grid"
        )
    return boxes


def tiles_of(image_processor: Any, width: int, height: int) -> tuple[int, int]:
    """Return columns and rows of the tiles that Idefics3's image processor cuts an image into; (1, 1) if it cuts none.

    It scales the longer side to the size it is set to, the shorter one to an even number, then both up to whole tiles.
    """
    longest, tile = image_processor.size["longest_edge"], image_processor.max_image_size["longest_edge"]
    if not image_processor.do_image_splitting:
        return 1, 1
    if image_processor.do_resize:
        ratio = width / height
        if width >= height:
            width, height = longest, int(longest / ratio)
            height += height % 2
        else:
            width, height = int(longest * ratio), longest
            width += width % 2
        width, height = _scale_below(max(width, 1), max(height, 1))
    ratio = width / height
    if width >= height:
        columns = math.ceil(width / tile)
        return columns, max(1, math.ceil(int(columns * tile / ratio) / tile))
    rows = math.ceil(height / tile)
    return max(1, math.ceil(int(rows * tile * ratio) / tile)), rows


def _scale_below(width: int, height: int, most: int = 4096) -> tuple[int, int]:
    """Return the size scaled down so that no side is longer than `most` pixels."""
    ratio = width / height
    if width >= height and width > most:
        return most, max(1, int(most / ratio))
    if height > width and height > most:
        return max(1, int(most * ratio)), most
    return width, height
