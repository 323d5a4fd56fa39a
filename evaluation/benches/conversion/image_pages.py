"""Pages without text: gold boxes met by cutting by contrast, and by the model that `rapid-layout` carries.

    python -m evaluation.benches.conversion.image_pages --folder PDFS --gold FILE.jsonl [--pages N] [--confidence C]

Every page with gold boxes and no text layer is read once by OCR, and made into elements three times: with the pictures
that cutting by contrast finds, with the figures and tables that the model finds in their place, and with both. A gold
box is met by a box of IoU 0.5 or more (`evaluation.benches.layout`). The model wants `rapid-layout`, which is no
dependency of Vouch: without it, only ours is measured.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pymupdf

from evaluation.benches.layout import MEETS, read_gold
from evaluation.tables import print_table
from indexing import BBox, IndexingSettings
from indexing.parse import MIN_LAYER_CHARS, layout, parse_page, read_page
from indexing.parse.scan import Box4, pixels_of, visual_regions

PLAIN = IndexingSettings(visual="none")
PICTURES = ("figure", "table")
"""The classes of the model that stand for what cutting by contrast finds; the others are text."""

Finder = Callable[[pymupdf.Page, Sequence[Box4], float], list[Box4]]


@dataclass(slots=True)
class Met:
    """The sums of a way: pages, gold boxes met, boxes offered, and the seconds of processor of finding them."""

    pages: int = 0
    met: int = 0
    boxes: int = 0
    seconds: float = 0.0

    def add(self, boxes: Sequence[BBox], gold: Sequence[BBox], seconds: float = 0.0) -> None:
        """Count the boxes of a page."""
        self.pages += 1
        self.met += sum(any(box.iou(target) >= MEETS for box in boxes) for target in gold)
        self.boxes += len(boxes)
        self.seconds += seconds


@dataclass(slots=True)
class RapidLayout:
    """The model of rapid-layout on one thread; `seconds` of processor it took since it was last asked for them."""

    engine: Any
    seconds: float = 0.0
    seen: list[tuple[str, Box4]] = field(default_factory=list)

    @classmethod
    def installed(cls, confidence: float) -> RapidLayout | None:
        """Load the model; None where the package is not installed."""
        if importlib.util.find_spec("rapid_layout") is None:
            return None
        logging.disable(logging.INFO)
        threads = {"intra_op_num_threads": 1, "inter_op_num_threads": 1}
        engine = importlib.import_module("rapid_layout").RapidLayout
        return cls(engine(model_type="pp_layout_cdla", conf_thresh=confidence, engine_cfg=threads))

    def look(self, page: pymupdf.Page) -> list[tuple[str, Box4]]:
        """Return class and box, in points, of what the model finds on a page."""
        image, zoom = pixels_of(page, PLAIN.ocr_pixels)
        begun = time.process_time()
        found = self.engine(image[:, :, ::-1].copy())
        self.seconds = time.process_time() - begun
        boxes = () if found.boxes is None else found.boxes
        self.seen = [
            (str(name), (float(x0) / zoom, float(y0) / zoom, float(x1) / zoom, float(y1) / zoom))
            for name, (x0, y0, x1, y1) in zip(found.class_names or (), boxes, strict=True)
        ]
        return self.seen

    def pictures(self, *_: object) -> list[Box4]:
        """Return the figures and tables of the page that was last looked at, as `visual_regions` does."""
        return [box for name, box in self.seen if name in PICTURES]


def image_only(pdfs: Path, gold: Path) -> Iterator[tuple[pymupdf.Page, list[BBox]]]:
    """Yield the pages without text that have gold boxes, and those."""
    for name, by_page in read_gold(gold).items():
        with pymupdf.open(pdfs / name) as document:
            for number, boxes in sorted(by_page.items()):
                if len("".join(document[number - 1].get_text().split())) < MIN_LAYER_CHARS:
                    yield document[number - 1], boxes


def measure(pages: Iterable[tuple[pymupdf.Page, list[BBox]]], rapid: RapidLayout | None) -> tuple[dict[str, Met], int]:
    """Return the sums by way, and the number of gold boxes."""
    sums: dict[str, Met] = {}
    total = 0
    for page, gold in pages:
        total += len(gold)
        words = read_page(page, PLAIN.ocr_pixels)
        begun = time.process_time()
        cut = visual_regions(page, [(w.x0, w.y0, w.x1, w.y1) for w in words], layout.MIN_PICTURE)
        sums.setdefault("contrast alone", Met()).add(_boxes(page, cut), gold, time.process_time() - begun)
        ways: dict[str, Finder] = {"contrast": visual_regions}
        if rapid is not None:
            seen = [box for _, box in rapid.look(page)]
            sums.setdefault("rapid-layout alone", Met()).add(_boxes(page, seen), gold, rapid.seconds)
            ways["rapid-layout in its place"] = rapid.pictures
            ways["both"] = lambda *asked: visual_regions(*asked) + rapid.pictures()
        for way, finder in ways.items():
            with (
                patch.object(layout, "visual_regions", finder),
                patch.object(layout, "read_page", lambda *_, w=words: w),
            ):
                found = parse_page(page, "d", PLAIN).elements
            plain = [e.bbox for e in found if e.kind != "group"]
            sums.setdefault(f"elements, {way}", Met()).add(plain, gold)
            sums.setdefault(f"elements + groups, {way}", Met()).add([e.bbox for e in found], gold)
    return sums, total


def _boxes(page: pymupdf.Page, boxes: Sequence[Box4]) -> list[BBox]:
    width, height = page.rect.width, page.rect.height
    return [box for box in (BBox.from_page(*edges, width, height) for edges in boxes) if box is not None]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the shares of gold boxes met."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.benches.conversion.image_pages", description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="a folder of PDFs")
    parser.add_argument("--gold", type=Path, required=True, help="the gold boxes (JSON lines)")
    parser.add_argument("--pages", type=int, default=0, help="the number of pages to read; 0 means all (the default)")
    parser.add_argument("--confidence", type=float, default=0.5, help="the model's threshold (default: %(default)s)")
    args = parser.parse_args(arguments)
    rapid = RapidLayout.installed(args.confidence)
    if rapid is None:
        print("rapid-layout is not installed (pip install --no-deps rapid-layout colorlog): only ours is measured")
    pages = islice(image_only(args.folder, args.gold), args.pages or None)
    sums, total = measure(pages, rapid)
    rows = [
        (
            way,
            f"{met.met} of {total}",
            f"{100 * met.met / max(total, 1):.1f}",
            f"{met.boxes / max(met.pages, 1):.1f}",
            f"{met.seconds / met.pages:.3f}" if met.seconds else "",
        )
        for way, met in sums.items()
    ]
    title = f"Pages without text ({max(met.pages for met in sums.values())}): gold boxes met at IoU >= {MEETS}"
    print_table(title, ("", "met", "%", "boxes a page", "processor s a page"), rows)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
