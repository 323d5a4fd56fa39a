"""A short research article: two justified columns, a formula, a spectrogram, a scatter plot, a reference list."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image

from samples.book import Book, prose
from samples.figures import GREY, HAIR, INK, table
from samples.sheet import Rect, Sheet

BLUE, RUST = "#23527c", "#b3541e"
LEFT, RIGHT, MIDDLE, GAP = 52.0, 543.0, 297.5, 18.0
CSS = f"""
body {{font-family: serif; font-size: 9.8pt; line-height: 1.42; color: {INK}}}
p {{text-align: justify; margin: 0 0 4.5pt 0}}
h2 {{font-family: sans-serif; font-size: 10.4pt; margin: 7pt 0 3pt 0}}
p.abstract {{font-size: 9.1pt; margin: 0}}
p.caption {{font-size: 8.2pt; line-height: 1.3; text-align: left; margin: 0}}
p.ref {{font-size: 8pt; line-height: 1.3; text-align: left; margin: 0 0 3pt 0}}
p.formula {{text-align: center; font-size: 11pt; margin: 5pt 0 8pt 0}}
sup, sub {{font-size: 6.4pt}}
"""
SITES = [
    ["Site", "Building", "Nests", "Calls/min", "Estimate", "Error (%)"],
    ["A", "Church tower, Elmstead", "12", "14.1", "13", "+8"], ["B", "Mill, Dunholt", "7", "7.6", "7", "0"],
    ["C", "School, Dunholt", "23", "24.6", "24", "+4"], ["D", "Flats, Ravensby", "41", "40.2", "39", "−5"],
    ["E", "Station, Ravensby", "18", "19.8", "19", "+6"], ["F", "Brewery, Ostley", "35", "35.1", "34", "−3"],
    ["G", "Town hall, Ostley", "9", "8.6", "8", "−11"], ["H", "Hospital, Ostley", "52", "47.3", "46", "−12"],
    ["I", "Barn, Little Hay", "4", "4.6", "4", "0"], ["J", "Warehouse, Quay", "29", "31.0", "30", "+3"],
]  # fmt: skip


def swift_article() -> Book:
    """Three pages."""
    book, passages = Book(CSS), prose("swifts")
    first = _page(book)
    first.label(LEFT, 96, "Counting Swifts by Ear: Estimating the Size of", 20, INK, "bold")
    first.label(LEFT, 120, "a Colony from Its Calls at Dusk", 20, INK, "bold")
    first.label(LEFT, 146, "Henrike Solberg, Mateus Quill and Joan Abara", 10.5, INK)
    first.label(LEFT, 161, "Institute for Urban Ecology, University of Ravensby", 9, GREY, "italic")
    first.box((LEFT, 178, RIGHT, 262), fill="#f2f4f6")
    first.text((LEFT + 14, 189, RIGHT - 14, 270), passages["abstract"])
    second = _page(book)
    _spectrogram(second, (LEFT, 64, RIGHT, 226))
    second.text((LEFT, 231, RIGHT, 258), passages["figure1"])
    before = [(first, rect) for rect in _columns(276, 764)]
    text = passages["start"] + passages["methods"] + passages["results"]
    end = book.balanced(text, second, _columns(268, 560), before)
    _scatter(second, (LEFT, end + 18, RIGHT, 752))
    second.text((LEFT, 758, RIGHT, 786), passages["figure2"])
    third = _page(book)
    third.text((LEFT, 66, RIGHT, 84), passages["table1"])
    widths = [40.0, 171.0, 60.0, 70.0, 75.0, 75.0]
    end = table(third, LEFT, 84, widths, "clrrrr", SITES, pitch=18, size=8.8, accent=BLUE, name="sites")
    end = book.balanced(passages["discussion"], third, _columns(end + 22, 680))
    third.line([(LEFT, end + 16), (RIGHT, end + 16)], HAIR)
    book.balanced(passages["references"], third, _columns(end + 26, 780))
    return book


def _columns(top: float, bottom: float) -> list[Rect]:
    return [(LEFT, top, MIDDLE - GAP / 2, bottom), (MIDDLE + GAP / 2, top, RIGHT, bottom)]


def _page(book: Book) -> Sheet:
    sheet = book.sheet()
    left = "Journal of Listening Ecology 7 (2023) 211–213" if sheet.number == 1 else "Solberg, Quill and Abara"
    right = "Research note" if sheet.number == 1 else "Counting Swifts by Ear"
    sheet.label(LEFT, 46, left, 8, GREY, "serif-italic")
    sheet.label(RIGHT, 46, right, 8, GREY, "serif-italic", "right")
    sheet.line([(LEFT, 52), (RIGHT, 52)], HAIR)
    sheet.label(MIDDLE, 812, str(210 + sheet.number), 8.5, GREY, "serif", "centre")
    return sheet


def _spectrogram(sheet: Sheet, rect: Rect) -> None:
    """Figure 1: six seconds of screaming swifts, made up of sweeps over noise, with its axes."""
    random = np.random.default_rng(7)
    height, width = 200, 900
    power = random.gamma(1.4, 0.05, (height, width))
    rows, cols = np.mgrid[0:height, 0:width]
    power += 0.22 * np.exp(-((rows - height) ** 2) / 900)
    for start, length, low, high, force in [
        (60, 110, 78, 104, 1.0), (230, 90, 84, 108, 0.7), (365, 150, 74, 100, 0.9), (560, 70, 90, 112, 0.5),
        (640, 130, 76, 103, 1.0), (800, 75, 82, 106, 0.6),
    ]:  # fmt: skip
        t = np.clip((cols - start) / length, 0, 1)
        centre = high - (high - low) * np.sin(np.pi * t) ** 0.7 + 2.5 * np.sin(cols / 2.3)
        inside = (cols >= start) & (cols <= start + length)
        for harmonic, share in ((1.0, 1.0), (0.42, 0.3)):
            power += inside * force * share * np.exp(-((rows - centre * harmonic) ** 2) / 22)
    shade = np.clip(power, 0, 1)[..., None]
    pixels = (1 - shade) * np.array([250, 250, 248]) + shade * np.array([20, 44, 72])
    buffer = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(buffer, "PNG", optimize=True)
    x0, y0, x1, y1 = rect
    plot = (x0 + 34, y0 + 6, x1, y1 - 28)
    sheet.page.insert_image(plot, stream=buffer.getvalue(), keep_proportion=False)
    sheet.box(plot, edge=GREY)
    for kilohertz in range(0, 13, 3):
        y = plot[3] - (plot[3] - plot[1]) * kilohertz / 12
        sheet.label(plot[0] - 5, y + 3, str(kilohertz), 8, GREY, align="right")
    for second in range(7):
        x = plot[0] + (plot[2] - plot[0]) * second / 6
        sheet.label(min(x, plot[2] - 3), plot[3] + 11, str(second), 8, GREY, align="centre")
    sheet.label(x0 + 10, (plot[1] + plot[3]) / 2, "Frequency (kHz)", 8, GREY, align="centre", turn=90)
    sheet.label((plot[0] + plot[2]) / 2, y1 - 3, "Time (s)", 8, GREY, align="centre")
    sheet.mark("figure1", rect)


def _scatter(sheet: Sheet, rect: Rect) -> None:
    """Figure 2: nests against calls, with the fitted line and the name of each site."""
    x0, y0, x1, y1 = rect
    plot = (x0 + 30, y0 + 6, x1 - 4, y1 - 32)

    def place(calls: float, nests: float) -> tuple[float, float]:
        return (plot[0] + (plot[2] - plot[0]) * calls / 50, plot[3] - (plot[3] - plot[1]) * nests / 60)

    for nests in range(0, 61, 10):
        y = place(0, nests)[1]
        sheet.line([(plot[0], y), (plot[2], y)], HAIR if nests else GREY, 0.5)
        sheet.label(plot[0] - 5, y + 3, str(nests), 8, GREY, align="right")
    for calls in range(0, 51, 10):
        sheet.label(place(calls, 0)[0], plot[3] + 12, str(calls), 8, GREY, align="centre")
    sheet.line([place(0.41, 0), place(49, 47.6)], RUST, 1.1, "[5 3]")
    for row in SITES[1:]:
        x, y = place(float(row[3]), float(row[2]))
        sheet.dot(x, y, 3, BLUE)
        sheet.label(x - 6, y - 4, row[0], 8, INK, "bold", "right")
    sheet.label((plot[0] + plot[2]) / 2, y1 - 6, "Calls per minute at dusk", 8, GREY, align="centre")
    sheet.label(x0 + 8, (plot[1] + plot[3]) / 2, "Nests counted", 8, GREY, align="centre", turn=90)
    sheet.mark("figure2", rect)
