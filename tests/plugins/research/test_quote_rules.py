"""Rules of quoting are switched off one by one, and every run has all others."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

import evaluation
from plugins.research.quote_rules import AS_IT_IS, RULES, main, switched_off


@pytest.mark.parametrize("name", RULES)
def test_a_rule_finds_nothing_while_it_is_off(name: str) -> None:
    places = [(import_module(f"rag.methods.quote.{module}"), attribute) for module, attribute, _ in RULES[name]]
    before = [getattr(module, attribute) for module, attribute in places]
    with switched_off(name):
        assert all(
            getattr(module, attribute) is not old for (module, attribute), old in zip(places, before, strict=True)
        )
    assert [getattr(module, attribute) for module, attribute in places] == before


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
