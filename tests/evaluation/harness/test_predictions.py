"""Files of predictions: whole lines whatever happens, and no mixing of runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluation.errors import RunRefused
from evaluation.harness.predictions import Predictions


def write(path: Path, run: str, *qids: str, resume: bool = False) -> Predictions:
    with Predictions(path, run, resume=resume) as predictions:
        for qid in qids:
            predictions.add({"qid": qid, "answer": "ü"})
    return predictions


def qids(path: Path) -> list[str]:
    return [json.loads(line)["qid"] for line in path.read_text().splitlines()]


def test_the_same_run_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "p.jsonl"
    write(path, "r1", "a", "b")
    assert list(write(path, "r1", "c", resume=True).rows) == ["a", "b", "c"]
    assert qids(path) == ["a", "b", "c"]


def test_a_line_is_written_when_it_is_added(tmp_path: Path) -> None:
    with Predictions(tmp_path / "p.jsonl", "r1", resume=False) as predictions:
        predictions.add({"qid": "a"})
        assert qids(tmp_path / "p.jsonl") == ["a"]


@pytest.mark.parametrize("cut", [1, 10])
def test_a_last_line_that_was_cut_off_is_asked_again(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "p.jsonl"
    write(path, "r1", "a", "b")
    path.write_bytes(path.read_bytes()[:-cut])
    assert list(write(path, "r1", "b", resume=True).rows) == ["a", "b"]
    assert qids(path) == ["a", "b"]


def test_another_run_is_refused_and_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    write(path, "r1", "a")
    before = path.read_bytes()
    with pytest.raises(RunRefused, match=r"other settings \(run r1, this is r2\)"):
        Predictions(path, "r2", resume=True)
    with pytest.raises(RunRefused, match="--resume"):
        Predictions(path, "r1", resume=False)
    assert path.read_bytes() == before


@pytest.mark.parametrize("line", ["{oops", "[1]", '{"answer": "no qid"}', "7"])
def test_a_line_that_is_no_prediction_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "p.jsonl"
    write(path, "r1", "a")
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(RunRefused, match=r"p\.jsonl, line 2"):
        Predictions(path, "r1", resume=True)


def test_a_folder_in_the_place_of_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunRefused, match="--out"):
        Predictions(tmp_path, "r1", resume=True)
