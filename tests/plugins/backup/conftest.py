"""What the tests of the plugin share: one embedder, since loading it takes a while, and worker processes."""

from __future__ import annotations

import pytest

from indexing.embed.minilm import MiniLM


@pytest.fixture(scope="session")
def embedder() -> MiniLM:
    return MiniLM(threads=1)


@pytest.fixture(scope="module", autouse=True)
def share_workers(warm_workers: None) -> None:
    """To start a worker takes seconds."""
