"""A collection of three of the samples, indexed once, and one of made-up sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexing import Collection, build_index
from indexing.embed.minilm import MiniLM
from rag import Pipeline
from tests import fakes

SAMPLES = Path(__file__).resolve().parents[2] / "samples" / "documents"
CHOSEN = ("sallow-bay-annual-report.pdf", "tg40-tide-gauge-manual.pdf")


@pytest.fixture(scope="session")
def samples() -> Collection:
    made = Collection.create("rag-samples")
    report = build_index(made, [SAMPLES / name for name in CHOSEN], workers=2, ocr="never")
    assert report.exit_code == 0
    return made


@pytest.fixture(scope="session")
def pipeline(samples: Collection) -> Pipeline:
    made = Pipeline(samples)
    made.warm()
    return made


@pytest.fixture(scope="session")
def town(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """Two made-up documents."""
    made = fakes.collection(tmp_path_factory.mktemp("town"), MiniLM(threads=1), "town")
    fakes.index(
        made,
        {
            "mill.pdf": [
                ["The mill was built in 1887 by Anna Holm. It grinds rye. Its wheel turns from March to October."],
                ["Nine barrels of cider lie in its cellar."],
            ],
            "bus.pdf": [["The night bus leaves the harbour at ten minutes past ten. A ticket costs two crowns."]],
        },
    )
    return made
