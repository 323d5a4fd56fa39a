"""The bench of ratios: each question is put to its table as the statement of a report."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

import pytest

from evaluation.benches.tables.ratios import answered, main
from evaluation.table_questions import TableQuestion
from indexing import Document
from tests.rag.calculation.ratios.statements import INCOME
from tests.rag.calculation.tables import table

DOCUMENT = Document("d", "report.pdf", "", 2, "")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What was the gross margin in 2021?", "40.00%"),
        ("What was the revenue in 2020?", "6,400"),
        ("What was the revenue of Asia in 2020?", None),
        ("Who sails?", None),
    ],
)
def test_a_question_to_one_table(question: str, said: str | None) -> None:
    assert answered(TableQuestion(question, "tatqa", "g", (), table(INCOME)), DOCUMENT) == said


def test_what_is_right_is_counted_and_what_is_not_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [list(row) for row in INCOME]
    asked = [("What was the gross margin in 2021?", "40.00%"), ("What was the revenue in 2020?", "5"), ("Who?", "Ada")]
    lines = [
        {"source": source, "group": "g", "question": question, "answers": [answer], "rows": rows}
        for question, answer in asked
        for source in ("tatqa", "wtq")
    ]
    path = tmp_path / "qa.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode()))
    monkeypatch.setattr(sys, "argv", ["ratios", "--questions", str(path), "--show"])
    main()
    printed = capsys.readouterr().out
    assert [cell.strip() for cell in printed.split("│")[1:5]] == ["3", "2", "1", "50.0%"]
    assert "'What was the revenue in 2020?' gold ('5',), said 6,400" in printed
