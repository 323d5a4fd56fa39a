"""A typewritten inspection letter of 1987, as a copier hands it over: grey, noisy, crooked, no text layer."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
import pymupdf
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from samples.book import Book, prose
from samples.sheet import Mark, Rect, Sheet

DPI = 160
INK = "#23211f"
LINE, SIZE = 15.2, 11.0
TABLE = [
    "Member                        As built   Measured   Loss of",
    "                                (mm)       (mm)     section",
    "G1  North girder, mid-span       9.5        7.1       25 %",
    "G2  South girder, mid-span       9.5        8.6        9 %",
    "C3  Cross-beam 3                 8.0        5.2       35 %",
    "C7  Cross-beam 7                 8.0        7.6        5 %",
    "P1  Parapet post, west end       6.0        3.9       35 %",
]


def inspection_letter() -> Book:
    """Two pages of pixels; the marks stand where the crooked page shows them."""
    clean, passages = Book(""), prose("inspection-letter")
    _first(clean.sheet(), passages)
    _second(clean.sheet(), passages)
    random = np.random.default_rng(1987)
    scanned = Book("")
    for number, angle in ((1, 0.9), (2, -0.7)):
        scanned.pdf.new_page(width=595, height=842)
        scanned.pdf[-1].insert_image(pymupdf.Rect(0, 0, 595, 842), stream=_copied(clean.pdf[number - 1], angle, random))
        for name, marks in clean.marks.items():
            turned = [Mark(number, _turned(m.rect, angle)) for m in marks if m.page == number]
            scanned.marks.setdefault(name, []).extend(turned)
    return scanned


def _typed(sheet: Sheet, y: float, text: str, name: str = "", left: float = 78) -> float:
    """Typewritten lines, kept as they are broken; returns the y below them."""
    rows = text.strip("\n").split("\n")
    for n, row in enumerate(rows):
        for strike in (0.0, 0.3):  # a worn ribbon prints heavier than Courier
            sheet.label(left + strike, y + n * LINE, row, SIZE, INK, "type")
    if name:
        width = max(len(row) for row in rows) * SIZE * 0.6
        sheet.mark(name, (left - 3, y - 11, left + width + 3, y + (len(rows) - 1) * LINE + 5))
    return y + len(rows) * LINE + 10


def _first(sheet: Sheet, passages: dict[str, str]) -> None:
    sheet.label(297, 74, "CORRIGAN & HALE", 21, INK, "serif", "centre")
    sheet.label(297, 91, "Consulting Engineers", 11, INK, "serif-italic", "centre")
    sheet.line([(78, 103), (517, 103)], INK, 1.2)
    sheet.line([(78, 106), (517, 106)], INK, 0.4)
    sheet.label(297, 119, "14 Weighhouse Street, Marrow    Telephone Marrow 2281", 8.5, INK, "serif", "centre")
    y = _typed(sheet, 152, passages["address"])
    y = _typed(sheet, y + 4, passages["subject"])
    for name in ("opening", "condition", "limit"):
        y = _typed(sheet, y + 2, passages[name], name)
    top = y - 6
    sheet.line([(78, top), (517, top)], INK, 0.8)
    end = _typed(sheet, top + 15, "\n".join(TABLE), left=84)
    sheet.line([(78, top + 36), (517, top + 36)], INK, 0.8)
    sheet.line([(78, end - 14), (517, end - 14)], INK, 0.8)
    sheet.mark("members", (75, top - 3, 520, end - 11))
    _typed(sheet, end + 8, passages["after-table"], "after-table")
    box = (392, 138, 520, 182)
    sheet.box(box, edge="#5b5752", width=1.6)
    sheet.label(456, 156, "RECEIVED", 13, "#5b5752", "bold", "centre")
    sheet.label(456, 173, "19 MAR 1987", 11, "#5b5752", "bold", "centre")
    sheet.mark("stamp", box)


def _second(sheet: Sheet, passages: dict[str, str]) -> None:
    y = _typed(sheet, 84, "County Surveyor                 - 2 -           16 March 1987")
    y += 10
    for name in ("works", "list", "parapet", "bearings", "estimate", "next"):
        y = _typed(sheet, y + 2, passages[name], name)
    y = _typed(sheet, y + 6, "Yours faithfully,")
    stroke = [
        (
            84 + t * 1.2 + 7 * math.sin(t * 0.53),
            y + 14 - swing * math.cos(t * 0.53 + 0.4 * math.sin(t * 0.21)) - t * 0.1,
        )
        for t in range(88)
        for swing in (15 * math.exp(-t / 16) + 3.4 + 2.6 * math.sin(t * 0.29),)
    ]
    sheet.line(stroke, "#2c3550", 1.1)
    y = _typed(sheet, y + 52, "E. M. Corrigan\nChartered Engineer")
    _typed(sheet, y + 6, passages["enclosures"], "enclosures")


def _copied(page: Any, angle: float, random: np.random.Generator) -> bytes:
    """The page as a grey JPEG: turned by `angle` degrees, blurred, unevenly lit, grainy and speckled."""
    pixels = page.get_pixmap(dpi=DPI, colorspace=pymupdf.csGRAY)
    image = Image.frombytes("L", (pixels.width, pixels.height), pixels.samples)
    image = image.rotate(angle, Image.Resampling.BICUBIC, fillcolor=255).filter(ImageFilter.GaussianBlur(0.75))
    grey: NDArray[np.float64] = np.asarray(image, dtype=np.float64)
    height, width = grey.shape
    across, down = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
    paper = 243 - 13 * across**3 - 7 * (1 - down) ** 4
    grey = paper * (0.16 + 0.84 * grey / 255) + random.normal(0, 5.5, grey.shape)
    for _ in range(90):
        x, y = int(random.integers(2, width - 2)), int(random.integers(2, height - 2))
        grey[y : y + int(random.integers(1, 3)), x : x + int(random.integers(1, 3))] = random.uniform(60, 150)
    edge = random.uniform(0.75, 1.0, (height, 1))
    grey[:, :5] *= 0.35 * edge
    buffer = io.BytesIO()
    Image.fromarray(np.clip(grey, 0, 255).astype(np.uint8)).save(buffer, "JPEG", quality=62)
    return buffer.getvalue()


def _turned(rect: Rect, angle: float) -> Rect:
    """The upright rectangle around `rect` after the page was turned anticlockwise about its middle."""
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    ratio = 842 / 595
    corners = [(x - 0.5, (y - 0.5) * ratio) for x in (rect[0], rect[2]) for y in (rect[1], rect[3])]
    xs = [0.5 + x * cos + y * sin for x, y in corners]
    ys = [0.5 + (y * cos - x * sin) / ratio for x, y in corners]
    return (max(0.0, min(xs)), max(0.0, min(ys)), min(1.0, max(xs)), min(1.0, max(ys)))
