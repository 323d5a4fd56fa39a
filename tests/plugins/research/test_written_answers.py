"""`vouch eval written`: answers are read, checked claim by claim, and held against judges."""

from __future__ import annotations

import json
from pathlib import Path

from evaluation.tasks import GoldQuestion
from plugins.research.written_answers import WrittenAnswer, claims_in, proven, read_answers, table

LINE = {
    "qid": "q1",
    "doc": "a.pdf",
    "model": "m",
    "response": "It fell.",
    "judge": {"Factuality": 4, "Fluency": "high"},
}


def row(*verdicts: str) -> dict[str, object]:
    return {"sentences": [{"text": "A.", "verdict": v, "citations": []} for v in verdicts], "citations": []}


def test_answers_are_read_and_bad_lines_are_named(tmp_path: Path) -> None:
    file = tmp_path / "written.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in (LINE, {"qid": "q2"}, {**LINE, "qid": "q3", "judge": None})))
    answers, problems = read_answers(file)
    assert [(a.key, dict(a.judged)) for a in answers] == [("q1 m", {"Factuality": 4.0}), ("q3 m", {})]
    assert len(problems) == 1
    assert "line 2" in problems[0]


def test_remarks_are_no_claims_and_confirmed_ones_count() -> None:
    mixed = row("remark", "confirmed", "unconfirmed", "contradicted", "unconfirmed")
    assert claims_in(mixed) == ["confirmed", "unconfirmed", "contradicted", "unconfirmed"]
    assert proven(mixed) == 1 / 4
    assert proven(row("remark")) == 0.0


def test_the_table_counts_claims_and_compares_with_judges() -> None:
    question = GoldQuestion("q1", "Which?", "4", ("d",), frozenset({1}))
    true, false = (WrittenAnswer("q1", name, "", {"Factuality": score}) for name, score in (("a", 5.0), ("b", 1.0)))
    rows = ({**row("confirmed", "remark"), "proven_where_led": 1 / 3}, {**row("unconfirmed"), "proven_where_led": None})
    found = table([(true, question, rows[0]), (false, question, rows[1])])
    assert (found["claims"], found["remarks"], found["confirmed"], found["unconfirmed"]) == ("2", "1", "50.0", "50.0")
    assert found["AUROC, true from 3"] == "1.000"
    assert found["AUROC where the question leads, true from 3"] == "0.000"
