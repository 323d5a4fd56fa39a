"""The fit of the choice among calculations: it learns what a question wants from answers alone."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from evaluation.fit.calculation import main

YARDS = ("Tern Head", "Saltergate", "Maltings", "Ropewalk")


def written(path: Path) -> Path:
    """Write questions of two kinds on tables of our own: which boat has the most seats, and how many are of a yard."""
    lines = []
    for n in range(60):
        seats = [(7 * n + 31 * m) % 90 + 10 * m + 5 for m in range(5)]
        yards = [YARDS[(n + m * m) % 4] for m in range(5)]
        rows = [["Boat", "Yard", "Seats"], *([f"B{m}", yards[m], str(seats[m])] for m in range(5))]
        most = [f"B{m}" for m in range(5) if seats[m] == max(seats)]
        count = str(yards.count(yards[0]))
        for question, answers in (
            ("Which boat has the most seats?", most),
            (f"How many boats are from {yards[0]}?", [count]),
        ):
            lines.append({"source": "wtq", "group": f"t{n}", "question": question, "answers": answers, "rows": rows})
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    return path


def test_weights_are_fitted_and_written(tmp_path: Path) -> None:
    out = tmp_path / "weights.json"
    main(["--questions", str(written(tmp_path / "qa.jsonl.gz")), "--epochs", "3", "--write", str(out)])
    fitted = json.loads(out.read_text())
    weights = fitted["features"]
    assert weights["greatest | most"] > 0
    assert weights["count | how many"] > 0
    assert len(fitted["acceptance"]) == 6
    assert fitted["acceptance"][1] > 0
