"""The benchmark of scoring scores what it makes, and says what it took."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluation.benches import scoring as bench_scoring


@pytest.mark.slow
def test_what_is_made_up_is_scored_whole(tmp_path: Path) -> None:
    seconds, busy, megabytes = bench_scoring.measured(tmp_path, *bench_scoring.write_data(tmp_path, 200))
    assert seconds > 0
    assert busy > 0
    assert megabytes > 10
    figures = json.loads((tmp_path / "run" / "summary.json").read_text())["figures"]["all"]
    assert figures["Rec"]["n"] == 200
    assert 0 < figures["Rec"]["value"] < 50
    assert len((tmp_path / "run" / "scores.jsonl").read_text().splitlines()) == 200
