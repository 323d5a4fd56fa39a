"""The bench: what it prints about a collection that it indexes, searches and asks."""

import json
from pathlib import Path

import pytest

from plugins.research.bench import main, share_found
from tests.support import documents


def test_everything_is_measured_of_documents_that_it_indexes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pdfs").mkdir()
    documents.pdf(tmp_path / "pdfs" / "mill.pdf", ["The mill was built in 1887 by Anna Holm."])
    row = {"doc": "mill.pdf", "questions": [{"question": "When was the mill built?", "pages": [1]}]}
    (tmp_path / "dev.jsonl").write_text(json.dumps(row) + "\n")
    main(["--eval", str(tmp_path), "--home", str(tmp_path / "home"), "--runs", "1", "--workers", "1"])
    printed = capsys.readouterr().out
    for name in ("pages indexed a second", "peak memory", "search, median", "answer, median", "vouch ask", "--help"):
        assert name in printed
    assert "100.0%" in printed


@pytest.mark.parametrize(("scores", "share"), [([0.9, 0.8], 1.0), ([0.9, 0.5], 0.5), ([0.9, 0.79999], 1.0), ([], 0.0)])
def test_ties_at_the_end_count_as_found(scores: list[float], share: float) -> None:
    assert share_found(scores, [0.9, 0.8]) == share
