"""What the tests of the plugin share: one embedder, and worker processes, which take seconds to start."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from indexing.embed import MiniLM


@pytest.fixture(scope="session")
def embedder() -> MiniLM:
    from indexing.embed import MiniLM

    return MiniLM(threads=1)


@pytest.fixture(scope="module", autouse=True)
def share_workers(warm_workers: None) -> None:
    """To start a worker takes seconds."""
