"""The fit of the mark: the first quote of each judged question gives a row, and what separates them is found."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from indexing import Collection
from plugins.research.fit import marks
from rag.methods.quote import CITED_FEATURES

GOOD = ("How many departures were cancelled?", "What counts as on time?", "When did Storm Ottilie come?")
BAD = ("Who paints the boats?", "What does a seat cost in yen?", "Which whale was seen in Denmark?")
REPORT = "sallow-bay-annual-report.pdf"


def test_a_judged_file_becomes_coefficients(
    samples: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"question": q, "doc": REPORT, "good": q in GOOD} for q in (*GOOD, *BAD)]
    rows.append({"question": "Where is it?", "doc": "elsewhere.pdf", "good": True})
    judged = tmp_path / "judged.jsonl"
    judged.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    home = samples.path.parent
    marks.main(["--judged", str(judged), "--collection", samples.name, "--home", str(home)])
    said = capsys.readouterr().out
    assert said.startswith("6 quotes, 50% good; AUROC")
    (line,) = (line for line in said.splitlines() if line.startswith("CITED = ("))
    assert line.count(",") == len(CITED_FEATURES) - 1


def test_a_document_is_held_out_of_its_own_fit() -> None:
    x = np.array([[1.0, 2.0], [1.0, -2.0], [1.0, 2.0], [1.0, -2.0]])
    y, docs = np.array([1.0, 0.0, 0.0, 1.0]), np.array(["a", "a", "b", "b"])
    likely = marks.held_out(x, y, docs)
    assert likely[0] < 0.5 < likely[1]  # b, which says the opposite, is all that a's fit has seen
