"""Fluency of a run: blank with the reason without package, model or answers, kept, and in summary and report."""

from __future__ import annotations

import doctest
import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from evaluation import cli as command
from evaluation.errors import RunRefused
from evaluation.harness import fluency
from evaluation.harness.fluency import Fluency
from evaluation.tasks.questions import GoldQuestion
from tests.evaluation import data_sets

LONG = "It grinds barley. " * 28  # 504 characters, of which 500 are too few
SAID, GOLD = ["Nine sacks [1].", "At noon.", "", "No."], [LONG, f"At noon. {LONG}", LONG, LONG[:500]]
QUESTIONS = [GoldQuestion(str(n), "What then?", answer, ()) for n, answer in enumerate(GOLD)]
ROWS = {str(n): {"answer": answer} for n, answer in enumerate(SAID)}
PAIRS = [(f"What then? {said}", f"What then? {gold.strip()}") for said, gold in zip(SAID, GOLD, strict=True)]


def test_texts_are_question_and_answer_of_questions_with_a_long_gold_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MAVIS (arXiv 2511.12142), section 4.2, and its code for MAUVE: Q and A, more than 500 characters, 512 tokens."""
    looked_at: list[tuple[str, str]] = []

    def noted(pairs: list[tuple[str, str]], model: str, _: object) -> Fluency:
        looked_at.extend(pairs)
        return Fluency(None, len(pairs), model, "")

    monkeypatch.setattr(fluency, "fluency", noted)
    assert fluency.of_run(ROWS, QUESTIONS, "m", tmp_path / "fluency.json").n == 2  # one is silent, one has 500
    assert looked_at == [("What then? Nine sacks.", f"What then? {LONG.strip()}"), PAIRS[1]]
    assert fluency.MOST_TOKENS == 512


def test_citations_line_breaks_and_bold_are_no_part_of_a_text() -> None:
    assert doctest.testmod(fluency).failed == 0
    assert fluency.fluency_text(" Why?\n", "**So** [12] . And\r\nso [1][2].") == "Why? So. And so."


def test_without_a_model_it_is_blank_and_says_why() -> None:
    found = fluency.fluency(PAIRS[:2], "")
    assert (found.value, found.n, found.reason) == (None, 2, "no feature model was given (--mauve)")


def test_without_the_package_it_is_blank_and_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fluency, "PACKAGES", {"no_mauve": "mauve", "json": "base", "no_torch": "visual"})
    found = fluency.fluency(PAIRS, "gpt2-large")
    assert found.value is None
    assert found.reason == "no_mauve and no_torch not installed: pip install 'vouch[mauve,visual]'"


def test_what_was_measured_of_the_same_answers_is_not_measured_again(tmp_path: Path) -> None:
    file = tmp_path / "fluency.json"
    blank = fluency.of_run(ROWS, QUESTIONS, "", file)
    assert blank.value is None
    assert not file.exists()
    known = replace(blank, value=0.5, model="m", reason="")
    file.write_text(json.dumps(asdict(known)))
    assert fluency.of_run(ROWS, QUESTIONS, "", file) == known
    assert fluency.of_run(ROWS, QUESTIONS, "m", file) == known
    assert fluency.of_run({**ROWS, "0": {"answer": "Ten sacks."}}, QUESTIONS, "", file).value is None
    assert fluency.of_run(ROWS, QUESTIONS, "another", file) != known
    file.write_text("[]")
    with pytest.raises(RunRefused, match="is not a record of fluency"):
        fluency.of_run(ROWS, QUESTIONS, "", file)


def test_the_summary_and_the_report_say_why_there_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = data_sets.mavis(tmp_path / "data")
    said = [{"qid": qid, "ranked_pages": [], "answer": "Nine.", "sentences": []} for qid in ("a1", "a2")]
    words = ["mavis", "--data", str(data), "--predictions", str(data_sets.lines(tmp_path / "said.jsonl", *said))]
    assert command.main([*words, "--out", str(tmp_path / "run"), "--home", str(tmp_path / "home")]) == 0
    assert "MAUVE of 0 answers: no feature model was given (--mauve)" in capsys.readouterr().err
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert (summary["fluency"]["value"], summary["fluency"]["n"]) == (None, 0)
    assert command.main(["report", str(tmp_path / "run"), "--out", str(tmp_path / "report")]) == 0
    report = (tmp_path / "report" / "report.md").read_text()
    assert "| run | – | – | 0 | no feature model was given (--mauve) |" in report
