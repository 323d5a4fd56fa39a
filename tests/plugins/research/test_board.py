"""`vouch eval board`: which data is run, and ours beside published figures on one page."""

import json
from pathlib import Path

import pytest

from evaluation.cli import main
from plugins.research.board import BOARD, benchmarks_in
from tests.evaluation import data_sets


@pytest.mark.slow
@pytest.mark.gate
def test_what_is_there_is_run_and_stands_beside_published_rows(tmp_path: Path) -> None:
    """The question of BBox-DocVQA is asked twice; a second call asks nothing anew, and a limit of one is kept."""
    data, out = tmp_path / "data", tmp_path / "board"
    data_sets.citevqa(data / "CiteVQA")
    data_sets.bbox_docvqa(data / "BBox-DocVQA")
    data_sets.vidore_boxes(data / "vidore_v3_hr")
    words = ["board", str(data), "--out", str(out), "--home", str(tmp_path / "home"), "--limit", "1"]
    assert main(words) == 0
    said = (out / "board.md").read_text()
    assert "| Gemini-3.1-Pro-Preview | 66.0 | 83.6 | 86.1 | 76.0 |" in said
    recall = json.loads((out / "citevqa" / "summary.json").read_text())["figures"]["all"]["Rec"]["value"]
    assert f"| Vouch | {recall:.1f} | – | – | – |" in said, "the others need a judge"
    assert "| Vouch, page given | " in said
    assert "| Vouch, page not given | – | – | – |" in said
    assert "| ColQwen3-4B over the boxes of OCR, page given | 59.7 | 56.9 | – |" in said
    assert "## ViDoRe v3, boxes (arXiv 2601.08620): vidore\\_v3\\_hr" in said
    assert "| people, one against another | 60.2 | – |" in said
    assert "No data of: MMDocIR (arXiv 2501.08828)." in said
    assert "1 questions, 2 documents, mode multi, method quote" in said
    lines = (out / "citevqa" / "predictions.jsonl").read_text()
    assert main(words) == 0
    assert (out / "citevqa" / "predictions.jsonl").read_text() == lines
    assert "Not the same:" in (out / "board.html").read_text()


def test_a_data_set_is_known_by_its_folder_once(tmp_path: Path) -> None:
    several = [("vidore-boxes", "vidore_v3_energy"), ("vidore-boxes", "vidore_v3_hr")]
    for name in ("citevqa", "MMDocIR", "CiteVQA", *(name for _, name in several)):
        (tmp_path / name).mkdir()
    found = [(each.task, path.name) for each, path in benchmarks_in(tmp_path)]
    assert found == [("citevqa", "CiteVQA"), ("mmdocir", "MMDocIR"), *several]


def test_published_rows_have_a_value_for_each_figure() -> None:
    assert {len(values) - len(each.figures) for each in BOARD for _, values in each.published} == {0}


def test_a_folder_without_data_says_what_to_put_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["board", str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert "has none of the folders CiteVQA, BBox-DocVQA, MMDocIR, vidore_v3_*" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
