"""Write the sample collection: every document, and questions.yaml with the boxes that answer each question.

    python -m samples.make [folder]

The folder is samples/ itself unless another is named. Nothing is random: the same code writes the same bytes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import yaml  # type: ignore[import-untyped]

if __package__ in (None, ""):  # started as a file: python samples/make.py
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from samples.article import swift_article
from samples.book import Book
from samples.infographic import water_poster
from samples.leaflet import clock_museum_leaflet
from samples.manual import tide_gauge_manual
from samples.questions import QUESTIONS, Question
from samples.report import annual_report
from samples.scans import inspection_letter
from samples.sheet import Mark
from samples.slides import night_bus_slides

HERE = Path(__file__).resolve().parent
HEADER = """\
# Questions on samples/documents/, written by `python -m samples.make`: edit samples/questions.py instead.
# Pages count from 1. A bbox is x0, y0, x1, y1 in fractions of the displayed page (after crop box and rotation),
# origin top left. Questions with `answer: null` have no answer anywhere in the collection.
"""


class Sample(NamedTuple):
    """A document of the collection: its setter and its metadata (date as YYYYMMDD)."""

    build: Callable[[], Book]
    title: str
    author: str
    date: str


SAMPLES = {
    "sallow-bay-annual-report.pdf": Sample(
        annual_report, "Annual Report 2024", "Sallow Bay Ferry Cooperative", "20250317"
    ),
    "mill-lane-inspection-1987.pdf": Sample(inspection_letter, "", "", "20190604"),
    "tg40-tide-gauge-manual.pdf": Sample(
        tide_gauge_manual, "TG-40 Radar Tide Gauge: Manual", "Kittiwake Instruments", "20230510"
    ),
    "night-bus-trial-slides.pdf": Sample(
        night_bus_slides, "Six months of night buses", "Brackenfield Transport", "20240514"
    ),
    "uhrenmuseum-faltblatt.pdf": Sample(
        clock_museum_leaflet, "Uhrenmuseum Falkenrode: Faltblatt Sommer 2025", "Uhrenmuseum Falkenrode", "20250401"
    ),
    "counting-swifts-article.pdf": Sample(
        swift_article, "Counting Swifts by Ear", "H. Solberg, M. Quill, J. Abara", "20230301"
    ),
    "tap-water-infographic.png": Sample(water_poster, "One day of tap water", "Lindmark Water", "20240322"),
}  # fmt: skip


def make(folder: Path) -> None:
    """Write `folder`/documents/ and `folder`/questions.yaml."""
    documents = folder / "documents"
    documents.mkdir(parents=True, exist_ok=True)
    marks: dict[str, dict[str, list[Mark]]] = {}
    for name, sample in SAMPLES.items():
        book = sample.build()
        marks[name] = book.marks
        if name.endswith(".png"):
            book.pdf[0].get_pixmap(dpi=144).save(documents / name)
        else:
            book.save(documents / name, sample.title, sample.author, sample.date)
    entries = [_entry(question, marks) for question in QUESTIONS]
    text = yaml.safe_dump(entries, sort_keys=False, allow_unicode=True, width=110, default_flow_style=None)
    (folder / "questions.yaml").write_text(HEADER + text, "utf-8")


def _entry(question: Question, marks: dict[str, dict[str, list[Mark]]]) -> dict[str, object]:
    """One question as it stands in the file; a mark that its document lacks is a KeyError."""
    found = [mark for name in question.marks for mark in marks[question.document or ""][name]]
    return {
        "question": question.question,
        "answer": question.answer,
        "document": question.document,
        "kind": question.kind,
        "boxes": [{"page": m.page, "bbox": [round(v, 4) for v in m.rect]} for m in found],
    }


def main(arguments: Sequence[str]) -> None:
    """Make the samples in the folder named, or beside this file."""
    folder = Path(arguments[0]) if arguments else HERE
    make(folder)
    sys.stdout.write(f"{len(SAMPLES)} documents and {len(QUESTIONS)} questions in {folder}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
