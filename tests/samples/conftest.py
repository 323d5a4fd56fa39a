"""Import the package first: it silences onnxruntime, which comes in with PyMuPDF, before a test imports PyMuPDF."""

import pytest

import indexing  # noqa: F401


@pytest.fixture(scope="module", autouse=True)
def share_workers(warm_workers: None) -> None:
    """To start a worker takes seconds."""
