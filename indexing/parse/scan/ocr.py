"""Page pixels -> recognised words, with RapidOCR (PP-OCRv6 small, inside its package), and the contrast of colours.

The measure is the distance in CIE L*a*b*, where 1 is the least that anybody notices side by side. 9 is a ratio of
luminance of about 1.25 between greys, near white as near black; a text below it nobody reads.

Print that stands out little from its paper is strengthened for OCR: only on pages whose darkest ink is faint, as a good
scan is read best as it is (docs/experiments/scans.md).

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
from PIL import Image, ImageFilter

if TYPE_CHECKING:
    import pymupdf


LEGIBLE = 9.0
"""The distance between ink and paper from which a text can be read."""
SURE = 40
"""The difference in grey levels, of 255, that is more than `LEGIBLE` wherever it lies."""
CELL = 8
"""The number of pixels along the side of the cells in which paper and ink are looked for."""
REACH = 9
"""The number of cells, an odd one, around a cell in which the lightest is taken for the paper."""
SPECK = 0.1
"""The share of the paper's light that something in a cell takes away at least, to be print and not noise."""
MOSTLY_PAPER = 0.75
"""The share of the paper's light that a cell of print has in its middle: a picture or the edge of a scan has less."""
DARKEST = 10
"""The percentage of the cells with print that is the darkest ink of a page."""
LEAST_PRINT = 10
"""The fewest cells with print that say how dark it is."""
FAINT = 0.45
"""The share of the paper's light that the darkest ink takes away, below which print is faint; black takes nearly 1."""
PRINT = 0.8
"""The share that it takes away once it is strengthened."""
MOST = 6.0
"""The factor, at most, by which it is strengthened: beyond it noise becomes print."""
_TO_XYZ = np.array([[0.4339, 0.3762, 0.1899], [0.2126, 0.7152, 0.0722], [0.0178, 0.1095, 0.8728]])
"""The matrix from linear sRGB to CIE XYZ in units of the white point D65."""


def distance(pixels: NDArray[np.uint8], outliers: float = 0.0) -> float:
    """Return how far apart the colours of pixels (..., 3) in RGB are, in CIE L*a*b*; 0 for none.

    `outliers` is the percentage of pixels at either end that do not count: noise.
    """
    flat = pixels.reshape(-1, 3)
    if not len(flat):
        return 0.0
    colours = np.unique(flat, axis=0) if not outliers else flat
    low, high = np.percentile(lab(colours), (outliers, 100 - outliers), axis=0)
    return float(np.linalg.norm(high - low))


def lab(rgb: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Convert colours (n, 3) of sRGB, 0 to 255, to CIE L* (0 to 100), a* and b*."""
    part = rgb / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    xyz = linear @ _TO_XYZ.T
    root = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    x, y, z = root.T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=1)


def pixels_in(image: NDArray[np.uint8], box: Sequence[float]) -> NDArray[np.uint8]:
    """Return the pixels of an image (h, w, c) that a box, in pixels, touches."""
    left, top = (max(0, int(np.floor(edge))) for edge in box[:2])
    right, bottom = (max(0, int(np.ceil(edge))) for edge in box[2:])
    return image[top:bottom, left:right]


def strengthen_contrast(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return an image (h, w, 3) with its paper near white and its print dark, or as it is, where print is not faint."""
    grey = np.asarray(Image.fromarray(image).convert("L"))
    rows, cols = grey.shape[0] // CELL, grey.shape[1] // CELL
    if min(rows, cols) < REACH:
        return image
    cells = grey[: rows * CELL, : cols * CELL].reshape(rows, CELL, cols, CELL).swapaxes(1, 2).reshape(rows, cols, -1)
    dark, middle = np.percentile(cells, (5, 50), axis=2)
    paper = _paper_light(middle)
    absorption = 1 - dark / paper
    ink_values = absorption[(absorption > SPECK) & (middle >= MOSTLY_PAPER * paper)]
    if len(ink_values) < LEAST_PRINT:
        return image
    ink = float(np.percentile(ink_values, 100 - DARKEST))
    if ink >= FAINT:
        return image
    light = Image.fromarray(paper.astype(np.float32)).resize(grey.shape[::-1], Image.Resampling.BILINEAR)
    share = image / np.asarray(light)[:, :, None]
    return np.asarray(np.clip(255 * (1 - min(MOST, PRINT / ink) * (1 - share)), 0, 255), np.uint8)


def _paper_light(middle: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the grey of the paper around each cell (rows, cols), at least 1, by the lightest `middle` grey near it."""
    lightest = Image.fromarray(middle.astype(np.uint8)).filter(ImageFilter.MaxFilter(REACH))
    return np.maximum(np.asarray(lightest.filter(ImageFilter.GaussianBlur(REACH / 3)), np.float64), 1.0)


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
