"""Page pixels -> recognised words, with RapidOCR (PP-OCRv6 small, inside its package: nothing is downloaded).

The engine is loaded once a process, at first use.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from indexing.parse.scan.contrast import LEGIBLE, SURE, distance, pixels_in, strengthen_contrast

if TYPE_CHECKING:
    import pymupdf

NOISE = (1, 99)
"""The percentiles of the pixels around a word between which its contrast is measured."""
MIN_SCORE = 0.5
"""The least confidence of a recognised line; others are dropped (PP-OCR's own default)."""

Box4 = tuple[float, float, float, float]
"""The left, upper, right and lower edge of a box."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word on a page: box in points of the page it was read from, `line` a number that its line shares."""

    x0: float
    y0: float
    x1: float
    y1: float
    text: str
    line: int

    def within(self, box: Sequence[float]) -> bool:
        """Return True if the middle of the word lies in a box."""
        return box[0] <= (self.x0 + self.x1) / 2 <= box[2] and box[1] <= (self.y0 + self.y1) / 2 <= box[3]


def bounding_box(words: Iterable[Word]) -> Box4:
    """Return the box around words."""
    x0, y0, x1, y1 = zip(*((word.x0, word.y0, word.x1, word.y1) for word in words), strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def by_line(words: Iterable[Word]) -> list[list[Word]]:
    """Return words grouped by line, in the order in which the lines begin."""
    lines: dict[int, list[Word]] = {}
    for word in words:
        lines.setdefault(word.line, []).append(word)
    return list(lines.values())


def read_page(page: pymupdf.Page, longer_side: int, clip: pymupdf.Rect | None = None) -> list[Word]:
    """Recognise the words of a page, or of `clip` (points) in it; boxes come back in points of the page.

    The page is drawn so that its longer side has `longer_side` pixels. Faint print is strengthened first. Words too
    faint for a reader are left out: OCR sees what nobody does.
    """
    import pymupdf  # late: a question loads this module's words, and not two seconds of PyMuPDF

    zoom = longer_side / max(page.rect.width, page.rect.height)
    pixels = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), clip=clip, colorspace=pymupdf.csRGB, alpha=False)
    image = _rgb_array(pixels)
    if (image == image[0, 0]).all():
        return []
    return [
        Word((w.x0 + pixels.x) / zoom, (w.y0 + pixels.y) / zoom, (w.x1 + pixels.x) / zoom, (w.y1 + pixels.y) / zoom,
             w.text, w.line)
        for w in recognise(as_bgr(image)) if _legible(image, w)
    ]  # fmt: skip


def pixels_of(page: pymupdf.Page, longer_side: int) -> tuple[NDArray[np.uint8], float]:
    """Draw a page, its longer side `longer_side` pixels; return the image (h, w, 3) in RGB, and pixels a point."""
    import pymupdf

    zoom = longer_side / max(page.rect.width, page.rect.height)
    return _rgb_array(page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), colorspace=pymupdf.csRGB, alpha=False)), zoom


def as_bgr(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return an image (h, w, 3) in RGB as the engine takes it: in BGR, its faint print strengthened."""
    return np.ascontiguousarray(strengthen_contrast(image)[:, :, ::-1])


def _rgb_array(pixels: pymupdf.Pixmap) -> NDArray[np.uint8]:
    return np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width, 3)


def _legible(image: NDArray[np.uint8], word: Word) -> bool:
    """Return True if a word stands out from the paper of an image (h, w, 3) in RGB; specks of noise do not count."""
    pixels = pixels_in(image, (word.x0, word.y0, word.x1, word.y1))
    if not pixels.size:
        return False
    wide = np.ptp(np.percentile(pixels, NOISE, axis=(0, 1)), axis=0).max()
    return bool(wide >= 2 * SURE) or distance(pixels, NOISE[0]) >= LEGIBLE


def recognise(bgr: NDArray[np.uint8]) -> list[Word]:
    """Recognise the words of an image (h, w, 3) in BGR; boxes are in its pixels."""
    if min(bgr.shape[:2]) < 8:
        return []
    result = _engine()(bgr, return_word_box=True)
    if result.boxes is None:
        return []
    words: list[Word] = []
    per_line = result.word_results or [()] * len(result.txts)
    for line, (box, text, score, parts) in enumerate(
        zip(result.boxes, result.txts, result.scores, per_line, strict=False)
    ):
        if score < MIN_SCORE or not text.strip():
            continue
        words.extend(_words_of_line(np.asarray(box, float), text, parts, line))
    return words


def recognise_lines(
    image: NDArray[np.uint8], bgr: NDArray[np.uint8], quads: NDArray[np.float32], most: int
) -> list[Word]:
    """Recognise the lines of an image one after another, until they have `most` characters.

    `image` (h, w, 3) is in RGB, `bgr` the same for the engine; `quads` (n, 4, 2) are the corners of its lines. Boxes
    come back in pixels; words too faint for a reader are left out.
    """
    from rapidocr.utils.process_img import get_rotate_crop_image

    words: list[Word] = []
    count = 0
    for line, quad in enumerate(quads):
        ((text, score),) = read_scored([get_rotate_crop_image(bgr, quad)])
        if score >= MIN_SCORE:
            words += _words_of_line(quad.astype(float), text, (), line)
            count += len(text)
        if count >= most:
            break
    return [word for word in words if _legible(image, word)]


def detected_lines(bgr: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the corners (n, 4, 2) of the lines in an image (h, w, 3) in BGR, in its pixels, from top to bottom."""
    boxes = _engine()._load_det_model()(bgr).boxes  # noqa: SLF001  its own call drops what it cannot read
    return np.asarray([] if boxes is None else boxes, np.float32).reshape(-1, 4, 2)


def bounds(quads: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the boxes (n, 4) around corners (n, 4, 2)."""
    return np.concatenate([quads.min(axis=1), quads.max(axis=1)], axis=1).astype(float)


def read_lines(images: Sequence[NDArray[np.uint8]]) -> list[str]:
    """Read images (h, w, 3) in BGR of one line each, without looking for lines in them; "" where nothing is read."""
    return [text for text, _ in read_scored(images)]


def read_scored(images: Sequence[NDArray[np.uint8]]) -> list[tuple[str, float]]:
    """Read images as `read_lines` does, each with the confidence of the reader, 0 to 1."""
    from rapidocr.ch_ppocr_rec import TextRecInput

    if not images:
        return []
    results = _recogniser()(TextRecInput(img=list(images), return_word_box=False))
    return [(str(text), float(score)) for text, score in zip(results.txts, results.scores, strict=True)]


@lru_cache(maxsize=1)
def alphabet() -> frozenset[str]:
    """Return the characters that OCR can recognise."""
    return frozenset(_recogniser().postprocess_op.character)


def _recogniser() -> Any:
    return _engine()._load_rec_model()  # noqa: SLF001  its own call tries to find lines first, or takes one image only


def _words_of_line(quad: NDArray[np.float64], text: str, parts: Any, line: int) -> list[Word]:
    """Split a recognised line at its spaces, taking boxes from the recogniser's parts where they match its text.

    The parts are words or, for Chinese, Japanese and Korean, characters. Where they do not spell the line, its
    width is shared out by characters.
    """
    (left, top), (right, bottom) = quad.min(axis=0), quad.max(axis=0)
    spelling = "".join(str(p[0]) for p in parts)
    bare = "".join(text.split())
    edges: list[tuple[float, float]] = []
    if spelling and spelling.replace(" ", "") == bare:
        for part, _score, part_quad in parts:
            xs = np.asarray(part_quad, float)[:, 0]
            chars = "".join(str(part).split())
            step = (xs.max() - xs.min()) / max(len(chars), 1)
            edges += [(xs.min() + i * step, xs.min() + (i + 1) * step) for i in range(len(chars))]
    if len(edges) != len(bare):
        step = (right - left) / max(len(text), 1)
        edges = [(left + i * step, left + (i + 1) * step) for i, c in enumerate(text) if not c.isspace()]
    words, at = [], 0
    for token in text.split():
        x0, x1 = edges[at][0], edges[at + len(token) - 1][1]
        at += len(token)
        words.append(Word(float(min(x0, x1)), float(top), float(max(x0, x1)), float(bottom), token, line))
    return words


@lru_cache(maxsize=1)
def _engine() -> Any:
    """Load the OCR engine, one thread: pages are read in parallel by processes, not inside a page."""
    from rapidocr import RapidOCR

    logging.getLogger("RapidOCR").setLevel(logging.ERROR)
    return RapidOCR(
        params={
            "Global.log_level": "error",
            "Global.use_cls": False,
            "Det.limit_type": "max",  # never enlarge a crop: the default makes small pictures cost as much as a page
            "Det.limit_side_len": 4096,
            "Rec.rec_batch_num": 1,  # of several, all are widened to the widest: a quarter more work for the same words
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )
