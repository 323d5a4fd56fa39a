"""Rules of quoting are switched off one by one, and every run has all others."""

from importlib import import_module
from pathlib import Path

import pytest

import evaluation
from plugins.research.quote_rules import AS_IT_IS, main


def test_the_benchmark_is_run_as_it_is_and_without_each_rule(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    method = import_module("rag.methods.quote.answerers")
    kept, runs = method.element_count, list[tuple[str, bool]]()

    def run(words: list[str]) -> int:
        runs.append((Path(words[-1]).name, method.element_count is kept))
        return 2 * (runs[-1][0] == "ratios")

    monkeypatch.setattr(evaluation, "main", run)
    given = ["--data", "dev.jsonl", "--documents", "pdfs", "--out", str(tmp_path)]
    assert main([*given, "--rule", "counts", "form"]) == 0
    assert runs == [(AS_IT_IS, True), ("counts", False), ("form", True)]
    assert main([*given, "--rule", "ratios", "counts"]) == 2
    assert runs[-1][0] == "ratios", "it ends where a run fails"
