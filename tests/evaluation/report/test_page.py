"""Reports and comparisons of made-up runs: what stands in them, escaped, with and without matplotlib."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evaluation.errors import RunRefused
from evaluation.harness import OWN_WORDS
from evaluation.harness.results import Figure, read_runs, write_summary
from evaluation.report.compare import compare
from evaluation.report.page import _friedman, write_report
from evaluation.report.parts import MISSING, curve_of

NASTY = "<script>alert(1)</script> | a *b* [c](d)"


def run(
    folder: Path, recalls: Sequence[float], *, top_k: int = 8, task: str = "mmdocir", judges: Sequence[str] = ()
) -> Path:
    """A run folder as the harness writes it, a question a recall, two questions a document."""
    folder.mkdir(parents=True)
    settings = {"rag": {"method": "quote", "localizer": "element", "queries": 4, "top_k": top_k}, "indexing": {}}
    about: dict[str, Any] = {
        "task": task,
        "mode": "text",
        "profile": "default",
        "questions": len(recalls),
        "failed": 0,
        "judges": list(judges),
        "settings_hash": "0123456789ab",
        "settings": settings,
        "date": "2026-01-01T00:00:00",
        "left_out": {"questions": 1, "reasons": ["line 3: is not JSON"]},
        "macro": {"R@1": 40.0},
        "indexed_in": "",
    }
    write_summary(folder / "summary.json", about, {"all": {"ms median": Figure(12.0, None, 1)}})
    lines, answers = [], []
    for number, recall in enumerate(recalls):
        gold = {
            "answer": "nine",
            "documents": [f"d{number // 2}"],
            "boxes": [{"page": 1, "bbox": [0, 0, 1, 1], "doc": 1}],
        }
        figures = {"R@1": recall, "Rec": recall, "SAA*": None, "ms": 10.0 + number}
        groups = {"domain": [f"D{number % 2}"], "modality": ["Table"]}
        lines.append({"qid": f"q{number}", "question": NASTY, "groups": groups, "gold": gold, "figures": figures})
        answers.append({"qid": f"q{number}", "answer": "seven", "citations": [], "sentences": []})
    for name, rows in (("scores.jsonl", lines), ("predictions.jsonl", answers)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def test_a_report_has_tables_intervals_tests_and_failures(tmp_path: Path) -> None:
    run(tmp_path / "runs" / "a", [0, 0, 1, 0], top_k=2)
    run(tmp_path / "runs" / "b", [1, 1, 1, 0])
    write_report([tmp_path / "runs"], tmp_path / "out", "Ours", 2, None)
    text = (tmp_path / "out" / "report.md").read_text()
    assert text.startswith("# Ours\n")
    assert "| a | 25.0 \\[0.0, 50.0\\] |" in text  # two documents: means of 0, 25, 50 by drawing whole ones
    assert "| b − a | R@1 | +50.0" in text
    assert "Macro average over domain" in text
    assert "a, by domain" in text
    assert "line 3: is not JSON" in text
    assert "3 of 4 questions have less than 100 in Rec; here are 2" in text
    assert "No pages are shown: the predictions are another system's." in text


def test_what_a_judge_was_asked_in_our_words_is_said_where_its_figures_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "not comparable" in OWN_WORDS
    blank, judged = run(tmp_path / "blank", [0.0, 1.0]), run(tmp_path / "judged", [1.0, 1.0], judges=["fair"])
    for folder in (blank, judged):
        write_report([folder], tmp_path / "out", "", 0, None)
        assert (OWN_WORDS in (tmp_path / "out" / "report.md").read_text()) == (folder == judged)
    capsys.readouterr()
    compare(blank, judged, None, 1)
    assert OWN_WORDS in capsys.readouterr().out
    compare(blank, blank, None, 1)
    assert OWN_WORDS not in capsys.readouterr().out


def test_nothing_of_a_document_becomes_markup(tmp_path: Path) -> None:
    run(tmp_path / "a", [0.0, 1.0])
    write_report([tmp_path / "a"], tmp_path / "out", NASTY, 5, None)
    html_, markdown_ = ((tmp_path / "out" / f"report.{end}").read_text() for end in ("html", "md"))
    assert "<script" not in html_
    assert "<script" not in markdown_
    assert "\\[c\\](d)" in markdown_


def test_without_matplotlib_there_are_tables_and_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    run(tmp_path / "a", [0.0, 1.0])
    write_report([tmp_path / "a"], tmp_path / "out", "", 0, None)
    assert MISSING in capsys.readouterr().err
    text = (tmp_path / "out" / "report.md").read_text()
    assert "matplotlib is not installed" in text
    assert "| a |" in text
    assert not (tmp_path / "out" / "plots").exists()


def test_the_curve_of_right_answers_by_the_evidence_they_cite(tmp_path: Path) -> None:
    """CiteVQA (arXiv 2605.12882), figure 6: Ans is (0 + 50) / 2 where Rec is 0, and one of Rec 100 has none."""
    folder = run(tmp_path / "a", [0.0, 0.0, 0.4, 1.0, 1.0], task="citevqa")
    rows = [json.loads(line) for line in (folder / "scores.jsonl").read_text().splitlines()]
    for row, answer in zip(rows, (0.0, 0.5, 1.0, 0.8, None), strict=True):
        row["figures"]["Ans"] = answer
    (folder / "scores.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (found,) = read_runs([folder])
    assert [(p.name, p.at, p.mean, p.n) for p in curve_of(found, "Ans", "Rec")] == [
        ("0", 0, 25, 2), ("over 25 to 50", 40, 100, 1), ("over 75 to 100", 100, 80, 1),
    ]  # fmt: skip
    write_report([folder], tmp_path / "out", "", 0, None)
    assert "**Ans by Rec**" in (tmp_path / "out" / "report.md").read_text()
    assert "Rec, percent" in (tmp_path / "out" / "plots" / "citevqa-curve.svg").read_text()
    write_report([run(tmp_path / "blank", [1.0], task="citevqa")], tmp_path / "out2", "", 0, None)
    assert "**Ans by Rec**" not in (tmp_path / "out2" / "report.md").read_text()


def test_comparing_lists_what_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = run(tmp_path / "a", [0, 0, 1, 0.5]), run(tmp_path / "b", [1, 0, 0, 0.5])
    compare(a, b, None, 5)
    said = capsys.readouterr().out
    assert "R@1: 1 better, 1 worse, 2 the same" in said
    assert "better: q0  0 -> 100" in said
    assert "worse: q2  100 -> 0" in said
    with pytest.raises(RunRefused, match=r"no figure 'F9' \(there are: R@1, Rec, SAA\*\)"):
        compare(a, b, "F9", 5)


def test_runs_that_are_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RunRefused, match="it contains no run"):
        read_runs([tmp_path])
    damaged = run(tmp_path / "a", [1.0])
    (damaged / "scores.jsonl").write_text("{}\n")
    with pytest.raises(RunRefused, match="cannot be read as a run"):
        read_runs([damaged])
    with pytest.raises(RunRefused, match="no questions in common"):
        compare(run(tmp_path / "b", [1.0]), run(tmp_path / "c", [1.0], task="questions"), None, 1)


def test_three_runs_have_a_friedman_test_over_their_common_questions() -> None:
    """Ranks 1 2 3 and 1 2 3: 12 / 24 * (4 + 16 + 36) - 24 = 4, p exp(-2); the third question is of two runs alone."""
    figures = ({"a": 0.1, "b": 0.2, "c": 1}, {"a": 0.2, "b": 0.3, "c": 1}, {"a": 0.3, "b": 0.4})
    task = SimpleNamespace(TABLE=("F1",))
    runs = [SimpleNamespace(task=task, values=lambda _name, of=of: of) for of in figures]
    assert _friedman(runs).rows == (("F1", "4.00", "0.135", "2"),)  # type: ignore[arg-type]
