"""Two-page spreads: how many are seen to be two facing pages, what is read on them, and what is taken for one in error.

    python -m evaluation.benches.conversion.spreads --folder PDFS [--pairs N] [--read M] [--seed S]

Two pages of a PDF that follow one another are drawn side by side as a scan of an open book, without and with the shadow
of a gutter. Some of them are parsed: the words of both text layers are what is to be found, no element may run
across the gutter, and what is on the left comes first. The reference parses the same scan as one page. Every landscape
page of the folder is asked too: there a gutter is an error. A spread without a shadow is left whole on purpose.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pymupdf

from evaluation.benches.conversion.faded import LEAST_WORDS, drawn, said, scanned
from evaluation.tables import print_table
from indexing import IndexingSettings
from indexing.parse import layer_words, layout, parse_page
from indexing.parse.scan import gutter

SHADOWS = (0.0, 0.25, 0.6)
"""The share of the light that the gutter takes away at its darkest."""
REACH = 0.02
"""The distance, as a share of the width, over which the shadow falls to a third."""
NEAR = 0.02
"""The distance from where the pages meet, as a share of the width, within which a gutter is right."""

Pair = tuple[pymupdf.Page, pymupdf.Page]


def pairs(folder: Path, count: int, seed: int) -> Iterator[Pair]:
    """Yield up to two pairs of portrait pages of one size with text from each PDF, `count` in all."""
    dice = random.Random(seed)  # noqa: S311  a sample
    for path in sorted(folder.glob("*.pdf")):
        with pymupdf.open(path) as document:
            for _ in range(2):
                number = dice.randrange(len(document) - 1)
                left, right = document[number], document[number + 1]
                same = left.rect == right.rect and left.rect.width < left.rect.height
                worded = min(len(page.get_text("words")) for page in (left, right)) >= LEAST_WORDS
                if same and worded and count:
                    yield left, right
                    count -= 1


def spread(pair: Pair, shadow: float, dice: np.random.Generator) -> tuple[pymupdf.Page, pymupdf.Document]:
    """Return a page that shows two pages side by side, as a scan of a book does."""
    image = np.concatenate([drawn(page) for page in pair], axis=1).astype(float)
    across = abs(np.linspace(-0.5, 0.5, image.shape[1]))
    image *= (1 - shadow * np.exp(-across / REACH))[None, :, None]
    image += dice.normal(0, 3, image.shape)
    return scanned(image, pymupdf.Rect(0, 0, 2 * pair[0].rect.width, pair[0].rect.height))


@dataclass(slots=True)
class SpreadRead:
    """The sums over spreads: those parsed, words found, elements across the gutter, spreads in order, seconds."""

    parsed: int = 0
    words: int = 0
    across: int = 0
    in_order: int = 0
    seconds: float = 0.0

    def add(self, page: pymupdf.Page, truth: Counter[str]) -> None:
        """Parse a page and count."""
        begun = time.process_time()
        found = parse_page(page, "d", IndexingSettings(visual="none")).elements
        self.seconds += time.process_time() - begun
        self.parsed += 1
        single = [e for e in found if e.kind != "group"]
        self.words += (truth & said([word for e in single for word in e.text.split()])).total()
        self.across += sum(e.bbox.x0 < 0.5 - NEAR and e.bbox.x1 > 0.5 + NEAR for e in found)
        right = [e.bbox.x0 + e.bbox.x1 > 1 for e in single]
        self.in_order += right == sorted(right)


def landscape(folder: Path) -> tuple[int, list[str]]:
    """Return the number of landscape pages of a folder's PDFs, and names of those in which a gutter is seen."""
    pages, seen = 0, []
    for path in sorted(folder.glob("*.pdf")):
        with pymupdf.open(path) as document:
            for page in document:
                if page.rect.width > page.rect.height:
                    pages += 1
                    seen += [f"{path.name}, page {page.number + 1}"] if gutter(page) is not None else []
    return pages, seen


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what is seen and what is read."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.benches.conversion.spreads", description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="a folder of PDFs")
    parser.add_argument("--pairs", type=int, default=60, help="the number of spreads to make (default: %(default)s)")
    parser.add_argument("--read", type=int, default=6, help="the number of them to parse (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=7, help="the seed of pages and noise (default: %(default)s)")
    args = parser.parse_args(arguments)
    made, words, seen = 0, 0, dict.fromkeys(SHADOWS, 0)
    ours, whole = SpreadRead(), SpreadRead()
    for pair in pairs(args.folder, args.pairs, args.seed):
        scans = {shadow: spread(pair, shadow, np.random.default_rng([args.seed, made])) for shadow in SHADOWS}
        for shadow, (page, _document) in scans.items():
            found = gutter(page)
            seen[shadow] += found is not None and abs(found / page.rect.width - 0.5) <= NEAR
        made += 1
        if made % max(args.pairs // max(args.read, 1), 1) == 0:
            deepest, _document = scans[max(SHADOWS)]
            truth = said([word.text for side in pair for word in layer_words(side)])
            words += truth.total()
            ours.add(deepest, truth)
            with patch.object(layout, "facing_pages", lambda *_: ()):
                whole.add(deepest, truth)
    rows: list[tuple[str, ...]] = [(f"seen, shadow {shadow}: of {made}", str(n), "") for shadow, n in seen.items()]
    both = (ours, whole)
    rows += [
        (f"parsed ({ours.parsed}): words found %", *(f"{100 * way.words / max(words, 1):.1f}" for way in both)),
        ("elements and groups across the gutter", *(str(way.across) for way in both)),
        ("left before right", *(f"{way.in_order} of {way.parsed}" for way in both)),
        ("processor s a spread", *(f"{way.seconds / max(way.parsed, 1):.1f}" for way in both)),
    ]
    pages, mistaken = landscape(args.folder)
    rows.append((f"gutters in {pages} landscape pages", str(len(mistaken)), ""))
    print_table("Spreads of two pages", ("", "ours", "as one page"), rows)
    print("\n".join(mistaken))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
