"""Several answers side by side: figures, what they share, one numbering, and a table that no spreadsheet runs."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

from indexing import BBox
from indexing.types import Element, Kind
from rag import Answer, Citation, Evidence, Sentence
from rag.usage import Usage
from tests.ui.stand_ins import HOSTILE
from ui.web.compare.figures import (
    Share,
    as_csv,
    figures,
    table,
)

BOX = BBox(0.1, 0.2, 0.5, 0.3)


def piece(name: str, kind: Kind = "text", page: int = 1, parts: tuple[str, ...] = ()) -> Element:
    return Element(name, "doc", page, kind, name, BOX, "layer", parts=parts)


def cited(label: str, element: Element) -> Citation:
    return Citation.of(Evidence(label, element, "a.pdf", 1.0), "q", (BOX,))


def answer(evidence: dict[str, Element], *sentences: Sentence, usage: Usage | None = None) -> Answer:
    found = tuple(Evidence(label, e, "a.pdf", 1.0) for label, e in evidence.items())
    times = {"retrieve": 0.25, "answer": 0.5, "total": 0.75}
    return Answer("Why?", "text", sentences, found, 0.9, times, "hash", usage=usage or Usage())


TABLE, FIGURE, WORDS = piece("t", "table"), piece("f", "picture", 2), piece("w", page=3)


def test_utilization_is_what_was_retrieved_and_cited_by_modality() -> None:
    proven = Sentence("A.", (cited("E1", TABLE), cited("E3", WORDS)), "confirmed")
    unproven = Sentence("B.", (replace(cited("E4", WORDS), role="contradicts"),), "contradicted")
    found = figures(
        answer({"E1": TABLE, "E2": FIGURE, "E3": WORDS, "E4": piece("v")}, proven, unproven), {"f": "picture"}
    )
    assert found.used == {"text": Share(1, 2), "table": Share(1, 1), "figure": Share(0, 1)}
    assert found.proven == Share(1, 2)


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def test_the_file_has_numbers_that_a_spreadsheet_can_add() -> None:
    usage = Usage(prompt_tokens=1200, completion_tokens=34, images=2, calls=1)
    tables = {"E1": TABLE, "E2": piece("u", "table"), "E3": piece("v", "table")}
    answers = [answer(tables, Sentence("A.", (cited("E1", TABLE),), "confirmed"), usage=usage), answer(tables), None]
    rows = rows_of(as_csv("Why?", ["A", "B", "C"], answers, table([figures(a, {}) if a else None for a in answers])))
    found = {label: cells for label, *cells in rows}
    assert found["Seconds searching"] == ["0.25", "0.25", ""]
    assert found["Tokens"] == ["1234", "0", ""]
    assert found["Tables cited, of those found"] == ["0.3333", "0.0", ""]
    assert found["Sentences quoted, computed or confirmed"] == ["1.0", "", ""]


def test_a_hostile_question_stays_one_cell() -> None:
    made = answer({}, Sentence(f"={HOSTILE}", (), "unconfirmed"))
    rows = rows_of(as_csv(f"{HOSTILE}\n=1", [f"-{HOSTILE}"], [made], ()))
    assert [len(row) for row in rows] == [2, 2]
    assert rows[0][1].startswith("'-")
    assert rows[1][1].startswith("'=")
