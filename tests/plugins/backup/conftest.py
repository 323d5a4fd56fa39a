"""What the tests of the plugin share: one embedder, since loading it takes a while, and worker processes."""

from pathlib import Path

import pytest

from indexing import Collection
from indexing.embed.minilm import MiniLM
from tests.support import fakes


@pytest.fixture(scope="session")
def embedder() -> MiniLM:
    return MiniLM(threads=1)


@pytest.fixture
def collection(tmp_path: Path, embedder: MiniLM) -> Collection:
    """An empty collection."""
    return fakes.collection(tmp_path / "home", embedder)


@pytest.fixture(scope="module", autouse=True)
def share_workers(warm_workers: None) -> None:
    """To start a worker takes seconds."""
