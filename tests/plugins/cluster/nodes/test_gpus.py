"""Pages are embedded on the GPUs of a cluster: shared out, in order, whoever dies; here the CPU computes for them."""

from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from indexing import Collection, IndexingSettings, Page, ParsedPage, build_index
from plugins.cluster import gpus
from plugins.cluster.connection import connect
from plugins.cluster.errors import ClusterLost
from plugins.cluster.gpus import ClusterGpus
from tests.plugins.cluster.nodes.conftest import Cluster
from tests.plugins.cluster.nodes.seeing import BATCH, WEIGHTS, CountingGpu, MendedGpu
from tests.support import documents
from tests.support.tools import missing
from tests.support.waiting import until

PAGES = [ParsedPage(Page("d", number, 612.0, 792.0), ()) for number in range(1, 10)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the GPUs of a test write down what they did, and are told what to do."""
    (tmp_path / "weights").write_text(WEIGHTS)
    monkeypatch.setattr(gpus, "GpuWork", CountingGpu)
    return tmp_path


@pytest.fixture
def ray(nodes: Cluster) -> Iterator[Any]:
    with connect(nodes.on) as ray:
        yield ray


def started(ray: Any, folder: Path, *, ended: bool = False) -> ClusterGpus:
    settings = IndexingSettings(visual="colpali", checkpoint=str(folder))
    return ClusterGpus(ray, settings, WEIGHTS, lambda: ended)


def embedded(made: ClusterGpus) -> list[int]:
    """Return the numbers of the pages in the order in which their vectors came."""
    return [int(np.asarray(found.vectors)[0, 0]) for found in made.embed_pages(PAGES)]


def test_pages_are_shared_out_and_come_in_order(ray: Any, folder: Path) -> None:
    with closing(started(ray, folder)) as made:
        assert embedded(made) == list(range(1, 10))
        until(lambda: made.batch_size == 2 * BATCH)
        assert embedded(made) == list(range(1, 10))
        had = {path.name.split("-")[2] for path in folder.glob("page-*")}
        assert len(had) == 2
        assert made.embed_pages([]) == []


def test_a_process_that_dies_is_started_again_and_loses_no_page(ray: Any, folder: Path) -> None:
    with closing(started(ray, folder)) as made:
        until(lambda: made.batch_size == 2 * BATCH)
        (folder / "end").touch()
        assert embedded(made) == list(range(1, 10))
        assert not (folder / "end").exists()
        assert made.batch_size == 2 * BATCH


def test_pages_of_a_lost_gpu_go_to_the_other(ray: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpus, "MOST_STARTS", 0)
    with closing(started(ray, folder)) as made:
        until(lambda: made.batch_size == 2 * BATCH)
        (folder / "end").touch()
        assert embedded(made) == list(range(1, 10))
        assert made.batch_size == BATCH
        (folder / "end").touch()
        with pytest.raises(ClusterLost, match="the last GPU of the cluster is lost"):
            made.embed_pages(PAGES)


def test_the_collection_equals_a_local_one(nodes: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tiny checkpoint of a visual embedder is loaded on both nodes, and not in the process of the run."""
    if not find_spec("torch"):
        missing("needs torch beside ray: make visual-env, then make test-ray")
    from indexing.embed.visual.checkpoint_embedder import FromCheckpoint
    from tests.visual import cure, tiny_patches  # noqa: F401

    checkpoint = tmp_path / "checkpoint"
    checkpoint.mkdir()
    tiny_patches.MAKERS["colmodernvbert"](checkpoint)
    documents.pdf(tmp_path / "book.pdf", *([f"Page {n} tells of the river."] for n in range(1, 8)))
    told = {"visual": "colpali", "checkpoint": str(checkpoint), "page_seconds": 600.0, "page_batch": 2}
    settings = IndexingSettings.model_validate(told)
    rows = {}
    for name, on in (("local", "local"), ("cluster", nodes.on)):
        made = Collection.create(name, tmp_path / "home", settings)
        with monkeypatch.context() as here:
            if name == "cluster":
                here.setattr(gpus, "GpuWork", MendedGpu)
                here.setattr(FromCheckpoint, "_loaded_model", property(lambda _: pytest.fail("loaded here")))
            report = build_index(made, [tmp_path / "book.pdf"], settings=settings, workers=1, on=on)
        assert report.exit_code == 0, report
        snapshot = made.snapshot()
        (document,) = made.documents()
        assert document.n_pages == 7
        rows[name] = [array for n in range(1, 8) for array in snapshot.visual_vectors(document.id, n)]
    assert min(map(len, rows["local"])) > 0
    assert all(np.array_equal(here, there) for here, there in zip(rows["local"], rows["cluster"], strict=True))
