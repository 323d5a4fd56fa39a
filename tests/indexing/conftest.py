"""What the tests of indexing share: one embedder, since loading it takes a while."""

from pathlib import Path
from typing import Any

import pytest

from indexing import Collection
from indexing.embed.minilm import MiniLM
from indexing.workers import Workers
from tests.support import fakes


@pytest.fixture(scope="session")
def embedder() -> MiniLM:
    return MiniLM(threads=1)


@pytest.fixture
def collection(tmp_path: Path, embedder: MiniLM) -> Collection:
    """An empty collection."""
    return fakes.collection(tmp_path / "home", embedder)


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The pages that a process looked at."""
    found: list[int] = []
    compare = Workers.compare

    def counted(self: Workers, job: Any, number: int, lines: Any) -> Any:
        found.append(number)
        return compare(self, job, number, lines)

    monkeypatch.setattr(Workers, "compare", counted)
    return found


@pytest.fixture(scope="module", autouse=True)
def share_workers(warm_workers: None) -> None:
    """To start a worker takes seconds."""
