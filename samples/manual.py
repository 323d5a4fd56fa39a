"""The manual of a tide gauge: numbered steps, a warning, a page stored sideways, a drawing in a crop box."""

from __future__ import annotations

from samples.book import Book, prose
from samples.figures import GREY, HAIR, INK, WASH, table
from samples.sheet import Rect, Sheet

TEAL, RED, CONE = "#0f5c5c", "#a8322a", "#d9e8e6"
LEFT, RIGHT = 64.0, 531.0
CSS = f"""
body {{font-family: sans-serif; font-size: 10pt; line-height: 1.5; color: {INK}}}
p.lead {{font-size: 13pt; line-height: 1.42; color: {TEAL}; margin-bottom: 10pt}}
p.small {{font-size: 9pt; line-height: 1.42; margin: 0 0 4pt 0}}
p.caption {{font-size: 8.5pt; margin: 0}}
h3 {{font-size: 11pt; color: {TEAL}; margin: 8pt 0 3pt 0}}
ol {{margin: 0 0 6pt 0; padding-left: 20pt}}
li {{margin-bottom: 6pt}}
"""
DATA = [
    ["Property", "Value"],
    ["Measuring range", "0.5 to 20 m"], ["Resolution", "1 mm"], ["Accuracy", "±3 mm up to 10 m, ±5 mm beyond"],
    ["Radar frequency", "24.125 GHz"], ["Beam", "12 degrees in all"], ["Supply", "9 to 30 V DC"],
    ["Current, measuring", "38 mA at 12 V"], ["Current, asleep", "0.9 mA at 12 V"],
    ["Temperature", "−35 to +65 °C"], ["Protection", "IP68, 1 m for 72 hours"], ["Output", "Modbus RTU over RS-485"],
]  # fmt: skip
REGISTERS = [
    ["Register", "Name", "Type", "Unit", "Access", "Range", "Default", "Meaning"],
    ["40001", "LEVEL", "s16", "mm", "R", "−9999 to 9999", "—", "Water level above the bench mark, one-minute average"],
    [
        "40002",
        "DISTANCE",
        "u16",
        "mm",
        "R",
        "500 to 20000",
        "—",
        "Distance from the rim to the water, one-minute average",
    ],
    ["40003", "SPREAD", "u16", "mm", "R", "0 to 2000", "—", "Standard deviation within the minute; a measure of waves"],
    ["40004", "SIGNAL", "u16", "dB", "R", "0 to 90", "—", "Strength of the echo; below 20 the reading is doubtful"],
    ["40005", "TEMPERATURE", "s16", "0.1 °C", "R", "−500 to 900", "—", "Temperature inside the housing"],
    ["40006", "SUPPLY", "u16", "10 mV", "R", "0 to 3300", "—", "Voltage at the terminals"],
    ["40007", "CLOCK HIGH", "u16", "s", "R/W", "0 to 65535", "—", "Seconds since 2000, upper half"],
    ["40008", "CLOCK LOW", "u16", "s", "R/W", "0 to 65535", "—", "Seconds since 2000, lower half; write this one last"],
    ["40009", "FAULT", "u16", "—", "R", "0 to 7", "0", "Number of the present fault; see Table 3"],
    ["40010", "INTERVAL", "u16", "s", "R/W", "10 to 3600", "60", "Time between stored averages"],
    ["40011", "BENCH MARK", "u16", "mm", "R/W", "0 to 30000", "0", "Distance from the rim to the bench mark"],
    ["40012", "MAINTENANCE", "u16", "—", "R/W", "0 or 1", "0", "1 marks readings as taken during maintenance"],
    ["40013", "ADDRESS", "u16", "—", "R/W", "1 to 247", "17", "Slave address; takes effect after a restart"],
    ["40014", "DAMPING", "u16", "s", "R/W", "0 to 300", "0", "Time constant of the output filter; 0 is off"],
]
FAULTS = [
    ["Blinks", "Meaning", "What to do"],
    ["1", "No echo", "Remove whatever hangs in the beam; check that\nthe water is within 20 m."],
    ["2", "Weak echo", "Clean the antenna. Check the levelling bubble."],
    ["3", "Supply below 9 V", "Measure at the terminals while measuring. Replace\nthe battery or use a thicker cable."],
    ["4", "Too hot or too cold", "Fit the sun shield SH-1. The gauge starts again by itself\nbelow 60 °C."],
    ["5", "Moisture inside", "Change the desiccant within 30 days."],
    ["6", "Clock lost", "Set the clock (registers 40007 and 40008)."],
    ["7", "Memory fault", "Return the sensor to Kittiwake."],
]
CARE = [
    ["Task", "Interval", "Time needed"],
    ["Clean the antenna", "every 3 months", "10 min"], ["Check the levelling bubble", "every 3 months", "2 min"],
    ["Check the level with the target", "every 6 months", "30 min"],
    ["Change the desiccant", "every 12 months", "15 min"],
    ["Inspect bolts and earth conductor", "every 12 months", "20 min"],
    ["Calibration at the works", "every 5 years", "3 weeks"],
]  # fmt: skip


def tide_gauge_manual() -> Book:
    """Six pages: overview, installation, register map (sideways), drawing (cropped), faults, care."""
    book, passages = Book(CSS), prose("tide-gauge-manual")
    _overview(_page(book, "1  Overview"), passages)
    _installation(_page(book, "2  Installation"), passages)
    _register_map(book, passages)
    _drawing(book, passages)
    _faults(_page(book, "5  Faults"), passages)
    _care(_page(book, "6  Care"), passages)
    return book


def _page(book: Book, title: str, width: float = 595, height: float = 842) -> Sheet:
    sheet = book.sheet(width, height)
    left, right = LEFT, width - LEFT
    sheet.box((0, 0, width, 9), fill=TEAL)
    sheet.label(left, 42, "TG-40 Radar Tide Gauge", 8, GREY)
    sheet.label(right, 42, "Installation and Service Manual", 8, GREY, align="right")
    sheet.label(left, 84, title, 20, TEAL, "bold")
    sheet.line([(left, height - 44), (right, height - 44)], HAIR)
    sheet.label(left, height - 30, "Kittiwake Instruments  ·  TG40-M-EN, revision C, May 2023", 7.5, GREY)
    sheet.label(right, height - 30, str(sheet.number), 8, GREY, "bold", "right")
    return sheet


def _overview(sheet: Sheet, passages: dict[str, str]) -> None:
    sheet.text((LEFT, 104, 350, 430), passages["about"])
    _mounting(sheet, (372, 108, RIGHT, 408))
    sheet.text((372, 414, RIGHT, 444), '<p class="caption"><b>Figure 1.</b> The gauge on a pier.</p>')
    sheet.text((LEFT, 448, RIGHT, 466), '<p class="caption"><b>Table 1.</b> Technical data.</p>')
    end = table(sheet, LEFT, 464, [190, 277], "ll", DATA, pitch=18.5, size=9, accent=TEAL, name="data")
    sheet.box((LEFT, end + 16, RIGHT, end + 72), fill=WASH)
    sheet.text((LEFT + 14, end + 24, RIGHT - 14, end + 72), passages["box"])


def _mounting(sheet: Sheet, rect: Rect) -> None:
    """Figure 1: pier, bracket, sensor, beam and water."""
    x0, y0, x1, y1 = rect
    sheet.box(rect, fill="#fafbfb", edge=HAIR)
    water = y1 - 66
    sheet.box((x0 + 0.5, water, x1 - 0.5, y1 - 0.5), fill="#cfe3ea")
    sheet.box((x0 + 12, y0 + 54, x0 + 40, y1 - 14), fill="#b9b2a6")
    sheet.box((x0 + 0.5, y0 + 42, x0 + 54, y0 + 54), fill="#8d867b")
    axis = x0 + 102
    sheet.line([(axis, y0 + 82), (axis - 24, water), (axis + 24, water)], CONE, 0, "", True, CONE)
    sheet.box((x0 + 40, y0 + 60, axis + 4, y0 + 66), fill=GREY)
    sheet.box((axis - 11, y0 + 56, axis + 11, y0 + 76), fill=TEAL, round_=2)
    sheet.line(
        [(axis - 8, y0 + 76), (axis - 5, y0 + 83), (axis + 5, y0 + 83), (axis + 8, y0 + 76)], TEAL, 0, "", True, INK
    )
    sheet.arrow((axis, y0 + 150), (axis, y0 + 88), INK, 0.7)
    sheet.arrow((axis, y0 + 150), (axis, water - 1), INK, 0.7)
    for text, x, y in [
        ("bracket BR-2", x0 + 42, y0 + 77), ("sensor", axis + 15, y0 + 70), ("2 to 18 m", axis + 6, y0 + 152),
        ("lowest tide", axis - 2, water + 14), ("pier", x0 + 18, y0 + 130),
    ]:  # fmt: skip
        sheet.label(x, y, text, 8)
    sheet.arrow((x0 + 40, water - 22), (axis - 2, water - 22), INK, 0.7)
    sheet.label(x0 + 44, water - 27, "1.5 m", 8)
    sheet.mark("figure1", rect)


def _installation(sheet: Sheet, passages: dict[str, str]) -> None:
    end = sheet.text((LEFT, 104, RIGHT, 480), passages["steps"]) + 8
    box = (LEFT, end, RIGHT, end + 54)
    sheet.box(box, fill="#fbefed")
    sheet.box((LEFT, end, LEFT + 4, end + 54), fill=RED)
    sheet.line([(LEFT + 17, end + 40), (LEFT + 31, end + 16), (LEFT + 45, end + 40)], RED, 1.6, "", True)
    sheet.label(LEFT + 31, end + 37, "!", 16, RED, "bold", "centre")
    sheet.text((LEFT + 58, end + 9, RIGHT - 12, end + 60), passages["warning"])
    _wiring(sheet, (LEFT, end + 76, RIGHT, end + 214))
    caption = '<p class="caption"><b>Figure 2.</b> Wiring. The screen is earthed at the logger only.</p>'
    sheet.text((LEFT, end + 219, RIGHT, end + 240), caption)
    sheet.text((LEFT, end + 240, RIGHT, 790), passages["lamp"])


def _wiring(sheet: Sheet, rect: Rect) -> None:
    """Figure 2: four wires from the sensor to the terminals of the logger."""
    x0, y0, x1, y1 = rect
    sheet.box(rect, fill="#fafbfb", edge=HAIR)
    sheet.box((x0 + 24, y0 + 16, x0 + 108, y1 - 16), fill=TEAL, round_=4)
    sheet.label(x0 + 66, (y0 + y1) / 2 + 3, "TG-40", 11, "#ffffff", "bold", "centre")
    sheet.box((x1 - 150, y0 + 16, x1 - 24, y1 - 16), fill="#ffffff", edge=GREY, round_=4)
    wires = [
        ("brown", "#7a4a21", "1   + 9 to 30 V"), ("white", "#b5bcc2", "2   0 V"), ("yellow", "#d9ab1e", "3   RS-485 A"),
        ("green", "#3f8f4f", "4   RS-485 B"), ("screen", "#4a545c", "5   earth"),
    ]  # fmt: skip
    for n, (name, ink, terminal) in enumerate(wires):
        y = y0 + 30 + n * 20
        start = x0 + (108 if n < 4 else 150)
        sheet.line([(start, y), (x1 - 150, y)], ink, 2.2 if n < 4 else 1.2, "[4 3]" if n == 4 else "")
        sheet.label((x0 + x1) / 2 - 20, y - 4, name, 8, GREY, align="centre")
        sheet.dot(x1 - 143, y, 3, "#ffffff", GREY)
        sheet.label(x1 - 134, y + 3, terminal, 8.5)
    sheet.mark("figure2", rect)


def _register_map(book: Book, passages: dict[str, str]) -> None:
    sheet = _page(book, "3  Registers", 842, 595)
    sheet.text((LEFT, 98, 778, 130), passages["registers"])
    sheet.text((LEFT, 136, 778, 152), '<p class="caption"><b>Table 2.</b> Modbus holding registers.</p>')
    widths = [56.0, 86.0, 38.0, 46.0, 48.0, 88.0, 52.0, 300.0]
    table(sheet, LEFT, 154, widths, "lllllrrl", REGISTERS, pitch=24.5, size=8.8, accent=TEAL, name="registers")
    sheet.store_sideways()


def _drawing(book: Book, passages: dict[str, str]) -> None:
    """A page smaller than the others, cut out of a printer's sheet with crop marks and a slug line around it."""
    width, height = 500.0, 640.0
    sheet = _page(book, "4  Dimensions", width, height)
    _outline(sheet, (LEFT, 104, width - LEFT, 496))
    caption = '<p class="caption"><b>Figure 3.</b> Front view of the sensor with bracket BR-2.</p>'
    sheet.text((LEFT, 504, width - LEFT, 522), caption)
    sheet.text((LEFT, 528, width - LEFT, 592), passages["drawing"])
    left, top, right, bottom = 70.0, 96.0, 48.0, 54.0
    sheet.store_cropped(left, top, right, bottom)
    page = sheet.page
    page.set_cropbox(page.mediabox)
    full = Sheet(book, sheet.number, width + left + right, height + top + bottom)
    for x in (left, left + width):
        full.line([(x, top - 40), (x, top - 12)], INK, 0.4)
        full.line([(x, top + height + 12), (x, top + height + 40)], INK, 0.4)
    for y in (top, top + height):
        full.line([(left - 40, y), (left - 12, y)], INK, 0.4)
        full.line([(left + width + 12, y), (left + width + 40, y)], INK, 0.4)
    for n, ink in enumerate((TEAL, RED, "#d9ab1e", INK, GREY)):
        full.box((left + 60 + n * 16, 40, left + 74 + n * 16, 54), fill=ink)
    full.label(left + 160, 50, "PRINTER: trim here. Proof 2, not for issue. Weight to be confirmed: 5.1 kg?", 8, INK)
    page.set_cropbox((left, top, left + width, top + height))


def _outline(sheet: Sheet, rect: Rect) -> None:
    """Figure 3: outline with dimension lines."""
    x0, y0, x1, y1 = rect
    sheet.box(rect, fill="#fafbfb", edge=HAIR)
    axis = (x0 + x1) / 2 + 26
    sheet.line([(axis, y0 + 262), (axis - 13, y1 - 12), (axis + 13, y1 - 12)], CONE, 0, "", True, CONE)
    sheet.box((axis - 52, y0 + 76, axis + 52, y0 + 212), fill="#e6efee", edge=INK, width=1.2, round_=7)
    horn = [(axis - 40, y0 + 212), (axis - 29, y0 + 262), (axis + 29, y0 + 262), (axis + 40, y0 + 212)]
    sheet.line(horn, INK, 1.2, "", True, "#d3dddc")
    sheet.box((x0 + 62, y0 + 108, axis - 52, y0 + 122), fill="#ffffff", edge=INK, width=1.2)
    sheet.box((x0 + 50, y0 + 80, x0 + 62, y0 + 150), fill="#ffffff", edge=INK, width=1.2)
    sheet.dot(axis, y0 + 116, 5, "#7fbf7f", INK, 0.8)
    sheet.label(axis + 9, y0 + 119, "lamp", 8)
    sheet.dot(axis, y0 + 172, 2.6, INK)
    sheet.label(axis + 9, y0 + 175, "magnet", 8)
    sheet.line([(axis, y0 + 60), (axis, y1 - 12)], GREY, 0.4, "[8 3 2 3]")
    _dimension(sheet, (axis - 52, y0 + 48), (axis + 52, y0 + 48), "118")
    _dimension(sheet, (x0 + 50, y0 + 26), (axis, y0 + 26), "184")
    _dimension(sheet, (axis + 84, y0 + 76), (axis + 84, y0 + 262), "212")
    _dimension(sheet, (axis - 29, y0 + 284), (axis + 29, y0 + 284), "66")
    _dimension(sheet, (x0 + 28, y0 + 80), (x0 + 28, y0 + 150), "80")
    sheet.mark("figure3", rect)


def _dimension(sheet: Sheet, start: tuple[float, float], end: tuple[float, float], text: str) -> None:
    """A dimension line with an arrow at both ends and its measure."""
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    sheet.arrow(middle, start, INK, 0.5)
    sheet.arrow(middle, end, INK, 0.5)
    if start[1] == end[1]:
        sheet.label(middle[0], middle[1] - 4, text, 9, align="centre")
    else:
        sheet.label(middle[0] - 4, middle[1], text, 9, align="centre", turn=90)


def _faults(sheet: Sheet, passages: dict[str, str]) -> None:
    end = sheet.text((LEFT, 104, RIGHT, 200), passages["faults"]) + 10
    sheet.text((LEFT, end, RIGHT, end + 20), '<p class="caption"><b>Table 3.</b> Faults.</p>')
    end = table(sheet, LEFT, end + 18, [52, 130, 285], "cll", FAULTS, pitch=25, size=9.4, accent=TEAL, name="faults")
    sheet.text((LEFT, end + 20, RIGHT, 790), passages["reset"])


def _care(sheet: Sheet, passages: dict[str, str]) -> None:
    end = sheet.text((LEFT, 104, RIGHT, 560), passages["care"]) + 14
    sheet.text((LEFT, end, RIGHT, end + 20), '<p class="caption"><b>Table 4.</b> Care at a glance.</p>')
    end = table(sheet, LEFT, end + 18, [237, 130, 100], "lll", CARE, pitch=20, size=9.2, accent=TEAL, name="care")
    sheet.text((LEFT, end + 18, RIGHT, 792), passages["disposal"])
