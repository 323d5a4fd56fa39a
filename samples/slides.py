"""Eight slides on a night bus trial: bullets, a big number, charts, a process, a cost table."""

from __future__ import annotations

from samples.book import Book
from samples.figures import GREY, HAIR, INK, WASH, bars, lines, table
from samples.sheet import Sheet

PLUM, AMBER, PALE = "#43325e", "#e0a03a", "#b9aecb"
WIDTH, HEIGHT = 960.0, 540.0
LEFT, RIGHT = 64.0, 896.0
CSS = f"""
body {{font-family: sans-serif; font-size: 21pt; line-height: 1.35; color: {INK}}}
p {{margin: 0 0 12pt 0}}
ul {{padding-left: 24pt}}
li {{margin-bottom: 13pt}}
p.small {{font-size: 14pt; color: {GREY}; margin: 0}}
"""


def night_bus_slides() -> Book:
    """A deck of eight, 16:9."""
    book = Book(CSS)
    _title(book.sheet(WIDTH, HEIGHT))
    _why(_slide(book, "People finished work after the last bus had left"))
    _big_number(book.sheet(WIDTH, HEIGHT))
    _ridership(_slide(book, "Line N3 to the hospital carried the most"))
    _hours(_slide(book, "The busiest hour begins at four in the morning"))
    _process(_slide(book, "How a stop gets on the night map"))
    _cost(_slide(book, "A ride cost us less than planned"))
    _next(_slide(book, "What we ask the council to decide"))
    return book


def _slide(book: Book, title: str) -> Sheet:
    sheet = book.sheet(WIDTH, HEIGHT)
    sheet.box((0, 0, 14, HEIGHT), fill=PLUM)
    sheet.label(LEFT, 82, title, 30, PLUM, "bold")
    sheet.label(LEFT, 516, "Brackenfield Transport  ·  Night bus trial, October 2023 to March 2024", 11, GREY)
    sheet.label(RIGHT, 516, str(sheet.number), 11, GREY, "bold", "right")
    return sheet


def _title(sheet: Sheet) -> None:
    sheet.box((0, 0, WIDTH, HEIGHT), fill=PLUM)
    sheet.dot(772, 150, 66, AMBER)
    sheet.dot(798, 134, 60, PLUM)
    for x, y, r in [(640, 92, 1.8), (690, 214, 1.4), (858, 84, 2.2), (884, 232, 1.6), (572, 170, 1.3), (716, 60, 1.2)]:
        sheet.dot(x, y, r, "#ffffff")
    sheet.label(LEFT, 278, "Six months of night buses", 46, "#ffffff", "bold")
    sheet.label(LEFT, 324, "What we tried, who came, and what it cost", 22, PALE)
    sheet.line([(LEFT, 356), (LEFT + 70, 356)], AMBER, 3)
    sheet.label(LEFT, 444, "Report to the city council, 14 May 2024", 16, "#ffffff")
    sheet.label(LEFT, 470, "Brackenfield Transport, network planning", 16, PALE)


def _why(sheet: Sheet) -> None:
    html = (
        '<ul><li id="last-bus">Until last autumn the last bus left Market Square at 23.40.</li>'
        '<li id="workers">6,200 people in Brackenfield work shifts that begin or end between midnight and five.</li>'
        '<li id="taxi">Hospital staff told us that they spent $94 a month on taxis, on average.</li>'
        '<li id="lines">From 1 October we ran three lines, N1 to N3, every 40 minutes, seven nights a week.</li></ul>'
    )
    sheet.text((LEFT - 14, 130, RIGHT, 440), html)
    html = '<p class="small" id="survey">Source: survey of 1,118 shift workers, June 2023.</p>'
    sheet.text((LEFT, 452, RIGHT, 480), html)


def _big_number(sheet: Sheet) -> None:
    sheet.box((0, 0, WIDTH, HEIGHT), fill="#f6f3ee")
    sheet.box((0, 0, 14, HEIGHT), fill=AMBER)
    sheet.label(LEFT, 286, "58 %", 190, PLUM, "bold")
    sheet.label(LEFT + 6, 354, "of passengers were on their way to or from work", 30, INK)
    sheet.mark("big-number", (LEFT, 140, 800, 368))
    sheet.label(
        LEFT + 6, 404, "Going out came second with 27 %; the remaining 15 % were travelling to the airport.", 17, GREY
    )
    sheet.mark("second", (LEFT, 386, 760, 412))
    sheet.label(LEFT, 516, "Counted on board on 24 nights, 4,380 answers", 11, GREY)
    sheet.label(RIGHT, 516, str(sheet.number), 11, GREY, "bold", "right")


def _ridership(sheet: Sheet) -> None:
    series = {"October": [212, 148, 236], "March": [287, 163, 421]}
    names = ["N1  University", "N2  Airport", "N3  Hospital"]
    area = (LEFT, 112, 660, 482)
    bars(
        sheet, area, names, series, [PALE, PLUM], high=500, step=100, title="Passengers per night", size=13,
        name="ridership",
    )  # fmt: skip
    html = (
        "<p>Passengers per night rose on all three lines.</p>"
        '<p id="n3">N3 grew by 78 %, after the clinic moved its shift change to 4.15 in January.</p>'
        '<p class="small">Average of all nights of the month.</p>'
    )
    sheet.text((690, 150, RIGHT, 470), html)


def _hours(sheet: Sheet) -> None:
    hours = ["0–1", "1–2", "2–3", "3–4", "4–5", "5–6"]
    lines(
        sheet, (LEFT, 112, RIGHT, 440), hours,
        {"Weekdays": [96, 58, 41, 92, 342, 224], "Weekends": [182, 231, 204, 148, 87, 64]},
        [PLUM, AMBER], low=0, high=400, step=50, title="Passengers", below="Hour of the night", size=13,
        label={"Weekdays", "Weekends"}, name="hours",
    )  # fmt: skip
    html = '<p class="small">Passengers per night and hour in March 2024, all lines together.</p>'
    sheet.text((LEFT, 458, RIGHT, 482), html)


def _process(sheet: Sheet) -> None:
    steps = [
        ("Request", "Anyone may ask,\nby card or online"), ("Count", "20 requests within\n90 days"),
        ("Site check", "Light, kerb and\nroom to turn"), ("Trial", "8 weeks with a\nmobile stop pole"),
        ("Decision", "Kept from 12\nboardings a week"),
    ]  # fmt: skip
    width, gap = 142.0, 30.5
    for n, (name, words) in enumerate(steps):
        x = LEFT + n * (width + gap)
        sheet.box((x, 170, x + width, 330), fill=WASH, edge=HAIR, round_=8)
        sheet.dot(x + width / 2, 170, 19, PLUM if n < 4 else AMBER)
        sheet.label(x + width / 2, 176, str(n + 1), 17, "#ffffff", "bold", "centre")
        sheet.label(x + width / 2, 226, name, 18, PLUM, "bold", "centre")
        for row, line in enumerate(words.split("\n")):
            sheet.label(x + width / 2, 262 + row * 20, line, 14, INK, align="centre")
        if n < 4:
            sheet.arrow((x + width + 4, 250), (x + width + gap - 4, 250), PLUM, 2)
        sheet.mark(f"step-{n + 1}", (x, 150, x + width, 330))
    sheet.mark("process", (LEFT, 150, RIGHT, 330))
    back = [
        (LEFT + 2 * (width + gap) + width / 2, 334),
        (LEFT + 2 * (width + gap) + width / 2, 366),
        (LEFT + width / 2, 366),
    ]
    sheet.line(back, GREY, 1.4, "[5 4]")
    sheet.arrow((LEFT + width / 2, 366), (LEFT + width / 2, 335), GREY, 1.4)
    sheet.label(LEFT + width / 2 + 14, 388, "unsafe: back to the applicant, with the nearest safe place", 14, GREY)
    html = '<p id="stops-tried">Of 31 stops requested so far, 19 passed the site check and 14 have been kept.</p>'
    sheet.text((LEFT, 424, RIGHT, 470), html)


def _cost(sheet: Sheet) -> None:
    rows = [
        ["October 2023 to March 2024", "Planned", "Actual"],
        ["Drivers", "412", "398"], ["Fuel and tyres", "167", "151"], ["Buses (lease)", "96", "96"],
        ["Security staff", "58", "83"], ["Information and signs", "24", "19"],
        ["Total cost", "757", "747"], ["Fares received", "(186)", "(241)"], ["Net cost to the city", "571", "506"],
    ]  # fmt: skip
    table(sheet, LEFT, 122, [290, 110, 110], "lrr", rows, pitch=36, size=15.5, strong={6, 8}, accent=PLUM, name="cost")
    html = '<p class="small">In thousands of dollars.</p>'
    sheet.text((LEFT, 458, 600, 482), html)
    html = (
        '<p id="per-ride">The net cost came to $3.81 for each of 132,800 rides. We had planned for $5.10.</p>'
        "<p>Security was dearer: two guards a night instead of one, from December.</p>"
    )
    sheet.text((640, 128, RIGHT, 440), html)


def _next(sheet: Sheet) -> None:
    html = (
        '<ul><li id="ask-permanent">Make N1 and N3 permanent from 1 September 2024.</li>'
        '<li id="ask-n2">Replace N2 by a shared taxi on request; it carried only nine people a run.</li>'
        '<li id="ask-cadence">Run N3 every 20 minutes between four and six on weekdays.</li>'
        '<li id="ask-budget">Set aside $1.12 million for the first full year.</li></ul>'
    )
    sheet.text((LEFT - 14, 130, RIGHT, 480), html)
    html = "<p>The council votes on 20 June. Questions until then to the network planning team.</p>"
    sheet.text((LEFT, 350, RIGHT, 480), html)
