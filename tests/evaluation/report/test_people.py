"""The agreement of a judge with people: by hand, over several people, and what is told where nothing can be said."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from evaluation import cli as command
from evaluation.errors import GoldUnreadable
from evaluation.report.people import read_people

JUDGEMENTS = {"q1": (0, 0.5), "q2": (1, 1), "q3": (0.5,)}
"""The judge's scores of the sentences of three answers."""


def run(folder: Path, judge: str = "fair", figure: str = "Completeness") -> Path:
    """A run of three questions, each with a figure of its own, judged by `judge`."""
    folder.mkdir(parents=True)
    (folder / "summary.json").write_text(json.dumps({"task": "mcitebench", "judges": [judge]}))
    rows = [
        {
            "qid": qid,
            "question": "Why?",
            "groups": {},
            "gold": {"documents": [qid]},
            "figures": {figure: share, "ms": 1.0},
        }
        for qid, share in (("q1", 0.25), ("q2", 1.0), ("q3", None))
    ]
    (folder / "scores.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with (folder / "judgements.jsonl").open("w") as file:
        for qid, scores in JUDGEMENTS.items():
            for n, score in enumerate(scores):
                line = {"qid": qid, "key": f"relevance:{n}", "score": score, "reason": "", "judge": judge}
                file.write(json.dumps(line | {"prompt": "mavis_sentence", "version": "1"}) + "\n")
        acc = {"qid": "q1", "key": "Acc", "score": 1, "reason": "", "judge": judge}
        file.write(json.dumps(acc | {"prompt": "mcite_locating", "version": "1"}) + "\n")
    return folder


def people(path: Path, *rows: Sequence[object], head: str = "question_id,measure,score") -> Path:
    path.write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def told(folder: Path, scores: Path, *more: str) -> dict[str, Any]:
    out = scores.with_suffix(".told")
    assert command.main(["agreement", str(folder), "--people", str(scores), "--out", str(out), *more]) == 0
    found: dict[str, Any] = json.loads(out.read_text())
    return found


def test_agreement_by_hand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Judge 0, 0.5, 1, 1; a person 0, 0.5, 0.5, 1. Means 0.625 and 0.5; sum of products 0.5, of squares 0.6875 and 0.5.

    Three of four are alike; by chance (1 x 1 + 1 x 2 + 2 x 1) / 16 = 5/16, so kappa is (12/16 - 5/16) / (11/16).
    """
    scores = people(
        tmp_path / "people.csv",
        *(("q1", "relevance:0", 0), ("q1", "relevance:1", 0.5), ("q2", "relevance:0", 0.5), ("q2", "relevance:1", 1)),
    )
    found = told(run(tmp_path / "run"), scores)["relevance"]
    assert found["pearson"] == pytest.approx(0.5 / math.sqrt(0.6875 * 0.5))
    assert (found["cases"], found["people"], found["accuracy"]) == (4, 1, 0.75)
    assert found["kappa"] == pytest.approx(7 / 11)
    assert found["spearman"] == pytest.approx(3.75 / 4.5)  # ranks 1, 2, 3.5, 3.5 and 1, 2.5, 2.5, 4
    assert found["among_people"] is None
    low, high = found["interval"]
    assert -1 <= low <= high <= 1
    said = capsys.readouterr()
    assert "0.85" in said.out
    assert "relevance: no person scored 1 of 3 questions: q3" in said.err


def test_two_people_have_a_chi_square(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ann and Bob both say 0, 1, 1 and 0: each pair is expected once, so chi-square is 4 and p 0.0455."""
    cases = [("q1", "relevance:0", 0), ("q1", "relevance:1", 1), ("q2", "relevance:0", 1), ("q2", "relevance:1", 0)]
    labels = [(*case, person) for case in cases for person in ("Ann", "Bob")]
    head = "question_id,measure,score,person"
    found = told(run(tmp_path / "run"), people(tmp_path / "l.csv", *labels, head=head))["relevance"]
    assert found["chi_square"] == pytest.approx([4, 0.0455], abs=1e-4)
    assert "chi-square of two people" in capsys.readouterr().out
    third = people(tmp_path / "m.csv", *labels, (*cases[0], "Cleo"), head=head)
    assert told(tmp_path / "run", third)["relevance"]["chi_square"] is None


def test_what_lacks_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [("q1", "relevance:0", 1), ("q9", "relevance:0", 1), ("q3", "Completeness", 1), ("q1", "relevance:0", 7)]
    scores = people(tmp_path / "p.csv", *rows, ("q2", "relevance:0", "fine"), ("q2", "relevance:0", "nan"))
    told(run(tmp_path / "run"), scores)
    said = capsys.readouterr().err
    assert (
        "2 scores of people belong to nothing in the run: q9 relevance:0 (no such question), "
        "q3 Completeness (the run has no score of it)" in said
    )
    assert "p.csv, line 5: its score '7' is not from 0 to 1" in said
    assert "p.csv, line 6: its score 'fine' is neither a number nor yes or no" in said
    assert "p.csv, line 7: its score 'nan' is neither a number nor yes or no" in said


def test_what_cannot_be_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, scores = run(tmp_path / "run"), people(tmp_path / "p.csv", ("q1", "relevance:0", 1))
    cases: list[tuple[list[str], str]] = [
        (
            [str(folder), "--people", str(scores), "--judge", "strict"],
            "'strict' judged nothing in it (there are: fair)",
        ),
        ([str(tmp_path / "none"), "--people", str(scores)], "it contains no run"),
        (
            [str(folder), "--people", str(people(tmp_path / "n.csv", ("q1", "x", 1)))],
            "are Acc, relevance:…, Completeness",
        ),
        ([str(folder), "--people", str(people(tmp_path / "e.csv"))], "contains no score of a person"),
    ]
    for words, named in cases:
        assert command.main(["agreement", *words]) == 2
        assert named in capsys.readouterr().err


@pytest.mark.parametrize("text", ["\x00", "=1+1", "[bold]", '"', "[" * 5000, "9" * 5000, "a" * 200_000])
def test_hostile_files_are_refused_or_read(tmp_path: Path, text: str) -> None:
    for name in ("p.csv", "p.jsonl"):
        path = tmp_path / name
        path.write_text(f"question_id,measure,score\n{text},{text},{text}\n", encoding="utf-8", errors="replace")
        with pytest.raises(GoldUnreadable):
            read_people(path)
