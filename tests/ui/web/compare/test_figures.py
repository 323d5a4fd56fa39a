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
from ui.show import shown_citations
from ui.web.compare.figures import (
    Share,
    as_csv,
    figures,
    joint,
    overlap,
    shown_cell,
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


def test_the_table_has_a_row_a_stage_the_total_last_and_a_dash_where_there_is_no_answer() -> None:
    usage = Usage(prompt_tokens=1200, completion_tokens=34, images=2, calls=1)
    rows = table([figures(answer({"E1": TABLE}, usage=usage), {}), None])
    assert [label for label, _ in rows[:3]] == ["Seconds searching", "Seconds answering", "Seconds in all"]
    shown = {label: [shown_cell(cell) for cell in cells] for label, cells in rows}
    assert shown["Seconds searching"] == ["0.25", "\u2013"]
    assert shown["Tokens"] == ["1,234", "\u2013"]
    assert shown["Tables cited, of those found"] == ["0 of 1 (0%)", "\u2013"]
    assert shown["Sentences quoted, computed or confirmed"] == ["none", "\u2013"]


def test_elements_and_pages_in_common() -> None:
    one = answer({"E1": TABLE, "E2": FIGURE}, Sentence("A.", (cited("E1", TABLE),), "confirmed"))
    two = answer({"E1": FIGURE, "E2": piece("x")})
    found = overlap([one, two])
    assert found.elements == Share(1, 3)
    assert found.pages == Share(2, 2)
    assert [(u.page, u.found, u.cited) for u in found.uses] == [
        (1, (True, True), (True, False)),
        (2, (True, True), (False, False)),
    ]


def test_one_place_has_one_number_whoever_cites_it() -> None:
    columns = [
        [Sentence("A.", (cited("E1", TABLE),), "confirmed")],
        [Sentence("B.", (cited("E7", FIGURE), cited("E2", TABLE)), "confirmed")],
    ]
    whole, shared = joint(columns, "Why?")
    assert [whole.numbers(s) for column in shared for s in column] == [(1,), (2, 1)]
    assert [number for number, _ in shown_citations(whole)] == [1, 2]


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
