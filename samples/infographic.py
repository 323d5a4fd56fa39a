"""A poster on a day's tap water, drawn as a page and kept as a PNG of 1200 x 1800 pixels."""

from __future__ import annotations

import math

from samples.book import Book
from samples.sheet import Sheet

NAVY, BLUE, SKY, ICE, CORAL, INK = "#12344d", "#2b7a9e", "#8cc3d8", "#e8f2f5", "#d9694a", "#1f2933"
USES = [
    ("Showers and baths", 46, NAVY), ("Toilet", 38, BLUE), ("Laundry", 21, "#5aa3bf"), ("Kitchen", 19, SKY),
    ("Garden and balcony", 14, "#b9dbe6"), ("Cleaning and other", 10, "#d5e6ec"),
]  # fmt: skip
HOURS = [  # in hundred thousand litres
    9, 7, 6, 6, 9, 21, 44, 58, 49, 36, 31, 30, 33, 30, 27, 26, 29, 37, 46, 52, 43, 31, 21, 13,
]  # fmt: skip
LEFT, RIGHT = 40.0, 560.0


def water_poster() -> Book:
    """One page of 600 x 900 points; `make` renders it at two pixels a point."""
    book = Book(f"body {{font-family: sans-serif; font-size: 10pt; line-height: 1.35; color: {INK}}}")
    sheet = book.sheet(600, 900)
    sheet.box((0, 0, 600, 900), fill="#fbfaf7")
    _head(sheet)
    _shares(sheet)
    _day(sheet)
    _journey(sheet)
    _tips(sheet)
    return book


def _drop(sheet: Sheet, x: float, y: float, size: float, fill: str) -> None:
    """A drop whose tip is at (x, y - 1.5 size) and whose round part has radius `size` about (x, y)."""
    angles = [math.radians(a) for a in range(-33, 214, 3)]
    points = [(x + size * math.cos(a), y + size * math.sin(a)) for a in angles]
    sheet.line([*points, (x, y - size * 1.85)], fill, 0, "", True, fill)


def _title(sheet: Sheet, y: float, number: str, text: str) -> None:
    sheet.dot(LEFT + 9, y - 5, 10, NAVY)
    sheet.label(LEFT + 9, y - 1, number, 11, "#ffffff", "bold", "centre")
    sheet.label(LEFT + 27, y, text, 14.5, NAVY, "bold")


def _head(sheet: Sheet) -> None:
    sheet.box((0, 0, 600, 172), fill=NAVY)
    for n, (x, y, size) in enumerate([(474, 110, 34), (532, 74, 15), (418, 66, 11)]):
        _drop(sheet, x, y, size, (SKY, BLUE, BLUE)[n])
    sheet.label(474, 122, "148", 26, NAVY, "bold", "centre")
    sheet.label(LEFT, 68, "One day of tap water", 31, "#ffffff", "bold")
    sheet.label(LEFT, 98, "Each person in Lindmark uses 148 litres a day.", 13.5, SKY)
    sheet.label(LEFT, 117, "Where they go, when, and how they get here.", 13.5, SKY)
    sheet.mark("headline", (LEFT - 6, 34, 520, 160))
    sheet.label(LEFT, 150, "Lindmark Water, 2024", 9, SKY)


def _shares(sheet: Sheet) -> None:
    _title(sheet, 208, "1", "Where it goes")
    x, y, outer, inner, start = 146.0, 322.0, 88.0, 52.0, -90.0
    for n, (name, litres, fill) in enumerate(USES):
        end = start + 360 * litres / 148
        steps = [math.radians(start + (end - start) * t / 40) for t in range(41)]
        ring = [(x + outer * math.cos(a), y + outer * math.sin(a)) for a in steps]
        ring += [(x + inner * math.cos(a), y + inner * math.sin(a)) for a in reversed(steps)]
        sheet.line(ring, "#fbfaf7", 1.6, "", True, fill)
        row = 248 + n * 29.0
        sheet.box((282, row - 11, 294, row + 1), fill=fill)
        sheet.label(304, row, name, 12.5, INK)
        sheet.label(500, row, str(litres), 15, NAVY, "bold", "right")
        sheet.label(506, row, "litres", 11, INK)
        sheet.mark(f"use-{n}", (278, row - 15, 540, row + 6))
        if n < 5:
            sheet.line([(282, row + 10), (RIGHT - 14, row + 10)], "#d9dfe2", 0.5)
        start = end
    sheet.label(x, y + 2, "148", 25, NAVY, "bold", "centre")
    sheet.label(x, y + 18, "litres", 11, INK, align="centre")
    sheet.mark("shares", (LEFT, 222, RIGHT, 418))


def _day(sheet: Sheet) -> None:
    _title(sheet, 460, "2", "When the city is thirsty")
    x0, x1, base, tall = LEFT + 6, RIGHT, 606.0, 112.0
    step = (x1 - x0) / 24
    for hour, value in enumerate(HOURS):
        left, top = x0 + hour * step, base - tall * value / 62
        peak = hour in (7, 19)
        sheet.box((left + 1.5, top, left + step - 1.5, base), fill=CORAL if peak else SKY)
        if peak or hour == 2:
            sheet.label(left + step / 2, top - 4, f"{value / 10}", 10, CORAL if peak else INK, "bold", "centre")
        if hour % 3 == 0:
            sheet.label(left + step / 2, base + 14, f"{hour}", 9.5, INK, align="centre")
    sheet.line([(x0, base), (x1, base)], INK, 0.8)
    sheet.label(x0, 482, "Million litres an hour, on an ordinary weekday", 10, INK)
    sheet.label((x0 + x1) / 2, base + 28, "Hour of the day", 9.5, INK, align="centre")
    sheet.mark("day", (LEFT, 470, RIGHT, base + 32))


def _journey(sheet: Sheet) -> None:
    _title(sheet, 676, "3", "How it gets here")
    stops = [
        ("Lake Orrin", "31 km away,", "240 m higher"), ("Sand filters", "slow: 10 cm", "an hour"),
        ("Hill reservoir", "holds enough", "for 26 hours"), ("Mains", "1,140 km,", "oldest 1889"),
        ("Your tap", "9 days after", "leaving the lake"),
    ]  # fmt: skip
    for n, (name, first, second) in enumerate(stops):
        x = LEFT + 48 + n * 106.0
        if n < 4:
            sheet.arrow((x + 27, 716), (x + 78, 716), BLUE, 1.8)
        sheet.dot(x, 716, 21, ICE, BLUE, 1.4)
        _icon(sheet, n, x, 716)
        sheet.label(x, 756, name, 11.5, NAVY, "bold", "centre")
        sheet.label(x, 771, first, 9.5, INK, align="centre")
        sheet.label(x, 783, second, 9.5, INK, align="centre")
        sheet.mark(f"stop-{n}", (x - 50, 692, x + 50, 788))
    sheet.mark("journey", (LEFT - 4, 690, RIGHT + 4, 790))


def _icon(sheet: Sheet, n: int, x: float, y: float) -> None:
    if n == 0:
        for row in (-5, 1, 7):
            wave = [(x - 12 + t, y + row + 2.2 * math.sin(t / 2.4)) for t in range(25)]
            sheet.line(wave, BLUE, 1.5)
    elif n == 1:
        for row in range(3):
            for col in range(4 - row % 2):
                sheet.dot(x - 9 + col * 6 + (row % 2) * 3, y - 7 + row * 7, 2.1, BLUE)
    elif n == 2:
        sheet.box((x - 11, y - 4, x + 11, y + 10), fill=BLUE)
        sheet.line([(x - 14, y - 4), (x, y - 13), (x + 14, y - 4)], BLUE, 0, "", True, BLUE)
    elif n == 3:
        sheet.line([(x - 12, y + 6), (x - 1, y + 6), (x - 1, y - 6), (x + 12, y - 6)], BLUE, 4.4)
    else:
        _drop(sheet, x, y + 4, 8, BLUE)


def _tips(sheet: Sheet) -> None:
    sheet.box((0, 808, 600, 900), fill=ICE)
    tips = [
        ("19 litres", "a day run out of a tap", "that drips once a second"),
        ("8 per cent", "of the water is lost from", "leaking mains; in 2010: 17"),
        ("0.3 cents", "is the price of a litre,", "sewer charge included"),
    ]
    for n, (big, first, second) in enumerate(tips):
        x = LEFT + n * 178.0
        sheet.label(x, 844, big, 20, CORAL if n == 0 else NAVY, "bold")
        sheet.label(x, 862, first, 10.5, INK)
        sheet.label(x, 876, second, 10.5, INK)
        sheet.mark(f"tip-{n}", (x - 6, 824, x + 150, 882))
