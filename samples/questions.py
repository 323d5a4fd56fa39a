"""The questions people might ask of the collection, each with the marks of the places that answer it."""

from __future__ import annotations

from typing import NamedTuple

REPORT, LETTER, MANUAL = "sallow-bay-annual-report.pdf", "mill-lane-inspection-1987.pdf", "tg40-tide-gauge-manual.pdf"
SLIDES, MUSEUM = "night-bus-trial-slides.pdf", "uhrenmuseum-faltblatt.pdf"
SWIFTS, WATER = "counting-swifts-article.pdf", "tap-water-infographic.png"


class Question(NamedTuple):
    """A question; `kind` says what the evidence is, `marks` where it stands. No document means no answer exists."""

    question: str
    answer: str | None
    document: str | None
    kind: str
    marks: tuple[str, ...] = ()


def _unanswerable(question: str) -> Question:
    return Question(question, None, None, "unanswerable")


QUESTIONS = [
    # The annual report: two columns, charts, a table over two pages, statements.
    Question(
        "How much did the ferry cooperative's operating surplus come to in 2024?",
        "1,082 thousand dollars", REPORT, "table", ("table3",),
    ),
    Question("How much cash did the ferries have at the end of 2023?", "3,364 thousand dollars",
             REPORT, "table", ("table4",)),
    Question("How many people used the Harbour Loop in 2024?", "968 thousand", REPORT, "chart", ("figure1",)),
    Question(
        "In which month of 2024 were the ferries least punctual, and how bad was it?",
        "November, with 74 per cent on time", REPORT, "chart", ("figure2",),
    ),
    Question("How much diesel did the ferry fleet burn in 2021?", "3,020 thousand litres", REPORT, "chart",
             ("figure3",)),
    Question("Since when can you get on at Merrow without steps?", "2023", REPORT, "table", ("table2b",)),
    Question("How many seats are there at the Mint Wharf landing stage?", "44", REPORT, "table", ("table2a",)),
    Question(
        "What delay still counts as an on-time ferry departure?",
        "Up to five minutes after the published minute", REPORT, "text", ("ontime-rule",),
    ),
    Question(
        "Which ferry stops can wheelchair users not reach yet?",
        "Observatory, Lantern Point and Cold Harbour", REPORT, "text", ("stages-left",),
    ),
    Question(
        "What interest do holders of the Harbour Bond get?", "1.5 per cent a year", REPORT, "text", ("note-bond",)
    ),
    Question(
        "Why did fewer people travel to Gull Island?",
        "The abbey was closed for roof repairs from April to July", REPORT, "text", ("gull",),
    ),
    Question(
        "How many replacement buses can the ferries call up at short notice?",
        "Twelve vehicles at four hours’ notice", REPORT, "text", ("chair-storm",),
    ),
    Question("How long will the Fish Market stage be shut?", "Eleven weeks", REPORT, "text", ("repairs",)),
    Question(
        "For how many months of 2023 are there Night Line figures?", "Five months", REPORT, "footnote", ("night-note",)
    ),
    # The scanned letter: pixels only.
    Question("How many people may stand on the footbridge at once?", "No more than 40", LETTER, "scan", ("limit",)),
    Question(
        "What thickness was left of cross-beam 3 of the footbridge?", "5.2 mm", LETTER, "scan", ("members",)
    ),
    Question("What would the bridge repairs cost in total?", "4,850 pounds", LETTER, "scan", ("estimate",)),
    Question("When did the county receive the engineers' letter?", "19 March 1987", LETTER, "scan", ("stamp",)),
    # The manual: a page on its side, a page with a crop box, steps, a warning.
    Question("Which Modbus register holds the supply voltage?", "40006", MANUAL, "layout", ("registers",)),
    Question("What is the default slave address of the tide gauge?", "17", MANUAL, "layout", ("registers",)),
    Question("How wide is the sensor housing of the TG-40?", "118 mm", MANUAL, "layout", ("figure3",)),
    Question("How heavy is the gauge with its bracket?", "4.3 kg", MANUAL, "layout", ("weight",)),
    Question("How tight should the bracket bolts be?", "35 Nm", MANUAL, "list", ("step-bracket",)),
    Question(
        "How thick must the earth wire of the tide gauge be?",
        "At least 16 square millimetres of copper", MANUAL, "text", ("warning-lightning",),
    ),
    Question(
        "The lamp blinks red five times. What should I do?",
        "Change the desiccant within 30 days", MANUAL, "table", ("faults",),
    ),
    Question("What colour is the wire for RS-485 A?", "Yellow", MANUAL, "figure", ("figure2",)),
    Question(
        "How do I put the gauge back to factory settings?",
        "Hold a magnet against the dot on the housing for 12 seconds", MANUAL, "text", ("reset",),
    ),
    # The slides.
    Question("What share of night bus riders were commuting?", "58 %", SLIDES, "figure", ("big-number",)),
    Question("How many passengers a night did line N3 carry in March?", "421", SLIDES, "chart", ("ridership",)),
    Question("What does a requested stop need to pass the count?", "20 requests within 90 days",
             SLIDES, "figure", ("process",)),
    Question("How much more than planned was spent on guards for the night buses?",
             "83 instead of 58 thousand dollars",
             SLIDES, "table", ("cost",)),
    Question(
        "What is to become of line N2?", "It is to be replaced by a shared taxi on request", SLIDES, "list",
             ("ask-n2",)
    ),
    # The poster.
    Question("How many litres a day go down the toilet, per person?", "38 litres", WATER, "chart", ("shares",)),
    Question("How old are the oldest water mains in Lindmark?", "From 1889", WATER, "figure", ("stop-3",)),
    Question("How much water does a dripping tap waste?", "19 litres a day", WATER, "text", ("tip-0",)),
    # The leaflet, in German and in English.
    Question("Was kostet die Familienkarte im Uhrenmuseum?", "21,00 €", MUSEUM, "table", ("prices",)),
    Question("Wie oft werden die Gewichte der Turmuhr aufgezogen?", "Jeden Montag und Donnerstag",
             MUSEUM, "text", ("barn",)),
    Question("Kann man mit dem Rollstuhl in den Dachstuhl?",
             "Nein, dorthin führt nur eine steile Treppe mit 34 Stufen",
             MUSEUM, "text", ("access",)),
    Question("How old is the oldest clock in the museum in Falkenrode?", "It is from 1611", MUSEUM, "text",
             ("oldest",)),
    Question("How far is it from the station to the clock museum on foot?", "850 Meter", MUSEUM, "figure", ("map",)),
    # The article.
    Question("How many evenings should one record to estimate a swift colony?", "Three", SWIFTS, "text",
             ("results-evenings",)),
    Question("How is the number of swift nests computed from calls and wind?", "N = a R (1 + b v²) + c",
             SWIFTS, "formula",
             ("formula",)),
    Question("How many nests were counted at the brewery in Ostley?", "35", SWIFTS, "table", ("sites",)),
    Question("Which colony lies furthest above the fitted line?", "H", SWIFTS, "chart", ("figure2",)),
    Question("What did the microphone set for recording swifts cost?", "$210", SWIFTS, "text", ("microphone",)),
    # No answer anywhere.
    _unanswerable("What will a single ferry fare cost in 2026?"),
    _unanswerable("Who is the captain of the Avocet?"),
    _unanswerable("How many bicycles did the ferries carry in 2024?"),
    _unanswerable("What is the price of a TG-40 tide gauge?"),
    _unanswerable("How long is the Mill Lane footbridge?"),
    _unanswerable("Wie viele Besucher hatte das Uhrenmuseum im letzten Jahr?"),
    _unanswerable("How many night bus drivers were hired for the trial?"),
    _unanswerable("How fast do swifts fly on migration to Africa?"),
]  # fmt: skip
