"""The words of a page's text layer: those a reader can see, superscripts as Unicode, struck-out words marked.

Words in the colour of the paper, under a drawing, outside the page, or too small to read are seen by programs alone: a
place for instructions to a model. The words of the invisible layer over a scan are visible: they have ink under them.

Such a line begins and ends with the words that it strikes out, unlike rules of tables and lines of charts. Office
files, which LibreOffice draws, have such lines too.

MuPDF returns superscripts in line with the other characters; they are recognised by their size and base line.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pymupdf
from numpy.typing import NDArray

from indexing.parse.scan import LEGIBLE, SURE, Box4, Word, distance, pixels_in, share
from indexing.typography import STRUCK_BEGIN, STRUCK_END, to_superscript

COARSE, FINE = 1.0, 4.0
"""The pixels a point: first in gray; then in colour, for the words that left no mark there."""
MAX_PIXELS = 4096
"""The longer side, at most, of the picture in pixels: pages can be 14,400 points."""
TINY, TINY_SHARE = 2.0, 0.003
"""The height in points, and as a share of the page's longer side, below which words are too small to read."""
MOST_WORDS = 2000
"""The most words of a page that are compared with one another: on a fuller one the ink of any word counts."""
OWN, FEW = 0.4, 2
"""The least share of a word's box that no other overlaps, for the ink there alone to count, and the most others that
overlap it: where more do, the box is not that of the word's ink."""
INSET = 0.2
"""The share of the height of a word with letters or digits, above and below, that is left out: the mark is between."""
_PAINTED = pymupdf.mupdf.FZ_STEXT_FILLED | pymupdf.mupdf.FZ_STEXT_STROKED


def visible(page: pymupdf.Page, words: Sequence[Word]) -> tuple[list[Word], int]:
    """Return those of `words`, the text layer of a `page` (not rotated), that its pixels show, and how many are hidden.

    Bare signs are not counted. A word over ink counts as visible, whatever its own colour, since it could be of the
    layer over a scan. Ink where another word's box overlaps its own counts for that word: a label that was painted
    over, and printed again a little beside, is visible once.
    """
    least = min(TINY, TINY_SHARE * max(page.rect.width, page.rect.height))
    tiny = {word for word in words if _height(word) < least}
    boxes = dict(zip(words, _own_boxes(words), strict=True))
    faint = _invisible_words(page, list(boxes.items()), COARSE) if words else []
    if not (tiny or faint):
        return list(words), 0
    layer = unpainted_boxes(page)
    scanned = {word for word in tiny.union(faint) if any(map(word.within, layer))}  # their own size says nothing
    faint = _invisible_words(page, [(word, _enlarge(word) if word in scanned else boxes[word]) for word in faint], FINE)
    unseen = (tiny - scanned).union(faint)
    return [word for word in words if word not in unseen], sum(map(_has_letters, unseen))


def _height(word: Word) -> float:
    """Return the height of a word's letters in points, also of a rotated word; a short word can be wider than high."""
    width, height = word.x1 - word.x0, word.y1 - word.y0
    return min(width, height) if len(word.text) > 2 else max(width, height)


def _invisible_words(page: pymupdf.Page, boxes: Sequence[tuple[Word, Box4]], zoom: float) -> list[Word]:
    """Return the words whose boxes have too little contrast to be read, in a drawing with `zoom` pixels a point.

    The first drawing is in grey, and only words with too much contrast for their colours to matter pass it.
    """
    colours = pymupdf.csRGB if zoom == FINE else pymupdf.csGRAY
    readable = _legible if zoom == FINE else _surely_legible
    zoom = min(zoom, MAX_PIXELS / max(page.rect.width, page.rect.height))
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), colorspace=colours, alpha=False)
    image = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width, pixmap.n)
    return [word for word, box in boxes if not readable(pixels_in(image, [zoom * v for v in box]))]


def _surely_legible(pixels: NDArray[np.uint8]) -> bool:
    return pixels.size > 0 and bool(np.ptp(pixels) >= SURE)


def _legible(pixels: NDArray[np.uint8]) -> bool:
    return distance(pixels) >= LEGIBLE


def unpainted_boxes(page: pymupdf.Page) -> list[Box4]:
    """Return the boxes of text with neither colour nor outline, as OCR programs write it over a scan."""
    blocks = page.get_text("dict", flags=pymupdf.TEXT_MEDIABOX_CLIP)["blocks"]
    spans = [span for block in blocks for line in block.get("lines", ()) for span in line["spans"]]
    return [span["bbox"] for span in spans if not (span["alpha"] and span["char_flags"] & _PAINTED)]


def _inner_box(word: Word) -> Box4:
    """Return the box of a word without the margins that the lines above and below overlap; all of it for bare signs."""
    inset = INSET * (word.y1 - word.y0) if _has_letters(word) else 0.0
    return (word.x0, word.y0 + inset, word.x1, word.y1 - inset)


def _own_boxes(words: Sequence[Word]) -> list[Box4]:
    """Return the boxes of words, each without its overlap with one or two others that do not contain its middle."""
    complete = [_inner_box(word) for word in words]
    boxes = list(complete)
    if not 1 < len(words) <= MOST_WORDS:
        return boxes
    x0, y0, x1, y1 = np.array(boxes, np.float32).T
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    over = (x0 < x1[:, None]) & (x1 > x0[:, None]) & (y0 < y1[:, None]) & (y1 > y0[:, None])
    over &= ~((x0 <= x[:, None]) & (x1 >= x[:, None]) & (y0 <= y[:, None]) & (y1 >= y[:, None]))
    counts = over.sum(axis=1)
    for n in np.flatnonzero((counts > 0) & (counts <= FEW)).tolist():
        boxes[n] = _without_overlaps(boxes[n], [complete[at] for at in np.flatnonzero(over[n]).tolist()])
    return boxes


def _without_overlaps(box: Box4, others: Sequence[Box4]) -> Box4:
    """Return the rectangle around the middle of a box that no other overlaps; all of the box if that is too small."""
    x0, y0, x1, y1 = box
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    for a, b, c, d in others:
        cuts = [
            (c, y0, x1, y1) if c < x else None,
            (x0, y0, a, y1) if a > x else None,
            (x0, d, x1, y1) if d < y else None,
            (x0, y0, x1, b) if b > y else None,
        ]
        x0, y0, x1, y1 = max((part for part in cuts if part is not None), key=_area, default=(x0, y0, x1, y1))
    return (x0, y0, x1, y1) if _area((x0, y0, x1, y1)) >= OWN * _area(box) else box


def _area(box: Box4) -> float:
    return max(box[2] - box[0], 0.0) * max(box[3] - box[1], 0.0)


def _has_letters(word: Word) -> bool:
    return any(map(str.isalnum, word.text))


def _enlarge(word: Word) -> Box4:
    """Return the box of a word enlarged by its height above and below: OCR layers are off by about that."""
    height = word.y1 - word.y0
    return (word.x0, word.y0 - height, word.x1, word.y1 + height)


THICK = 0.2
"""The height of a line, at most, as a share of the size of the letters."""
LEAST_STRUCK_RISE, MOST_STRUCK_RISE = 0.12, 0.5
"""The height of a line over the base line of the words that it strikes out, as shares of the size of the letters."""
OVERHANG, SHORT = 0.25, 0.6
"""How far a line may go beyond the words, and how far it may end before them, as a sign behind a word is not struck."""
LEAST_COVERED = 0.5
"""The least share of a word that is struck out."""
_UNSEEN = pymupdf.mupdf.PDF_ANNOT_IS_HIDDEN | pymupdf.mupdf.PDF_ANNOT_IS_NO_VIEW


def with_struck_marked(page: pymupdf.Page, words: Sequence[Word]) -> list[Word]:
    """Return the words of a page (not rotated), each run of struck-out ones in a line between signs that mark it."""
    struck_indices = _annotated_words(page, words) | _crossed_words(page, words)
    marked_words = list(words)
    for at in struck_indices:
        line = words[at].line
        text = words[at].text
        text = text if at - 1 in struck_indices and words[at - 1].line == line else STRUCK_BEGIN + text
        text = text if at + 1 in struck_indices and words[at + 1].line == line else text + STRUCK_END
        marked_words[at] = replace(words[at], text=text)
    return marked_words


def _annotated_words(page: pymupdf.Page, words: Sequence[Word]) -> set[int]:
    """Return the indices of the words under annotations that strike out."""
    numbers: set[int] = set()
    for annotation in page.annots(types=[pymupdf.PDF_ANNOT_STRIKE_OUT]):
        corners = annotation.vertices or []
        if annotation.flags & _UNSEEN:
            continue
        for first in range(0, len(corners) - 3, 4):
            box = pymupdf.Quad(corners[first : first + 4]).rect
            numbers |= {n for n, w in enumerate(words) if box.contains(((w.x0 + w.x1) / 2, (w.y0 + w.y1) / 2))}
    return numbers


def _crossed_words(page: pymupdf.Page, words: Sequence[Word]) -> set[int]:
    """Return the indices of the words through whose middle a line is drawn."""
    numbers: set[int] = set()
    lines = _drawn_lines(page, words)
    if not lines:
        return numbers
    x0, y0, x1, y1 = _edges(words)
    base, size = _base_lines(page, words)
    for left, top, right, bottom in lines:
        middle = (top + bottom) / 2
        rise, over = (base - middle) / size, np.minimum(x1, right) - np.maximum(x0, left)
        through = (y0 < middle) & (middle < y1) & (rise > LEAST_STRUCK_RISE) & (rise < MOST_STRUCK_RISE)
        indices = np.flatnonzero(through & (over >= LEAST_COVERED * (x1 - x0)))
        if not len(indices):
            continue
        height = size[indices].max()
        begins, ends = (left - x0[indices].min()) / height, (right - x1[indices].max()) / height
        has_letters = any(c.isalnum() for n in indices.tolist() for c in words[n].text)
        if has_letters and bottom - top <= THICK * height and abs(begins) <= OVERHANG and -SHORT <= ends <= OVERHANG:
            numbers |= set(indices.tolist())
    return numbers


def _drawn_lines(page: pymupdf.Page, words: Sequence[Word]) -> list[Box4]:
    """Return the boxes of drawn lines: paths as flat as a line through one of the words would be."""
    if not words:
        return []
    highest = THICK * max(word.y1 - word.y0 for word in words)
    boxes = [box for kind, box in page.get_bboxlog() if kind in ("fill-path", "stroke-path")]
    return [(x0, y0, x1, y1) for x0, y0, x1, y1 in boxes if y1 - y0 <= highest and x1 - x0 > y1 - y0]


def _edges(words: Sequence[Word]) -> NDArray[np.float64]:
    return np.array([(w.x0, w.y0, w.x1, w.y1) for w in words], float).T


def _base_lines(page: pymupdf.Page, words: Sequence[Word]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the y of the base line of each word, NaN for a rotated one, and the size of its letters, in points."""
    x0, y0, x1, y1 = _edges(words)
    base, size = np.full(len(words), np.nan), np.ones(len(words))
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    for block in page.get_text("dict", flags=pymupdf.TEXT_MEDIABOX_CLIP)["blocks"]:
        for line in block.get("lines", ()):
            for span in line["spans"] if line["dir"] == (1.0, 0.0) else ():
                left, top, right, bottom = span["bbox"]
                inside = (x >= left) & (x <= right) & (y >= top) & (y <= bottom)
                base[inside], size[inside] = span["origin"][1], max(span["size"], 0.1)
    return base, size


WORD_FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
"""The flags with which words are taken from a page."""
SMALL, LEAST_RISE, MOST_RISE = 0.85, 0.15, 0.8
"""The size of raised signs beside the largest of their line, at most, and how far above its base line they stand."""
SAME = 0.5
"""The overlap from which two words that say the same are one."""
_NO_LETTERS = frozenset((*map(chr, range(33)), "\u00a0", *map(chr, range(0x202A, 0x202F))))
"""The characters that MuPDF ends a word at."""
Lines = dict[tuple[int, int], list[Word]]
LineKey = tuple[int, str]
"""The number of a block of text, and the letters of a line in it."""


def layer_words(page: pymupdf.Page) -> list[Word]:
    """Return the words of the text layer; /ActualText replaces the glyphs' characters if it only spells them better.

    Raised digits become Unicode's superscripts, as do raised letters behind a digit, except for those of ordinals.
    """
    actual = _lines(page, WORD_FLAGS)
    plain = _lines(page, WORD_FLAGS | pymupdf.TEXT_IGNORE_ACTUALTEXT)
    better = _folded_letters(actual) == _folded_letters(plain) or _count_unknown(plain) > _count_unknown(actual)
    lines, flags = (actual, WORD_FLAGS) if better else (plain, WORD_FLAGS | pymupdf.TEXT_IGNORE_ACTUALTEXT)
    has_digits = any(map(str.isdigit, _folded_letters(lines)))  # without one, nothing is spelled raised
    superscripts = _lines_with_superscripts(page, flags) if has_digits else {}
    result: list[Word] = []
    for (block, _), words in lines.items():
        forms = superscripts.get((block, "".join(word.text for word in words)))
        result += _with_characters(words, forms.pop(0)) if forms else words
    return _printed_once(result)


def _printed_once(words: Sequence[Word]) -> list[Word]:
    """Return words without repeats of a text in the same place, which draw bold letters or a shadow."""
    unique: list[Word] = []
    by_text: dict[str, list[Word]] = defaultdict(list)
    for word in words:
        box = word.x0, word.y0, word.x1, word.y1
        if not any(share(box, (w.x0, w.y0, w.x1, w.y1)) > SAME for w in by_text[word.text]):
            by_text[word.text].append(word)
            unique.append(word)
    return unique


def _lines(page: pymupdf.Page, flags: int) -> Lines:
    """Return the words of each line, by the numbers of its block and of the line."""
    lines: Lines = {}
    for x0, y0, x1, y1, text, block, line, _ in page.get_text("words", flags=flags):
        words = lines.setdefault((block, line), [])
        if x1 > x0 and y1 > y0:
            words.append(Word(x0, y0, x1, y1, text, len(lines) - 1))
    return lines


def _with_characters(words: Sequence[Word], letters: str) -> Iterator[Word]:
    """Yield words whose texts are replaced, in order, by as many of `letters` as each has."""
    at = 0
    for word in words:
        yield replace(word, text=letters[at : at + len(word.text)])
        at += len(word.text)


def _lines_with_superscripts(page: pymupdf.Page, flags: int) -> dict[LineKey, list[str]]:
    """Return the letters of each line with superscripts, by block and plain letters: those of equal lines in order."""
    by_letters: dict[LineKey, list[str]] = defaultdict(list)
    for block in page.get_text("dict", flags=flags)["blocks"]:
        for line in block.get("lines", ()):
            plain = "".join(span["text"] for span in line["spans"])
            spelling = "".join(_superscript_spans(line)) if line["dir"] == (1.0, 0.0) else plain
            by_letters[block["number"], _without_separators(plain)].append(_without_separators(spelling))
    return by_letters


def _without_separators(text: str) -> str:
    return "".join(c for c in text if c not in _NO_LETTERS)


def _superscript_spans(line: dict[str, Any]) -> Iterator[str]:
    """Yield the text of each span of a line, as superscripts where the span is raised."""
    before = ""
    for span, is_raised in zip(line["spans"], raised_spans(line), strict=True):
        yield to_superscript(span["text"], before) if is_raised else span["text"]
        before = span["text"] or before


def raised_spans(line: dict[str, Any]) -> list[bool]:
    """Return for each span of MuPDF's line if it is raised: small, and above the base line. Invisible spans never are.

    MuPDF's own flag is no help: it compares with the first sign of the line, which may be the raised one.
    """
    size, base = max(((span["size"], span["origin"][1]) for span in line["spans"]), default=(0.0, 0.0))
    return [
        span["size"] <= SMALL * size
        and LEAST_RISE * size <= base - span["origin"][1] <= MOST_RISE * size
        and bool(span["alpha"] and span["char_flags"] & _PAINTED)
        for span in line["spans"]
    ]


def _folded_letters(lines: Lines) -> str:
    """Return the letters and digits of lines, without case: small capitals are spelled small or large."""
    text = "".join(word.text for words in lines.values() for word in words)
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def _count_unknown(lines: Lines) -> int:
    return sum(word.text.count("\ufffd") for words in lines.values() for word in words)
