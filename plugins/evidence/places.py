"""Read the pages that a pack cites again, and compare each citation with their words, quote and boxes.

A worker process with the limits of indexing does it. A document is known by its SHA-256, whatever its file is called.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from io import BytesIO
from itertools import islice
from pathlib import Path, PurePath

from PIL import Image

from indexing import BBox, Element, IndexingSettings
from indexing.parse import identify
from indexing.workers import Job, Workers
from plugins.evidence.container import PackedDocument
from rag import Citation
from rag.anchors import Occurrence, comparable_text, find_quote, fingerprint

SETTINGS = IndexingSettings(visual="none")
"""The settings that pages are read with, those of indexing."""
MOST_LOOKED_AT = 200_000
"""The most files of a folder that are looked at for documents."""


class PageReader:
    """A reader of the pages of files. `folder` is an empty one for links to documents and for pictures."""

    def __init__(self, workers: Workers, folder: Path) -> None:
        """Keep workers and folder; each file is opened once, at its first page."""
        self._workers, self.folder = workers, folder
        self._job = lru_cache(maxsize=None)(self._open)

    def link_to(self, source: Path, document: PackedDocument) -> Path:
        """Return a link to a file whose name has the suffix of its document, by which its format is known."""
        suffix = PurePath(document.name).suffix.lower()
        target = self.folder / (document.sha256 + (suffix if re.fullmatch(r"\.[a-z]{1,8}", suffix) else ""))
        target.symlink_to(source.resolve())
        return target

    def _open(self, path: Path) -> Job:
        identify(path, SETTINGS)
        job = Job(path, None, SETTINGS)
        return replace(job, pages=self._workers.wait_for_file(self._workers.open(job), job).pages)

    def elements(self, path: Path, number: int) -> tuple[Element, ...]:
        """Return the elements of page `number` (from 1) of a file, as indexing reads it. Raises FileError."""
        job = self._job(path)
        return self._workers.wait_for_page(self._workers.parse(job, number, "verified"), job, number).elements

    def draw(self, path: Path, number: int, width: int) -> Image.Image:
        """Return page `number` (from 1) in RGB, `width` pixels wide. Raises FileError."""
        return Image.open(BytesIO(self._workers.draw(self._job(path), number, width))).convert("RGB")


def find_documents(folder: Path, documents: Sequence[PackedDocument]) -> dict[str, Path]:
    """Return the paths of the documents that are in a folder or below it, by their SHA-256."""
    sizes, digests = {document.size for document in documents}, {document.sha256 for document in documents}
    paths = (Path(parent, name) for parent, _, names in os.walk(folder) for name in names)
    paths_by_sha256: dict[str, Path] = {}
    for path in islice(paths, MOST_LOOKED_AT):
        with contextlib.suppress(OSError):
            if path.is_file() and (0 in sizes or path.stat().st_size in sizes):
                with path.open("rb") as file:
                    paths_by_sha256.setdefault(hashlib.file_digest(file, "sha256").hexdigest(), path)
    return {digest: path for digest, path in paths_by_sha256.items() if digest in digests}


EDGE = 0.002
"""How far outside a box, as a share of the page, the middle of a word may lie that is in it."""
SAME_BOX = 0.9
"""The least intersection over union of two boxes that are the same."""
MOST_FOREIGN = 0.5
"""The largest share of a box's characters that its sentence may lack: passages are boxed with their gaps."""


@dataclass(frozen=True, slots=True)
class ReadPage:
    """The elements of a page; `certain` if they come from its text layer, not from OCR, which may err."""

    elements: tuple[Element, ...]
    certain: bool

    def words_in(self, box: BBox) -> list[str]:
        """Return the words whose middles are in a box, in reading order."""
        return [word for e in self.elements if not e.parts for word, word_box in _words(e) if _is_in(word_box, box)]


def _words(element: Element, start: int = 0, end: int = 1 << 31) -> Iterator[tuple[str, BBox]]:
    """Yield the words of an element that touch its characters [start, end), each with its box."""
    for (a, b), (x0, y0, x1, y1) in zip(element.words.spans.tolist(), element.words.boxes.tolist(), strict=True):
        box = BBox.from_page(x0, y0, x1, y1, 1.0, 1.0)
        if box is not None and a < end and b > start:
            yield element.text[a:b], box


def _is_in(word: BBox, box: BBox) -> bool:
    x, y = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
    return box.x0 - EDGE <= x <= box.x1 + EDGE and box.y0 - EDGE <= y <= box.y1 + EDGE


def misplacement(citation: Citation, sentence: str, page: ReadPage) -> str:
    """Return how a citation differs from its page, in words; "" if the page has its quote inside its boxes."""
    if not citation.quote:
        same = any(element.bbox.iou(citation.bbox) >= SAME_BOX for element in page.elements)
        return "" if same else "nothing that was read on the page has this box"
    occurrences = [*find_quote(page.elements, *fingerprint(citation.quote))] or list(
        _scattered_matches(citation.quote, page)
    )
    wrong = [_misfit(citation, occurrence) for occurrence in occurrences] or ["the page does not have these words"]
    if "" not in wrong:
        return wrong[0]
    reference_text = comparable_text(f"{sentence} {citation.quote}")
    for box in citation.boxes:
        inside = page.words_in(box)
        foreign = sum(len(word) for word in inside if comparable_text(word) not in reference_text)
        if not inside or foreign > MOST_FOREIGN * sum(map(len, inside)):
            return "a box holds other words" if inside else "a box holds no words"
    return ""


def _scattered_matches(quote: str, page: ReadPage) -> Iterator[Occurrence]:
    """Yield an occurrence for each element that has the words of a quote in order, with others between them."""
    words = [comparable_text(word) for word in quote.replace("|", " ").split()]
    for element in page.elements:
        spans: list[tuple[int, int]] = []
        for start, end in element.words.spans.tolist():
            if len(spans) < len(words) and comparable_text(element.text[start:end]) == words[len(spans)]:
                spans.append((start, end))
        if words and len(spans) == len(words):
            yield Occurrence((element,) * len(spans), tuple(spans))


def _misfit(citation: Citation, occurrence: Occurrence) -> str:
    """Return why an occurrence of a quote does not fit its boxes; "" if it does. Not all cells of a row need a box."""
    own = [word for e, span in zip(occurrence.elements, occurrence.spans, strict=True) for _, word in _words(e, *span)]
    boxes = citation.boxes or (citation.context if citation.kind == "picture" else ()) or (citation.bbox,)
    if any(element.cells for element in occurrence.elements):
        boxes = (*boxes, citation.bbox)
    if not all(any(_is_in(word, box) for box in boxes) for word in own):
        return "words of the quote stand outside of its boxes"
    around = (citation.bbox, *citation.context)
    stray = not all(any(_is_in(box, outer) for outer in around) for box in citation.boxes)
    return "a box lies outside of the element that is cited" if stray else ""
