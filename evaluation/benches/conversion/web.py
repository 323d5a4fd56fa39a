"""The boxes of web pages beside their ink, and the time beside the bare browser.

    python -m evaluation.benches.conversion.web --folder /usr/share/doc --count 50

Pages are drawn by files at even distances in the folder, by name. A paragraph is right if no ink around it goes more
than 2 CSS pixels beyond its box, and it begins and ends within 2 of its left and right side. Above and below, a box
has the room that the font takes for its tallest letters; that room is printed. `--draw` keeps pages with their boxes.

Each file is also drawn by Chromium alone, to a picture of the same size, in turns before and after ours. Time is that
of the processor with all processes that were started. Vouch's is to the end of its rendition.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pymupdf
from numpy.typing import NDArray

from evaluation.benches.conversion.processor import adopt_orphans, processor_seconds
from evaluation.progress import say
from evaluation.tables import TableRow, median, percentile, print_rows, print_table
from indexing import Element, IndexingError, IndexingSettings, ParsedPage
from indexing.conversion import Rendition
from indexing.conversion.web import chromium_of, web_rendition

MUST, NEAR, RING = 0.97, 2.0, 5.0
"""The share of paragraphs that must be right; the distance that is near; how far around a box ink is looked for."""
MUST_TIME = 1.3
"""The most times the processor time of the bare browser."""
ZOOM = 1.5
"""The pixels that are drawn for a CSS pixel, by Vouch too."""
WIDTH = 980
"""The width of a page in CSS pixels."""
POINTS = 0.75
CONTRAST = 48
RULED = 0.9
"""The share of a row or column around a paragraph that only a rule fills."""
KINDS = ("text", "heading", "list", "caption")


@dataclass(frozen=True, slots=True)
class InkDistance:
    """A paragraph: CSS pixels of ink beyond its box, and of room inside it: left, right, above and below."""

    where: str
    text: str
    beyond: float
    sides: float
    above: float
    below: float

    @property
    def right(self) -> bool:
        """True if box and ink are within 2 pixels."""
        return self.beyond <= NEAR and self.sides <= NEAR


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark; 1 where fewer paragraphs are right than must be."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.benches.conversion.web", description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="folder with saved web pages")
    parser.add_argument("--count", type=int, default=50, help="the number of pages (default: %(default)s)")
    parser.add_argument(
        "--height",
        type=int,
        default=2800,
        help="the height of each that is rendered, in CSS pixels (default: %(default)s)",
    )
    parser.add_argument("--draw", type=Path, help="folder for pictures of the first page of each, with boxes")
    args = parser.parse_args(argv)
    files = sorted(path for suffix in ("html", "htm", "xhtml") for path in args.folder.rglob(f"*.{suffix}"))
    chosen = files[:: max(1, len(files) // args.count)][: args.count]
    settings = IndexingSettings(web_height=args.height)
    adopt_orphans()
    found, times, failed = list[InkDistance](), list[tuple[float, float]](), 0
    for n, path in enumerate(chosen):
        say("drawing", n, len(chosen))
        try:
            made, taken = timed(path, settings, first=n % 2 == 0)
        except IndexingError as error:
            failed += 1
            print(error)
            continue
        times.append(taken)
        found += distances(path, made, args.draw)
    if not found:
        print("no paragraph was found: give a folder of web pages")
        return 1
    _print(found, len(chosen) - failed, failed)
    _print_times(times)
    ours, bare = (sum(side) for side in zip(*times, strict=True))
    return int(sum(one.right for one in found) < MUST * len(found) or ours > MUST_TIME * bare)


def timed(path: Path, settings: IndexingSettings, *, first: bool) -> tuple[Rendition, tuple[float, float]]:
    """Make a page a rendition, and draw it by the browser alone, ours `first` or second.

    Returns the rendition and the seconds of the processor that Vouch and the browser alone took. Raises IndexingError.
    """
    begun = processor_seconds()
    if not first:
        bare_drawing(path, settings)
    between = processor_seconds()
    made = web_rendition(path, settings)
    ended = processor_seconds()
    if first:
        bare_drawing(path, settings)
    bare = processor_seconds() - ended if first else between - begun
    return made, (ended - between, bare)


def bare_drawing(path: Path, settings: IndexingSettings) -> None:
    """Draw a page by Chromium alone, as large as it is in a rendition. Raises FileNotFoundError without Chromium."""
    with tempfile.TemporaryDirectory() as folder:
        flags = ["--headless", "--disable-gpu", "--hide-scrollbars", f"--force-device-scale-factor={ZOOM}",
                 f"--window-size={WIDTH},{settings.web_height}", f"--user-data-dir={folder}/profile",
                 f"--screenshot={folder}/page.png", *(["--no-sandbox"] if os.geteuid() == 0 else [])]  # fmt: skip
        command = [chromium_of(settings), *flags, path.resolve().as_uri()]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=300)  # noqa: S603  a file that the user named


def distances(path: Path, made: Rendition, draw: Path | None = None) -> Iterator[InkDistance]:
    """Yield the distances of each paragraph of a page from its ink."""
    with pymupdf.open(stream=made.pdf) as pdf:
        for page, parsed in zip(pdf, made.pages or (), strict=True):
            picture = page.get_pixmap(matrix=pymupdf.Matrix(ZOOM / POINTS, ZOOM / POINTS), colorspace=pymupdf.csGRAY)
            pixels = np.frombuffer(picture.samples, np.uint8).reshape(picture.height, picture.width)
            for element in parsed.elements:
                if element.kind in KINDS:
                    measured = _measured(pixels, parsed, element, path.name)
                    if measured is not None:
                        yield measured
        if draw is not None:
            _draw(pdf[0], (made.pages or ())[0], draw / f"{path.parent.name}-{path.stem}.png")


def _measured(pixels: NDArray[np.uint8], parsed: ParsedPage, element: Element, name: str) -> InkDistance | None:
    """Return the distances of a paragraph, None for one without ink; ink in the boxes of others is theirs.

    Ink is what has at least half of the contrast of the letters: a tint or a thin rule around a paragraph has less.
    """
    high, wide = pixels.shape
    x0, y0, x1, y1 = (v * s for v, s in zip(element.bbox.as_tuple(), (wide, high, wide, high), strict=True))
    ring = RING * ZOOM
    left, top = max(0, int(x0 - ring)), max(0, int(y0 - ring))
    region = pixels[top : int(y1 + ring) + 1, left : int(x1 + ring) + 1]
    away = np.abs(region.astype(np.int16) - int(np.median(region)))
    ink = away >= max(CONTRAST, int(away[int(ring) : -int(ring), int(ring) : -int(ring)].max(initial=0)) // 2)
    ink[:, ink.mean(axis=0) > RULED] = False  # the frame of a cell, from end to end
    ink[ink.mean(axis=1) > RULED] = False
    for other in parsed.elements:
        a, b, c, d = (int(v) for v in other.bbox.to_page(wide, high))
        if other is not element and a < x1 + ring and c > x0 - ring and b < y1 + ring and d > y0 - ring:
            ink[max(0, b - top) : max(0, d + 1 - top), max(0, a - left) : max(0, c + 1 - left)] = False
    columns, rows = np.flatnonzero(ink.any(axis=0)), np.flatnonzero(ink.any(axis=1))
    if not len(columns):
        return None
    first, last = left + float(columns[0]), left + float(columns[-1] + 1)
    upper, lower = top + float(rows[0]), top + float(rows[-1] + 1)
    beyond = max(x0 - first, last - x1, y0 - upper, lower - y1, 0.0) / ZOOM
    sides = max(first - x0, x1 - last, 0.0) / ZOOM
    where = f"{name} p. {parsed.page.number}"
    return InkDistance(where, element.text[:50], beyond, sides, (upper - y0) / ZOOM, (y1 - lower) / ZOOM)


def _draw(page: pymupdf.Page, parsed: ParsedPage, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    for element in parsed.elements:
        box = pymupdf.Rect(element.bbox.to_page(parsed.page.width, parsed.page.height))
        page.draw_rect(box, color=(1, 0, 0) if element.kind == "heading" else (0, 0, 1), width=0.5)
    page.get_pixmap(dpi=96).save(path)


def _print(found: Sequence[InkDistance], pages: int, failed: int) -> None:
    right = sum(one.right for one in found)
    rows = [
        ("pages", f"{pages}, {failed} not read"),
        ("paragraphs", f"{len(found)}"),
        ("right", f"{100 * right / len(found):.1f}%"),
        ("ink beyond the box: within 2 px", f"{100 * sum(one.beyond <= NEAR for one in found) / len(found):.1f}%"),
        ("room at the sides: within 2 px", f"{100 * sum(one.sides <= NEAR for one in found) / len(found):.1f}%"),
        ("beyond, 99th percentile", f"{percentile([one.beyond for one in found], 0.99):.1f} px"),
        (
            "room above, below: median",
            f"{median([o.above for o in found]):.1f}, {median([o.below for o in found]):.1f} px",
        ),
    ]
    print_table("Boxes of web pages beside their ink", ("", "value"), rows)
    for one in sorted((one for one in found if not one.right), key=lambda one: -max(one.beyond, one.sides))[:20]:
        print(f"{one.where}: {one.beyond:.1f} beyond, {one.sides:.1f} at the sides: {one.text!r}")


def _print_times(times: Sequence[tuple[float, float]]) -> None:
    ours, bare = (sum(side) for side in zip(*times, strict=True))
    rows = [
        TableRow(f"processor, {len(times)} pages", ours, "s", bare),
        TableRow("times the browser", ours / bare, "", 1.0, MUST_TIME),
        TableRow("times the browser, median page", median([o / b for o, b in times]), "", 1.0),
    ]
    print_rows("Time beside the bare browser", rows, "browser")


if __name__ == "__main__":
    raise SystemExit(main())
