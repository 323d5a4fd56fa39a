"""Our search beside numpy over everything, through the collection: on few pages, both find the same."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from evaluation.benches.search import cells, run_numpy, run_ours, setting_of
from indexing.embed.minilm import MiniLM
from tests.support import fakes

TWO = {
    "mill.pdf": [["The mill was built in 1887 by Anna Holm.", "It grinds rye."], ["The ferry leaves at ten."]],
    "bus.pdf": [["The night bus costs two crowns.", "It leaves from the square."]],
}


def test_ours_finds_what_numpy_finds_and_keeps_nothing_of_another_run(tmp_path: Path) -> None:
    made = fakes.collection(tmp_path, MiniLM(threads=1))
    fakes.index(made, TWO)
    gold = tmp_path / "gold.jsonl"
    asked = [{"question": "When was the mill built?", "pages": [1]}, {"question": "When does it leave?", "pages": [2]}]
    gold.write_text(json.dumps({"doc": "mill.pdf", "questions": asked}) + "\n")
    options = argparse.Namespace(gold=gold, limit_questions=None)
    setting = setting_of(made, [Path(name) for name in TWO], options)
    assert len(setting.exact.rows) == made.stats()["elements"] == 5
    exact, scores = run_numpy(setting)
    assert exact.gold == [True, True]
    for candidates in (None, (40, 40, 40)):
        ours = run_ours(setting, scores, candidates)
        assert ours.elements == ours.pages == [1.0, 1.0]
        assert ours.gold == [True, True]
    assert cells(ours)[0] == "2"
