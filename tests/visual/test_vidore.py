"""`vouch eval vidore` with a checkpoint: its vectors rank the pages, beside those of Vouch in one command."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="no torch here: make visual-env, then make test-visual")

from evaluation import cli as command
from indexing import Collection
from indexing.embed.protocol import SCALE
from tests.evaluation import data_sets
from tests.visual.conftest import settings


def test_pages_are_ranked_by_the_vectors_of_the_checkpoint(
    checkpoint: Callable[[str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, weights = data_sets.vidore_v3(tmp_path / "data"), checkpoint("colmodernvbert")
    asked = [
        "vidore",
        "--data",
        str(data),
        "--home",
        str(tmp_path / "home"),
        "--profile",
        str(tmp_path / "profile.yaml"),
    ]
    (tmp_path / "profile.yaml").write_text("indexing: {workers: 1, page_seconds: 600}\n")
    with_weights = ["--visual", "ocr_regions", "colpali", "--checkpoint", str(weights), "--device", "cpu"]
    assert command.main([*asked, *with_weights, "--out", str(tmp_path / "run")]) == 0
    printed = capsys.readouterr().out
    assert "visual embedders" in printed
    assert printed.count("NDCG@10") == 3  # of each, and of both
    lines = map(json.loads, (tmp_path / "run" / "colpali" / "predictions.jsonl").read_text().splitlines())
    ranked = {line["qid"]: line["ranked"] for line in lines}
    name = f"eval-vidore-colpali-{weights.name}"
    made = Collection.open(name, tmp_path / "home", settings("colpali", weights))
    query = made.embed_query(data_sets.MILL_ASKED, "visual")
    scores = {}
    for document in made.documents():
        vectors, _, _ = made._store.snapshot().visual_vectors(document.id, 1)
        scores[Path(document.path).read_bytes()] = float(
            (query.vectors @ vectors.T / SCALE).max(axis=1) @ query.weights
        )
    images = [data_sets.page_image(text)["bytes"] for text in data_sets.PAGES]
    best = sorted(range(3), key=lambda n: -scores[images[n]])
    assert ranked["7"] == [str(n) for n in best]
    assert command.main([*asked, "--collection", name, "--out", str(tmp_path / "other")]) == 2
    assert "'ocr_regions' is to be measured: use another collection" in capsys.readouterr().err
