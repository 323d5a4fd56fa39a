"""Questions about tables, read from a file of our own."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from evaluation.errors import GoldUnreadable
from evaluation.table_questions import element_of, read
from tests.rag.calculation.tables import BOATS

LINE = {"source": "wtq", "group": "boats", "question": "How many boats?", "answers": [" 5 "], "rows": BOATS}


def written(path: Path, *lines: object) -> Path:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    return path


def test_questions_come_with_their_table_and_those_about_texts_are_left_out(tmp_path: Path) -> None:
    text = LINE | {"rows": None, "context": "Five boats."}
    found = read(written(tmp_path / "qa.jsonl.gz", LINE, text, LINE | {"source": "qamr"}))
    assert [(q.text, q.answers) for q in found] == [("How many boats?", ("5",))]
    assert found[0].table.text.startswith("Boat | Yard | Built")


def test_a_group_is_on_one_side_whatever_else_is_in_the_file(tmp_path: Path) -> None:
    lines = [LINE | {"group": f"g{n}", "question": f"Question {m}?"} for n in range(60) for m in range(2)]
    found = read(written(tmp_path / "qa.jsonl.gz", *lines))
    sides = {q.group: q.held_out for q in found}
    assert all(q.held_out == sides[q.group] for q in found)
    assert 8 < sum(sides.values()) < 32


def test_a_table_is_serialised_as_parsing_does_it() -> None:
    element = element_of((("", "2021"), ("Fares", "7"), ("", "")))
    assert element.text == "2021\nFares | 7\n"
    assert [(c.row, c.col, element.text[c.start : c.end], c.header) for c in element.cells] == [
        (0, 1, "2021", True),
        (1, 0, "Fares", False),
        (1, 1, "7", False),
    ]


def test_a_file_that_is_missing_or_no_question_is_named(tmp_path: Path) -> None:
    with pytest.raises(GoldUnreadable, match="no such file"):
        read(tmp_path / "none.gz")
    with pytest.raises(GoldUnreadable, match="line 2"):
        read(written(tmp_path / "qa.jsonl.gz", LINE, {"rows": BOATS, "source": "wtq"}))
