"""Faded sheets: how many words of a page are read off a bad scan of it, and what strengthening costs.

    python -m evaluation.benches.conversion.faded --folder PDFS [--pages N] [--seed S] [--kinds faded,grey,...]

One page of each PDF that has a text layer is drawn at 200 dpi and made into bad scans by seeded transforms: faded ink,
grey and mottled paper, the shadow of a gutter under uneven light, and print that shows through from the back. Each
scan, as a JPEG on a page, is read by `read_page`; the words of the text layer are what is to be found. The reference
is the same OCR on the pixels as they are.
"""

from __future__ import annotations

import argparse
import io
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pymupdf
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from evaluation.tables import print_table
from indexing import IndexingSettings
from indexing.parse import layer_words, read_page
from indexing.parse.scan import pixels_of, strengthened

DPI = 200
LEAST_WORDS = 120
"""The fewest words of a page that is drawn."""
QUALITY = 60
"""The quality of the JPEG that a scanner would have made."""

Grey = NDArray[np.float64]
Pixels = NDArray[np.uint8]


def clean(sheet: Pixels, _back: Pixels, _dice: np.random.Generator) -> Grey:
    """Return a good scan."""
    return sheet.astype(float)


def faded(sheet: Pixels, _back: Pixels, dice: np.random.Generator) -> Grey:
    """Return ink of a fifth of its contrast on paper that has yellowed."""
    paper = np.array([190.0, 186.0, 172.0])
    return np.asarray(0.2 * sheet + paper + dice.normal(0, 3, sheet.shape), float)


def grey(sheet: Pixels, _back: Pixels, dice: np.random.Generator) -> Grey:
    """Return ink on grey paper that is mottled, a fifth of full contrast apart."""
    mottled = _smooth(dice.normal(0, 1, sheet.shape[:2]), 40)
    return 0.2 * sheet + 100 + 8 * mottled[:, :, None] + dice.normal(0, 5, sheet.shape)


def shadow(sheet: Pixels, _back: Pixels, dice: np.random.Generator) -> Grey:
    """Return a sheet that bends into a gutter on its left, in light that falls from one corner."""
    height, width = sheet.shape[:2]
    across, down = np.linspace(0, 1, width), np.linspace(0, 1, height)[:, None]
    light = (1 - 0.85 * np.exp(-across / 0.1)) * (1 - 0.45 * across * down)
    return (0.75 * sheet + 40) * light[:, :, None] + dice.normal(0, 4, sheet.shape)


def through(sheet: Pixels, back: Pixels, dice: np.random.Generator) -> Grey:
    """Return ink of half its contrast on thin paper, with the print of the back, mirrored, showing through."""
    behind = np.asarray(Image.fromarray(back[:, ::-1]).resize(sheet.shape[1::-1]).filter(ImageFilter.GaussianBlur(1.5)))
    return 255 - 0.5 * (255 - sheet.astype(float)) - 0.22 * (255 - behind) + dice.normal(0, 3, sheet.shape)


KINDS: dict[str, Callable[[Pixels, Pixels, np.random.Generator], Grey]] = {
    "clean": clean,
    "faded": faded,
    "grey": grey,
    "shadow": shadow,
    "through": through,
}


def _smooth(noise: Grey, radius: int) -> Grey:
    """Return noise that changes over about `radius` pixels, of deviation 1."""
    small = noise[::radius, ::radius]
    wide = np.asarray(Image.fromarray(small.astype(np.float32)).resize(noise.shape[::-1], Image.Resampling.BICUBIC))
    return np.asarray(wide / max(float(wide.std()), 1e-6), float)


def scanned(image: Grey, size: pymupdf.Rect) -> tuple[pymupdf.Page, pymupdf.Document]:
    """Return a page of a size that shows `image`, as a scanner would have kept it."""
    buffer = io.BytesIO()
    Image.fromarray(np.clip(image, 0, 255).astype(np.uint8)).save(buffer, "JPEG", quality=QUALITY)
    made = pymupdf.open()
    sheet = made.new_page(width=size.width, height=size.height)
    sheet.insert_image(sheet.rect, stream=buffer.getvalue())
    return sheet, made


def drawn(page: pymupdf.Page) -> Pixels:
    """Draw a page at `DPI`: (h, w, 3) in RGB."""
    pixels = page.get_pixmap(dpi=DPI, colorspace=pymupdf.csRGB, alpha=False)
    return np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width, 3)


def sheets(folder: Path, pages: int, seed: int) -> Iterator[pymupdf.Page]:
    """Yield pages that have text, at most one of each PDF, chosen by `seed`."""
    chosen, paths = random.Random(seed), sorted(folder.glob("*.pdf"))  # noqa: S311  a sample
    chosen.shuffle(paths)
    for path in paths:
        with pymupdf.open(path) as document:
            page = document[chosen.randrange(len(document) - 1)]
            if pages and len(page.get_text("words")) >= LEAST_WORDS and not page.rotation:
                yield page
                pages -= 1


def said(texts: Sequence[str]) -> Counter[str]:
    """Count words by their letters and digits, without case."""
    bare = ("".join(filter(str.isalnum, text.casefold())) for text in texts)
    return Counter(word for word in bare if word)


@dataclass(slots=True)
class WordsRead:
    """The sums over the scans of a kind: words of the text layers, those read, all that was read, processor seconds.

    `ours` and `reference` have words found and words read; `touched` counts the scans whose print was strengthened.
    """

    scans: int = 0
    touched: int = 0
    words: int = 0
    ours: tuple[int, int] = (0, 0)
    reference: tuple[int, int] = (0, 0)
    looking: float = 0.0
    reading: float = 0.0


def read(sheet: pymupdf.Page, truth: Counter[str], sums: WordsRead) -> None:
    """Read a scan as `read_page` does and, where its print is strengthened, without that too."""
    longer_side = IndexingSettings().ocr_pixels
    image, _zoom = pixels_of(sheet, longer_side)
    begun = time.process_time()
    touched = strengthened(image) is not image
    sums.looking += time.process_time() - begun
    begun = time.process_time()
    ours = said([word.text for word in read_page(sheet, longer_side)])
    sums.reading += time.process_time() - begun
    reference = ours
    if touched:
        with patch("indexing.parse.scan.ocr.strengthened", lambda image: image):
            reference = said([word.text for word in read_page(sheet, longer_side)])
    sums.scans, sums.touched, sums.words = sums.scans + 1, sums.touched + touched, sums.words + truth.total()
    sums.ours = sums.ours[0] + (truth & ours).total(), sums.ours[1] + ours.total()
    sums.reference = sums.reference[0] + (truth & reference).total(), sums.reference[1] + reference.total()


def measure(folder: Path, pages: int, seed: int, kinds: Sequence[str]) -> dict[str, WordsRead]:
    """Make scans of every kind of each page, and read them."""
    sums = {kind: WordsRead() for kind in kinds}
    for page in sheets(folder, pages, seed):
        truth = said([word.text for word in layer_words(page)])
        sheet, back = drawn(page), drawn(page.parent[page.number + 1])
        for number, kind in enumerate(kinds):
            dice = np.random.default_rng([seed, page.number, number])
            scan, _document = scanned(KINDS[kind](sheet, back, dice), page.rect)  # a page lives as long as its document
            read(scan, truth, sums[kind])
    return sums


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the shares of words that are read, and the seconds a page."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.benches.conversion.faded", description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="a folder of PDFs")
    parser.add_argument("--pages", type=int, default=12, help="the number of pages to scan (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=7, help="the seed of pages and noise (default: %(default)s)")
    parser.add_argument("--kinds", default=",".join(KINDS), help="the kinds of scans (default: %(default)s)")
    args = parser.parse_args(arguments)
    kinds = args.kinds.split(",")
    if unknown := set(kinds) - set(KINDS):
        parser.error(f"unknown kind of scan: {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    rows = []
    for kind, sums in measure(args.folder, args.pages, args.seed, kinds).items():
        shares = [
            f"{100 * found / max(every, 1):.1f}"
            for found, every in (
                (sums.ours[0], sums.words), (sums.reference[0], sums.words), sums.ours, sums.reference,
            )
        ]  # fmt: skip
        each = max(sums.scans, 1)
        times = f"{sums.looking / each:.3f}", f"{sums.reading / each:.2f}"
        rows.append((kind, f"{sums.touched} of {sums.scans}", *shares, *times))
    columns = (
        "scans", "strengthened", "words read %", "as it is", "of what is read true %", "as it is",
        "s looking", "s reading",
    )  # fmt: skip
    print_table("Words of the text layer that are read off bad scans", columns, rows)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
