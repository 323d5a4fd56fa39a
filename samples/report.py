"""The annual report of a ferry cooperative: two columns, charts, footnotes, and a table that runs over two pages."""

from __future__ import annotations

import math

from samples.book import Book, prose
from samples.figures import GREY, HAIR, INK, WASH, bars, lines, table
from samples.sheet import Sheet

BLUE, SAND, MIST = "#1d4e6b", "#c8963e", "#a9c0cc"
LEFT, RIGHT, TOP = 56.0, 539.0, 114.0
GAP = 22.0
MIDDLE = (LEFT + RIGHT) / 2
CSS = f"""
body {{font-family: sans-serif; font-size: 9.8pt; line-height: 1.45; color: {INK}}}
p {{margin: 0 0 6.5pt 0}}
h2 {{font-size: 17pt; line-height: 1.15; margin: 0 0 9pt 0; color: {BLUE}}}
h3 {{font-size: 9.6pt; margin: 5pt 0 2pt 0; color: {BLUE}}}
p.lead {{font-size: 11pt; line-height: 1.4; color: {BLUE}; margin-bottom: 9pt}}
p.note {{font-size: 7.4pt; line-height: 1.35; color: {GREY}}}
p.caption {{font-size: 8pt; line-height: 1.35; margin: 0}}
div.letter {{font-size: 10.8pt}}
p.sign {{margin-top: 8pt}}
sup {{font-size: 6.2pt}}
"""
STAGES: list[tuple[str, list[tuple[str, int, str, str, str, str]]]] = [
    ("Northshore", [
        ("Customs House", 402, "+3.1", "2009", "120", "A"), ("Port Allard", 301, "+1.7", "2014", "96", "B"),
        ("Maltings", 236, "+4.4", "2011", "110", "A"), ("Linden Steps", 187, "+1.6", "2019", "40", "B"),
        ("Ropewalk", 148, "+0.7", "2017", "32", "B"), ("Saltergate", 138, "+29.0", "2022", "84", "A"),
    ]),
    ("Harbour Loop", [
        ("Exchange Pier", 288, "+6.3", "2008", "140", "A"), ("Fish Market", 174, "+7.4", "2012", "56", "C"),
        ("Glasshouse", 129, "+4.9", "2016", "36", "B"), ("Old Arsenal", 117, "+3.5", "2013", "28", "C"),
        ("Mint Wharf", 96, "+9.1", "2020", "44", "A"), ("Chandlers’ Quay", 88, "+4.8", "2018", "30", "B"),
        ("Observatory", 76, "+2.7", "—", "12", "B"),
    ]),
    ("Gull Island", [
        ("Customs House", 198, "−2.9", "2009", "120", "A"), ("Gull Island North", 121, "−1.6", "2015", "48", "B"),
        ("Gull Island Abbey", 74, "−7.5", "2021", "20", "A"), ("Lantern Point", 38, "0.0", "—", "8", "C"),
    ]),
    ("Tern Sound", [
        ("Port Allard", 103, "+8.4", "2014", "96", "B"), ("Merrow", 68, "+13.3", "2023", "42", "A"),
        ("Tern Head", 47, "+6.8", "2018", "16", "C"), ("Saint Brannock", 35, "+9.4", "2020", "18", "B"),
        ("Cold Harbour", 21, "+5.0", "—", "6", "B"),
    ]),
    ("Night Line", [
        ("Exchange Pier", 39, "n/a", "2008", "140", "A"), ("Maltings", 22, "n/a", "2011", "110", "A"),
        ("Fish Market", 17, "n/a", "2012", "56", "C"), ("Customs House", 9, "n/a", "2009", "120", "A"),
    ]),
]  # fmt: skip
ROUTE_CHANGE = {"Northshore": "+4.6", "Harbour Loop": "+5.8", "Gull Island": "−3.1", "Tern Sound": "+9.2"}
FIVE_YEARS = [
    ["", "2020", "2021", "2022", "2023", "2024"],
    ["Passengers (thousands)", "1,216", "1,688", "2,590", "3,002", "3,172"],
    ["Departures (thousands)", "84.1", "97.3", "109.8", "113.6", "118.4"],
    ["Places filled (per cent)", "19", "23", "31", "35", "36"],
    ["Revenue ($ thousands)", "12,480", "14,015", "17,366", "19,121", "20,250"],
    ["Surplus for the year ($ thousands)", "(1,912)", "(840)", "104", "322", "764"],
    ["Diesel burned (thousand litres)", "2,630", "3,020", "3,560", "3,105", "2,410"],
    ["Employees (average for the year)", "259", "255", "268", "279", "286"],
]
INCOME = [
    ["Year ended 31 December", "2024", "2023"],
    ["Fares", "11,846", "10,927"], ["Public service contract", "6,200", "6,050"],
    ["Freight and parcels", "1,134", "1,058"], ["Charters and events", "672", "715"], ["Rents and other", "398", "371"],
    ["Total revenue", "20,250", "19,121"],
    ["Crew and staff", "(9,412)", "(8,936)"], ["Fuel and electricity", "(2,318)", "(2,871)"],
    ["Maintenance and dry dock", "(2,964)", "(2,733)"], ["Landing stages", "(1,187)", "(1,092)"],
    ["Depreciation", "(2,046)", "(1,718)"], ["Insurance and administration", "(1,241)", "(1,205)"],
    ["Operating surplus", "1,082", "566"], ["Interest, net", "(318)", "(244)"], ["Surplus for the year", "764", "322"],
]  # fmt: skip
BALANCE = [
    ["At 31 December", "2024", "2023"],
    ["Vessels", "31,480", "27,915"], ["Land and landing stages", "8,640", "8,702"],
    ["Charging equipment", "3,275", "1,140"], ["Spare parts and fuel", "486", "512"], ["Receivables", "1,312", "1,247"],
    ["Cash", "2,907", "3,364"], ["Total assets", "48,100", "42,880"],
    ["Harbour Bond 2031", "14,500", "10,500"], ["Bank loans", "6,180", "6,905"], ["Payables", "2,236", "2,114"],
    ["Season tickets, deferred", "1,384", "1,325"], ["Members’ shares", "9,450", "8,450"],
    ["Reserves", "14,350", "13,586"], ["Total liabilities and equity", "48,100", "42,880"],
]  # fmt: skip
DIRECTORS = [
    ["Director", "Elected by", "Since", "Term ends"],
    ["Ingrid Vasko (chair)", "Members, Port Allard", "2017", "2025"],
    ["Tobias Renn", "Members, Northshore", "2019", "2027"],
    ["Amara Okafor-Lind", "Members, Harbour Loop", "2021", "2025"],
    ["Piet Sandoval", "Members, Harbour Loop", "2023", "2027"],
    ["Maeve Corriden", "Members, Gull Island", "2023", "2027"],
    ["Yusuf Halloran", "Members, Tern Sound", "2021", "2025"],
    ["Dagny Brook", "Employees", "2015", "2027"], ["Lorenzo Achebe", "Employees", "2023", "2027"],
    ["Ruth Van Aalst", "Sallow County", "2022", "2026"],
]  # fmt: skip


def annual_report() -> Book:
    """Ten pages: cover, letter, numbers, three chapters, a spanning table, statements, notes."""
    book, passages = Book(CSS), prose("annual-report")
    _cover(book)
    _letter(book, passages)
    _numbers(book, passages)
    _routes(book, passages)
    _reliability(book, passages)
    _electric(book, passages)
    _stages(book, passages)
    _statements(book, passages)
    sheet = _inside(book, "Notes and governance", "Notes and governance")
    end = columns(book, sheet, passages["notes"], TOP, 780) + 34
    sheet.text((LEFT, end, RIGHT, end + 18), '<p class="caption"><b>Table 5.</b> Directors at 31 December 2024.</p>')
    table(sheet, LEFT, end + 18, [150, 163, 85, 85], "llrr", DIRECTORS, pitch=19, size=8.6, name="table5")
    return book


def _inside(book: Book, chapter: str, title: str = "") -> Sheet:
    """A page with the running header and footer, and a title when a chapter begins."""
    sheet = book.sheet()
    sheet.label(LEFT, 46, "Sallow Bay Ferry Cooperative", 7.5, GREY)
    sheet.label(RIGHT, 46, chapter, 7.5, GREY, align="right")
    sheet.line([(LEFT, 53), (RIGHT, 53)], HAIR)
    sheet.label(LEFT, 812, "Annual Report 2024", 7.5, GREY)
    sheet.label(RIGHT, 812, str(sheet.number), 7.5, GREY, "bold", "right")
    if title:
        sheet.label(LEFT, 96, title, 19, BLUE, "bold")
    return sheet


def columns(book: Book, sheet: Sheet, html: str, top: float, bottom: float) -> float:
    """Running text in the page's two columns; returns the y where they end."""
    left, right = (LEFT, top, MIDDLE - GAP / 2, bottom), (MIDDLE + GAP / 2, top, RIGHT, bottom)
    return book.balanced(html, sheet, [left, right])


def _cover(book: Book) -> None:
    sheet = book.sheet()
    sheet.box((0, 0, 595, 842), fill=BLUE)
    for n in range(22):
        y, swing = 452 + n * 19.0, 5 + n * 0.75
        wave = [(x, y + swing * math.sin(x / (62 + 2.2 * n) + n * 0.62)) for x in range(0, 600, 5)]
        sheet.line(wave, "#3d7391" if n % 4 else "#8fb3c4", 0.6 + n * 0.03)
    hull = [(334, 437), (350, 457), (452, 457), (474, 437)]
    sheet.line(hull, "#ffffff", 0, "", True, "#f4efe6")
    sheet.box((362, 419, 446, 437), fill="#f4efe6")
    sheet.box((378, 405, 428, 419), fill=SAND)
    for n in range(6):
        sheet.box((368 + n * 13, 424, 376 + n * 13, 430), fill=BLUE)
    sheet.label(LEFT, 92, "Sallow Bay Ferry Cooperative", 13, "#f4efe6", "bold")
    sheet.line([(LEFT, 106), (LEFT + 40, 106)], SAND, 2)
    sheet.label(LEFT, 190, "Annual Report", 46, "#ffffff", "bold")
    sheet.label(LEFT, 242, "2024", 46, SAND, "bold")
    sheet.label(LEFT, 282, "Ninety years of crossing together", 15, "#dbe6ec")


def _letter(book: Book, passages: dict[str, str]) -> None:
    sheet = _inside(book, "Letter from the chair")
    sheet.label(LEFT, 108, "A quieter boat, a fuller bay", 24, BLUE, "bold")
    columns(book, sheet, f'<div class="letter">{passages["chair"]}</div>', 130, 640)
    sheet.box((LEFT, 646, RIGHT, 776), fill=WASH)
    sheet.label(LEFT + 16, 670, "In this report", 10, BLUE, "bold")
    entries = [
        ("Letter from the chair", 2), ("The year in numbers", 3), ("Routes and passengers", 4),
        ("Boats that leave on time", 5), ("Less smoke over the harbour", 6), ("Stages that everyone can use", 7),
        ("Financial statements", 9), ("Notes and governance", 10),
    ]  # fmt: skip
    for n, (title, page) in enumerate(entries):
        x, y = (LEFT + 16, MIDDLE + 12)[n // 4], 692 + (n % 4) * 19
        sheet.label(x, y, title, 9)
        sheet.label(x + 198, y, str(page), 9, BLUE, "bold", "right")


def _numbers(book: Book, passages: dict[str, str]) -> None:
    sheet = _inside(book, "The year in numbers", "The year in numbers")
    tiles = [
        ("3,172,000", "passengers carried"), ("90.5 %", "of departures on time"), ("31 %", "of departures electric"),
        ("$6.04", "cost per passenger"), ("17 of 20", "stages step-free"), ("12,618", "members"),
    ]  # fmt: skip
    for n, (number, words) in enumerate(tiles):
        x, y = LEFT + (n % 3) * 165, 114 + (n // 3) * 92
        sheet.box((x, y, x + 153, y + 80), fill=WASH)
        sheet.box((x, y, x + 3, y + 80), fill=SAND if n % 2 else BLUE)
        sheet.label(x + 16, y + 41, number, 24, BLUE, "bold")
        sheet.label(x + 16, y + 61, words, 9, GREY)
        sheet.mark(f"tile-{n}", (x, y, x + 153, y + 80))
    sheet.text((LEFT, 324, RIGHT, 342), '<p class="caption"><b>Table 1.</b> Five years at a glance.</p>')
    end = table(sheet, LEFT, 344, [193, 58, 58, 58, 58, 58], "lrrrrr", FIVE_YEARS, pitch=19, size=8.6, name="table1")
    columns(book, sheet, passages["numbers"], end + 26, end + 180)
    sheet.line([(LEFT, 640), (RIGHT, 640)], HAIR)
    sheet.text(
        (LEFT, 656, RIGHT, 720),
        '<p class="lead">“I have crossed to work for thirty-one years. The new boat is the first one that lets me'
        " finish a sentence.”</p><p>Amadou Keller, member no. 2207, on board the <i>Dunlin</i></p>",
    )


def _routes(book: Book, passages: dict[str, str]) -> None:
    sheet = _inside(book, "Routes and passengers", "Routes and passengers")
    columns(book, sheet, passages["routes"], TOP, 445)
    names = ["Northshore", "Harbour Loop", "Gull Island", "Tern Sound", "Night Line"]
    series = {"2023": [1350, 915, 445, 251, 41], "2024": [1412, 968, 431, 274, 87]}
    area = (LEFT, 440, RIGHT, 694)
    bars(
        sheet, area, names, series, [MIST, BLUE], high=1500, step=250, title="Passengers (thousands)", below="Route",
        name="figure1",
    )  # fmt: skip
    caption = (
        '<p class="caption" id="figure1-caption"><b>Figure 1.</b> Passengers by route, 2023 and 2024, in thousands.'
        " The total rose from 3,002 to 3,172.</p>"
    )
    sheet.text((LEFT, 704, RIGHT, 726), caption)
    sheet.line([(LEFT, 748), (LEFT + 90, 748)], GREY, 0.4)
    sheet.text((LEFT, 753, RIGHT, 790), passages["routes-note"])


def _reliability(book: Book, passages: dict[str, str]) -> None:
    sheet = _inside(book, "Boats that leave on time", "Boats that leave on time")
    columns(book, sheet, passages["reliability"], TOP, 370)
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    series = {
        "2023": [84, 83, 87, 90, 92, 91, 89, 88, 92, 89, 85, 82],
        "2024": [88, 86, 91, 94, 95, 96, 95, 93, 95, 92, 74, 87],
    }
    lines(
        sheet, (LEFT, 396, RIGHT, 672), months, series, [MIST, BLUE], low=70, high=100, step=5, below="Month",
        title="Departures on time (per cent)", label={"2024"}, name="figure2",
    )  # fmt: skip
    caption = (
        '<p class="caption" id="figure2-caption"><b>Figure 2.</b> Departures on time by month, in per cent. The scale'
        " begins at 70. The values printed are those of 2024.</p>"
    )
    sheet.text((LEFT, 684, RIGHT, 704), caption)
    sheet.line([(LEFT, 748), (LEFT + 90, 748)], GREY, 0.4)
    sheet.text((LEFT, 753, RIGHT, 790), passages["reliability-note"])


def _electric(book: Book, passages: dict[str, str]) -> None:
    sheet = _inside(book, "Less smoke over the harbour", "Less smoke over the harbour")
    lines(
        sheet, (LEFT, 108, RIGHT, 330), [str(y) for y in range(2018, 2025)],
        {"Diesel": [4120, 4185, 2630, 3020, 3560, 3105, 2410]}, [BLUE], low=0, high=5000, step=1000, below="Year",
        title="Diesel burned (thousand litres)", label={"Diesel"}, name="figure3",
    )  # fmt: skip
    caption = (
        '<p class="caption" id="figure3-caption"><b>Figure 3.</b> Diesel burned by the fleet, 2018 to 2024, in'
        " thousands of litres. In 2020 half of the timetable was suspended.</p>"
    )
    sheet.text((LEFT, 340, RIGHT, 364), caption)
    columns(book, sheet, passages["electric"], 386, 780)


def _stage_rows() -> tuple[list[list[str]], set[int]]:
    rows, strong = [["Landing stage", "Boardings", "Change (%)", "Step-free since", "Seats", "Grade"]], set()
    for route, stages in STAGES:
        total = sum(stage[1] for stage in stages)
        strong.add(len(rows))
        rows.append([route, f"{total:,}", ROUTE_CHANGE.get(route, "n/a"), "", "", ""])
        rows += [
            [name, f"{count:,}", change, since, seats, grade] for name, count, change, since, seats, grade in stages
        ]
    strong.add(len(rows))
    rows.append(["All routes", "3,172", "+5.7", "", "", ""])
    return rows, strong


def _stages(book: Book, passages: dict[str, str]) -> None:
    first = _inside(book, "Stages that everyone can use", "Stages that everyone can use")
    top = columns(book, first, passages["stages"], TOP, 320) + 34
    rows, strong = _stage_rows()
    split, widths = 21, [173.0, 68.0, 68.0, 78.0, 48.0, 48.0]
    title = "Landing stages by route, with boardings in 2024, in thousands"
    first.text((LEFT, top, RIGHT, top + 20), f'<p class="caption"><b>Table 2.</b> {title}.</p>')
    end = table(
        first, LEFT, top + 18, widths, "lrrccc", rows[:split], pitch=20, size=8.6, strong=strong, name="table2a"
    )
    first.label(RIGHT, end + 13, "continued on the next page", 7.5, GREY, "italic", "right")
    second = _inside(book, "Stages that everyone can use")
    second.text((LEFT, 74, RIGHT, 94), f'<p class="caption"><b>Table 2</b> (continued). {title}.</p>')
    rest, bold = [rows[0], *rows[split:]], {r - split + 1 for r in strong if r >= split}
    end = table(second, LEFT, 92, widths, "lrrccc", rest, pitch=20, size=8.6, strong=bold, name="table2b")
    columns(book, second, passages["stages-after"], end + 34, 780)


def _statements(book: Book, passages: dict[str, str]) -> None:
    sheet = _inside(book, "Financial statements", "Financial statements")
    sheet.text((LEFT, 108, RIGHT, 142), passages["finance-lead"])
    widths, strong = [303.0, 90.0, 90.0], {6, 13, 15}
    caption = '<p class="caption"><b>Table {}.</b> {}, in thousands of dollars.</p>'
    sheet.text((LEFT, 148, RIGHT, 166), caption.format(3, "Statement of income"))
    end = table(sheet, LEFT, 166, widths, "lrr", INCOME, pitch=17.4, strong=strong, size=8.4, name="table3")
    sheet.text((LEFT, end + 20, RIGHT, end + 38), caption.format(4, "Balance sheet"))
    end = table(sheet, LEFT, end + 38, widths, "lrr", BALANCE, pitch=17.4, strong={7, 14}, size=8.4, name="table4")
    sheet.text((LEFT, end + 14, RIGHT, end + 40), passages["finance-notes"])
