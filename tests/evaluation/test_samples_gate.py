"""`make eval-samples`: quality on the samples does not drop, and a drop would fail."""

import json
import shutil
from pathlib import Path

import pytest

from evaluation import samples_gate as eval_samples
from evaluation.harness.results import read_runs
from indexing import Collection


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, samples: Collection) -> Path:
    """The samples asked in all modes; the thresholds are checked on the way."""
    out = tmp_path_factory.mktemp("samples") / "runs"
    assert eval_samples.main(["--out", str(out), "--home", str(samples.path.parent)]) == 0
    return out


@pytest.mark.slow
@pytest.mark.gate
def test_the_samples_reach_what_they_must(runs: Path) -> None:
    assert [row[0] for row in eval_samples.rows_of(runs) if row[-1] == "FAIL"] == []
    assert {r.summary["mode"] for r in read_runs([runs])} == set(eval_samples.MODES)
    assert {r.summary["failed"] for r in read_runs([runs])} == {0}


@pytest.mark.slow
@pytest.mark.gate
def test_answers_that_cite_nothing_would_fail(runs: Path, tmp_path: Path) -> None:
    """The same run with every citation recall at 0, and with documents that could not be read."""
    worse = tmp_path / "runs"
    shutil.copytree(runs, worse)
    file = worse / "text" / "summary.json"
    summary = json.loads(file.read_text())
    summary["figures"]["all"]["Rec"]["value"] = 0.0
    summary["left_out"]["questions"] = 7
    file.write_text(json.dumps(summary))
    wrong = [row[0] for row in eval_samples.rows_of(worse) if row[-1] == "FAIL"]
    assert wrong == ["text: questions left out", "text: Rec"]


def test_every_mode_has_something_to_reach() -> None:
    for mode in eval_samples.MODES:
        assert {"R@5", "answered"} <= eval_samples.LEAST[mode].keys()
        assert all(value > 0 for value in eval_samples.LEAST[mode].values())
