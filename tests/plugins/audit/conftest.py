"""What the tests of the plugin share: an embedder and workers, which take seconds to start, and a home of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # most of the tests need no embedder
    from indexing.embed.minilm import MiniLM


@pytest.fixture(scope="session")
def embedder() -> MiniLM:
    from indexing.embed.minilm import MiniLM

    return MiniLM(threads=1)


@pytest.fixture(scope="module", autouse=True)
def share_workers(warm_workers: None) -> None:
    """To start a worker takes seconds."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path / "home"))
    return tmp_path / "home"
