"""Fluency of a run: blank with the reason without package, model or answers, kept, and in summary and report."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation import cli as command
from evaluation.errors import RunRefused
from evaluation.harness import fluency
from evaluation.harness.fluency import Fluency
from evaluation.tasks.questions import GoldQuestion
from tests.evaluation import data_sets

SAID, GOLD = ["Nine sacks.", "At noon.", ""], ["Nine sacks a day.", "At noon.", "Forty."]
QUESTIONS = [GoldQuestion(str(n), "?", answer, ()) for n, answer in enumerate(GOLD)]
ROWS = {str(n): {"answer": answer} for n, answer in enumerate(SAID)}


def test_without_a_model_it_is_blank_and_says_why() -> None:
    found = fluency.fluency(SAID, GOLD, "")
    assert (found.value, found.n, found.reason) == (None, 2, "no feature model was given (--mauve)")


def test_without_the_package_it_is_blank_and_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fluency, "PACKAGES", {"no_mauve": "mauve", "json": "base", "no_torch": "visual"})
    found = fluency.fluency(SAID, GOLD, "gpt2-large")
    assert found.value is None
    assert found.reason == "no_mauve and no_torch not installed: pip install 'vouch[mauve,visual]'"


def test_what_was_measured_of_the_same_answers_is_not_measured_again(tmp_path: Path) -> None:
    blank = fluency.fluency(SAID, GOLD, "")
    known = replace(blank, value=0.5, model="m", reason="")
    assert fluency.fluency(SAID, GOLD, "", known) == known
    assert fluency.fluency(SAID, GOLD, "m", known) == known
    assert fluency.fluency(["Ten sacks.", *SAID[1:]], GOLD, "", known).value is None
    assert fluency.fluency(SAID, GOLD, "another", known) != known
    file = tmp_path / "fluency.json"
    assert fluency.of_run(ROWS, QUESTIONS, "", file).value is None
    assert not file.exists()
    file.write_text(json.dumps({"value": 0.5, "n": 2, "model": "m", "texts": blank.texts}))
    assert fluency.of_run(ROWS, QUESTIONS, "", file) == Fluency(0.5, 2, "m", blank.texts)
    file.write_text("[]")
    with pytest.raises(RunRefused, match="is not a record of fluency"):
        fluency.of_run(ROWS, QUESTIONS, "", file)


def test_the_summary_and_the_report_say_why_there_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = data_sets.mavis(tmp_path / "data")
    said = [{"qid": qid, "ranked_pages": [], "answer": "Nine.", "sentences": []} for qid in ("a1", "a2")]
    words = ["mavis", "--data", str(data), "--predictions", str(data_sets.lines(tmp_path / "said.jsonl", *said))]
    assert command.main([*words, "--out", str(tmp_path / "run"), "--home", str(tmp_path / "home")]) == 0
    assert "MAUVE of 2 answers: no feature model was given (--mauve)" in capsys.readouterr().err
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert (summary["fluency"]["value"], summary["fluency"]["n"]) == (None, 2)
    assert command.main(["report", str(tmp_path / "run"), "--out", str(tmp_path / "report")]) == 0
    report = (tmp_path / "report" / "report.md").read_text()
    assert "| run | – | – | 2 | no feature model was given (--mauve) |" in report
