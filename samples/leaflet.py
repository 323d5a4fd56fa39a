"""The leaflet of a German clock museum: two pages, umlauts, prices, opening hours, a sketch of the way."""

from __future__ import annotations

import math

from samples.book import Book, prose
from samples.figures import GREY, HAIR, INK, table
from samples.sheet import Sheet

GREEN, BRASS, CREAM = "#27453a", "#b5893a", "#f6f1e6"
LEFT, RIGHT = 54.0, 541.0
CSS = f"""
body {{font-family: serif; font-size: 10.4pt; line-height: 1.42; color: {INK}}}
h2 {{font-size: 15pt; color: {GREEN}; margin: 4pt 0 5pt 0; line-height: 1.2}}
p.lead {{font-size: 13.5pt; line-height: 1.4; color: {GREEN}}}
p.small {{font-size: 9pt; color: {GREY}}}
"""


def clock_museum_leaflet() -> Book:
    """Two pages in German."""
    book, passages = Book(CSS), prose("uhrenmuseum")
    _front(book.sheet(), passages)
    _back(book.sheet(), passages)
    return book


def _front(sheet: Sheet, passages: dict[str, str]) -> None:
    sheet.box((0, 0, 595, 330), fill=GREEN)
    _dial(sheet, 432, 164, 118)
    sheet.label(LEFT, 132, "Uhrenmuseum", 34, CREAM, "serif")
    sheet.label(LEFT, 172, "Falkenrode", 34, BRASS, "serif")
    sheet.line([(LEFT, 194), (LEFT + 60, 194)], BRASS, 1.4)
    sheet.label(LEFT, 220, "Vierhundert Jahre Zeit", 14, CREAM, "serif-italic")
    sheet.label(LEFT, 238, "unter einem Dach", 14, CREAM, "serif-italic")
    sheet.text((LEFT, 354, RIGHT, 420), passages["lead"])
    sheet.book.balanced(passages["history"], sheet, [(LEFT, 428, 287, 770), (309, 428, RIGHT, 770)])
    _foot(sheet)


def _dial(sheet: Sheet, x: float, y: float, radius: float) -> None:
    """A clock face at ten past ten."""
    sheet.dot(x, y, radius, CREAM, BRASS, 5)
    sheet.dot(x, y, radius * 0.72, None, HAIR, 0.6)
    numerals = ["XII", "I", "II", "III", "IIII", "V", "VI", "VII", "VIII", "IX", "X", "XI"]
    for minute in range(60):
        sin, cos = math.sin(minute * math.pi / 30), math.cos(minute * math.pi / 30)
        inner = radius * (0.88 if minute % 5 == 0 else 0.91)
        sheet.line([(x + sin * inner, y - cos * inner), (x + sin * radius * 0.94, y - cos * radius * 0.94)], GREEN, 0.8)
        if minute % 5 == 0:
            at = radius * 0.79
            sheet.label(x + sin * at, y - cos * at + 5, numerals[minute // 5], 14, GREEN, "serif", "centre")
    for turn, length, width in ((10 / 12 + 1 / 72, 0.45, 4.0), (1 / 6, 0.66, 2.6)):
        angle = turn * 2 * math.pi
        tip = (x + math.sin(angle) * radius * length, y - math.cos(angle) * radius * length)
        sheet.line([(x - math.sin(angle) * 14, y + math.cos(angle) * 14), tip], GREEN, width)
    sheet.dot(x, y, 6, BRASS)


def _back(sheet: Sheet, passages: dict[str, str]) -> None:
    sheet.box((0, 0, 595, 14), fill=GREEN)
    sheet.text((LEFT, 44, 287, 236), passages["hours"])
    sheet.text((309, 44, RIGHT, 236), passages["tours"])
    sheet.text((LEFT, 238, RIGHT, 270), "<h2>Eintritt</h2>")
    rows = [
        ["Eintrittspreise", "Einzeln", "Gruppe ab 10"],
        ["Erwachsene", "9,50 €", "8,00 €"], ["Ermäßigt (Schüler, Studierende, Rentner)", "6,00 €", "5,00 €"],
        ["Kinder bis 6 Jahre", "frei", "frei"], ["Familienkarte (2 Erwachsene und Kinder)", "21,00 €", "—"],
        ["Jahreskarte", "32,00 €", "—"], ["Werkstattführung, zusätzlich", "4,50 €", "4,00 €"],
    ]  # fmt: skip
    table(sheet, LEFT, 270, [287, 100, 100], "lrr", rows, pitch=20, size=9.4, accent=GREEN, name="prices")
    sheet.text((LEFT, 448, 287, 760), passages["way"])
    _map(sheet)
    _foot(sheet)


def _map(sheet: Sheet) -> None:
    """The way from the station to the museum."""
    x0, y0, x1, y1 = 309.0, 460.0, RIGHT, 742.0
    sheet.box((x0, y0, x1, y1), fill=CREAM, edge=HAIR)
    river = [(x0 + 6, y0 + 170), (x0 + 60, y0 + 150), (x0 + 120, y0 + 158), (x0 + 180, y0 + 140), (x1 - 6, y0 + 146)]
    sheet.line([(x, y + 15) for x, y in river], "#bcd3d6", 9)
    for road in (
        [(x0 + 40, y1 - 36), (x0 + 40, y0 + 100), (x0 + 150, y0 + 84), (x0 + 176, y0 + 44)],
        [(x0 + 150, y0 + 84), (x1 - 12, y0 + 96)], [(x0 + 40, y0 + 100), (x0 + 10, y0 + 70)],
        [(x0 + 40, y1 - 70), (x1 - 12, y1 - 56)],
    ):  # fmt: skip
        sheet.line(road, "#ffffff", 9)
    sheet.line(
        [(x0 + 40, y1 - 40), (x0 + 40, y0 + 100), (x0 + 150, y0 + 84), (x0 + 174, y0 + 48)], BRASS, 2.4, "[1 5]"
    )  # fmt: skip
    sheet.box((x0 + 26, y1 - 38, x0 + 54, y1 - 22), fill=GREY)
    sheet.box((x0 + 164, y0 + 28, x0 + 188, y0 + 48), fill=GREEN)
    for text, x, y in [
        ("Bahnhof", x0 + 60, y1 - 26), ("Uhrenmuseum", x0 + 150, y0 + 22), ("Alte Brücke", x0 + 48, y0 + 196),
        ("Turmgasse", x0 + 74, y0 + 84), ("Mühlstraße", x0 + 140, y1 - 70), ("Röthe", x0 + 192, y0 + 178),
    ]:  # fmt: skip
        sheet.label(x, y, text, 8.5, INK, "serif-italic" if text == "Röthe" else "serif")
    sheet.label(x0, y1 + 14, "Zu Fuß vom Bahnhof: 850 Meter, etwa 12 Minuten", 8.5, GREY, "serif")
    sheet.mark("map", (x0, y0, x1, y1 + 18))


def _foot(sheet: Sheet) -> None:
    sheet.line([(LEFT, 800), (RIGHT, 800)], HAIR)
    sheet.label(LEFT, 816, "Uhrenmuseum Falkenrode  ·  Turmgasse 4  ·  Sommer 2025", 8.5, GREY, "serif")
    sheet.label(RIGHT, 816, str(sheet.number), 8.5, GREY, "serif", "right")
