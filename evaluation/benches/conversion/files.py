"""All kinds of files: the paragraphs of their sources that are found, and those whose boxes hold their words.

    python -m evaluation.benches.conversion.files --folder FILES [--paragraphs N] [--draw FOLDER]

Measured are the files of a folder, and 60 that the bench makes. A paragraph is found if its letters and digits stand in
the text of the elements, one after the other. Its boxes hold it if every word of it has ink in the part of its box that
lies in the box of its element; and, where the page has letters of its own (that of a web page is a picture), if those
letters of the page whose middles lie in these parts have all letters of the paragraph. `--draw` draws thirty
paragraphs, at even distances, with the box of each.
"""

from __future__ import annotations

import argparse
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pymupdf
from numpy.typing import NDArray

from evaluation.benches.conversion.own_files import own_files
from evaluation.benches.conversion.source_text import source_paragraphs
from evaluation.progress import say
from evaluation.tables import TableRow, print_rows, print_table
from indexing import Element, FileError, IndexingSettings
from indexing.conversion import CONVERTED, Rendition, convert
from indexing.conversion.office import program
from indexing.parse import parse_page

MUST = 0.97
DPI, DRAWN_DPI, SAMPLE = 108, 110, 30
INK = 24
"""The least difference of two pixels in the box of a word, of 255."""
NOT_READ = ("group", "header", "footer")


@dataclass(frozen=True, slots=True)
class FoundParagraph:
    """A paragraph on its pages: its text, and for each page (from 0) the boxes of its words as fractions."""

    text: str
    boxes: tuple[tuple[int, NDArray[np.float32]], ...]
    held: bool


@dataclass(slots=True)
class FileScore:
    """A file: its paragraphs in its source, those that were found, those that were not."""

    path: Path
    own: bool
    paragraphs: int = 0
    found: list[FoundParagraph] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    pdf: bytes = field(default=b"", repr=False)


@dataclass(slots=True)
class _Pages:
    """The pages of a rendition as one string of letters and digits, each with its element and its place in it."""

    elements: list[tuple[int, Element]]
    letters: str = ""
    of: list[tuple[int, int]] = field(default_factory=list)

    @classmethod
    def of_rendition(cls, made: Rendition, settings: IndexingSettings) -> _Pages:
        """Read the elements of all pages; those that the converter did not give are parsed."""
        pages = made.pages
        if pages is None:
            with pymupdf.open(stream=made.pdf, filetype="pdf") as document:
                pages = tuple(parse_page(page, "", settings) for page in document)
        found = cls([(n, e) for n, page in enumerate(pages) for e in page.elements if e.kind not in NOT_READ])
        for number, (_, element) in enumerate(found.elements):
            for at, character in enumerate(element.text):
                key = _key(character)
                found.letters += key
                found.of += [(number, at)] * len(key)
        return found

    def places(self, start: int, end: int) -> Iterator[tuple[int, NDArray[np.float32]]]:
        """Yield, for each element that has letters start to end, its page, and its part of the boxes of their words."""
        for number in dict.fromkeys(n for n, _ in self.of[start:end]):
            page, element = self.elements[number]
            own = [at for n, at in self.of[start:end] if n == number]
            spans = element.words.spans
            hit = (spans[:, 0] <= own[-1]) & (spans[:, 1] > own[0])
            yield page, _clipped(element.words.boxes[hit], element)


class _Drawn:
    """The pages of a PDF as pixels and letters, each drawn once."""

    def __init__(self, pdf: bytes, *, own_letters: bool) -> None:
        self._document = pymupdf.open(stream=pdf, filetype="pdf")
        self._own_letters = own_letters
        self._pixels: dict[int, NDArray[np.uint8]] = {}
        self._letters: dict[int, list[tuple[float, float, str]]] = {}

    def inked(self, page: int, boxes: NDArray[np.float32]) -> bool:
        """Return True if there are boxes, and every one has ink."""
        return bool(len(boxes)) and all(self._inked(page, box) for box in boxes.tolist())

    def letters_in(self, page: int, boxes: NDArray[np.float32]) -> Counter[str] | None:
        """Return the letters of the page whose middles lie in the boxes; None for a page that is a picture."""
        if not self._own_letters:
            return None
        if page not in self._letters:
            shown = self._document[page]
            told = shown.get_text("rawdict")["blocks"]
            self._letters[page] = [
                ((c["bbox"][0] + c["bbox"][2]) / 2 / shown.rect.width,
                 (c["bbox"][1] + c["bbox"][3]) / 2 / shown.rect.height, _key(c["c"]))
                for block in told for line in block.get("lines", ()) for span in line["spans"] for c in span["chars"]
            ]  # fmt: skip
        found: Counter[str] = Counter()
        for x, y, key in self._letters[page]:
            if key and ((boxes[:, 0] <= x) & (x <= boxes[:, 2]) & (boxes[:, 1] <= y) & (y <= boxes[:, 3])).any():
                found.update(key)
        return found

    def _inked(self, page: int, box: Sequence[float]) -> bool:
        if page not in self._pixels:
            drawn = self._document[page].get_pixmap(dpi=DPI, alpha=False)
            self._pixels[page] = np.frombuffer(drawn.samples, np.uint8).reshape(drawn.height, drawn.width, 3)
        pixels = self._pixels[page]
        high, wide = pixels.shape[:2]
        x0, y0, x1, y1 = box
        if x0 >= x1 or y0 >= y1:
            return False
        region = pixels[int(y0 * high) : int(y1 * high) + 1, int(x0 * wide) : int(x1 * wide) + 1].reshape(-1, 3)
        return bool(region.size) and int(np.ptp(region, axis=0).max()) >= INK


def measured(path: Path, paragraphs: Sequence[str], settings: IndexingSettings, *, own: bool) -> FileScore:
    """Convert a file and look its paragraphs up. Raises FileError."""
    made = convert(path, settings)
    pages = _Pages.of_rendition(made, settings)
    drawn = _Drawn(made.pdf, own_letters=not CONVERTED[path.suffix.lower()].converter.startswith("web:"))
    score, at = FileScore(path, own, pdf=made.pdf), 0
    for text in paragraphs:
        key = "".join(map(_key, text))
        if not key:
            continue
        score.paragraphs += 1
        start = pages.letters.find(key, at)
        start = start if start >= 0 else pages.letters.find(key)
        if start < 0:
            score.missed.append(text)
            continue
        at = start + len(key)
        score.found.append(_held(text, key, list(pages.places(start, at)), drawn))
    return score


def _held(text: str, key: str, places: Sequence[tuple[int, NDArray[np.float32]]], drawn: _Drawn) -> FoundParagraph:
    held = all(drawn.inked(page, boxes) for page, boxes in places)
    printed = [drawn.letters_in(page, boxes) for page, boxes in places]
    if None not in printed:
        there = sum((letters for letters in printed if letters is not None), Counter[str]())
        held = held and not Counter(key) - there
    return FoundParagraph(text, tuple(places), held)


def _clipped(boxes: NDArray[np.float32], element: Element) -> NDArray[np.float32]:
    """Return the parts of boxes that lie in the box of their element, all as fractions of the page."""
    x0, y0, x1, y1 = element.bbox.as_tuple()
    low, high = np.array((x0, y0, x0, y0), np.float32), np.array((x1, y1, x1, y1), np.float32)
    return np.clip(boxes, low, high)


def _key(text: str) -> str:
    """Return the letters and digits of a text alone, in one form."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def report(scores: Sequence[FileScore]) -> bool:
    """Print a row for each kind, the shares of all, and what was missed; return True where they are as must be."""
    rows = []
    for own in (True, False):
        for kind in sorted({s.path.suffix.lower() for s in scores if s.own is own}):
            of = [s for s in scores if s.own is own and s.path.suffix.lower() == kind]
            there, held = sum(len(s.found) for s in of), sum(f.held for s in of for f in s.found)
            numbers = (len(of), sum(s.paragraphs for s in of), there, held)
            rows.append(("ours" if own else "of the folder", kind, *(f"{n:,}" for n in numbers)))
    print_table("Paragraphs of known sources", ("", "kind", "files", "paragraphs", "found", "box holds them"), rows)
    wanted = max(1, sum(s.paragraphs for s in scores))
    shares = (
        sum(len(s.found) for s in scores) / wanted,
        sum(f.held for s in scores for f in s.found) / wanted,
    )
    names = (f"found of {wanted:,} in {len(scores)} files", "found, with a box that holds them")
    print_rows(
        "All", [TableRow(n, v, "", None, MUST, at_least=True) for n, v in zip(names, shares, strict=True)], "none"
    )
    for score in scores:
        for text in score.missed[:3]:
            print(f"missed in {score.path.name} ({len(score.missed)}): {' '.join(text.split())[:90]!r}")
        for found in [f for f in score.found if not f.held][:2]:
            print(f"no box holds it in {score.path.name}: {' '.join(found.text.split())[:90]!r}")
    return min(shares) >= MUST


def draw(scores: Sequence[FileScore], folder: Path) -> None:
    """Draw thirty of the paragraphs, at even distances, each on its first page with the boxes of its words' lines."""
    folder.mkdir(parents=True, exist_ok=True)
    all_found = [(score, found) for score in scores for found in score.found]
    chosen = all_found[:: max(1, len(all_found) // SAMPLE)][:SAMPLE]
    for n, (score, paragraph) in enumerate(chosen):
        page, boxes = paragraph.boxes[0]
        with pymupdf.open(stream=score.pdf, filetype="pdf") as document:
            sheet = document[page]
            wide, high = sheet.rect.width, sheet.rect.height
            x0, y0 = boxes[:, :2].min(axis=0).tolist()
            x1, y1 = boxes[:, 2:].max(axis=0).tolist()
            around = pymupdf.Rect(x0 * wide, y0 * high, x1 * wide, y1 * high)
            sheet.draw_rect(around, color=(1, 0, 0), width=0.7)
            shown = (around + pymupdf.Rect(-40, -40, 40, 40)) & sheet.rect
            sheet.get_pixmap(dpi=DRAWN_DPI, clip=shown).save(folder / f"{n:02d}-{score.path.name}.png")
        print(f"{n:02d} {score.path.name} p. {page + 1}: {' '.join(paragraph.text.split())[:70]!r}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; 1 where fewer paragraphs are found than must be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="the folder of the files that others wrote")
    parser.add_argument("--paragraphs", type=int, default=20, metavar="N", help="paragraphs of each file of ours (20)")
    parser.add_argument("--draw", type=Path, help="folder for pictures of thirty paragraphs with their boxes")
    args = parser.parse_args(arguments)
    settings = IndexingSettings(visual="none")
    binary = program(settings)
    if binary is None:
        parser.error("LibreOffice is not installed: make office")
    scores = []
    with tempfile.TemporaryDirectory() as folder:
        known = [(path, texts, True) for path, texts in own_files(Path(folder), binary, args.paragraphs)]
        known += [(p, source_paragraphs(p), False) for p in sorted(args.folder.rglob("*")) if p.suffix in CONVERTED]
        for n, (path, texts, own) in enumerate(known):
            say("converting", n, len(known))
            try:
                scores.append(measured(path, texts, settings, own=own))
            except FileError as error:
                print(f"not read: {error}")
                scores.append(FileScore(path, own, len(texts), missed=list(texts)))
        passed = report(scores)
        if args.draw:
            draw(scores, args.draw)
    return int(not passed)


if __name__ == "__main__":
    raise SystemExit(main())
