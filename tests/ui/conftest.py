"""What the tests of ui share: one embedder, since loading it takes a while.

The package is imported first: it silences onnxruntime, which comes in with PyMuPDF, before a test imports PyMuPDF.
"""

from __future__ import annotations

import pytest

from indexing.embed.minilm import MiniLM


@pytest.fixture(scope="session")
def embedder() -> MiniLM:
    return MiniLM(threads=1)


@pytest.fixture(scope="module", autouse=True)
def share_workers(warm_workers: None) -> None:
    """To start a worker takes seconds."""
