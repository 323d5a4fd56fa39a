"""Turned sheets: how many pages, drawn and turned by quarters, are seen to be turned, and what seeing that costs.

    python -m evaluation.benches.conversion.turns --folder PDFS [--pages N] [--seed S]

One page of each PDF that has text is drawn at the size that OCR sees, turned by 0 to 3 quarters, read, and asked for
the turn that makes it upright. The reference is OCR alone, as it was: it takes every page to be upright.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pymupdf
from numpy.typing import NDArray

from evaluation.tables import TableRow, print_rows
from indexing import IndexingSettings
from indexing.parse.scan import quarters_to_upright, recognise

LEAST_TEXT = 80
"""The fewest characters of a page that is drawn: one without text has no side that is up."""


@dataclass(slots=True)
class TurnShares:
    """The sums over pages: right answers by quarters, and the seconds of processor of reading and of asking."""

    pages: int = 0
    right: Counter[int] = field(default_factory=Counter)
    reading: float = 0.0
    asking: float = 0.0


def images(folder: Path, pages: int, seed: int, longer_side: int) -> Iterator[tuple[str, NDArray[np.uint8]]]:
    """Yield pages as images (h, w, 3) in BGR, with a name to tell of, at most one of each PDF, chosen by `seed`."""
    chosen, paths = random.Random(seed), sorted(folder.glob("*.pdf"))  # noqa: S311  a sample
    chosen.shuffle(paths)
    for path in paths:
        with pymupdf.open(path) as document:
            page = document[chosen.randrange(len(document))]
            if pages == 0 or len(page.get_text().strip()) < LEAST_TEXT:
                continue
            zoom = longer_side / max(page.rect.width, page.rect.height)
            drawn = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), colorspace=pymupdf.csRGB, alpha=False)
            image = np.frombuffer(drawn.samples, np.uint8).reshape(drawn.height, drawn.width, 3)
            yield f"{path.name}, page {page.number + 1}", image[:, :, ::-1]
            pages -= 1


def measure(folder: Path, pages: int, seed: int) -> TurnShares:
    """Turn each page by every quarter, and ask."""
    sums = TurnShares()
    for name, image in images(folder, pages, seed, IndexingSettings().ocr_pixels):
        sums.pages += 1
        for quarters in range(4):
            turned = np.ascontiguousarray(np.rot90(image, -quarters))
            begun = time.process_time()
            words = recognise(turned)
            read = time.process_time()
            found = quarters_to_upright(turned, words)
            sums.reading += read - begun
            sums.asking += time.process_time() - read
            if found == -quarters % 4:
                sums.right[quarters] += 1
            else:
                print(f"{name}: turned by {quarters}, to be turned back by {-quarters % 4}, not {found}", flush=True)
    return sums


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the shares, and the seconds a page."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.benches.conversion.turns", description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="a folder of PDFs")
    parser.add_argument("--pages", type=int, default=12, help="the number of pages to turn (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=7, help="the seed of the pages (default: %(default)s)")
    args = parser.parse_args(arguments)
    sums = measure(args.folder, args.pages, args.seed)
    asked = max(sums.pages, 1)
    rows = [
        TableRow(
            f"turned by {quarters}: of {sums.pages} pages", sums.right[quarters], "", 0 if quarters else sums.pages
        )
        for quarters in range(4)
    ]
    rows.append(TableRow("more time a page", sums.asking / asked / 4, "s", sums.reading / asked / 4))
    print_rows("Pages that are made upright", rows, "OCR alone")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
