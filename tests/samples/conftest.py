"""The samples, indexed once as `make demo` does.

Import the package first: it silences onnxruntime, which comes in with PyMuPDF, before a test imports PyMuPDF.
"""

from __future__ import annotations

import pytest

from indexing import Collection, IndexingSettings, build_index
from samples.make import HERE


@pytest.fixture(scope="session")
def indexed() -> Collection:
    """All samples. Tests that use it are slow: indexing them takes half a minute."""
    settings = IndexingSettings(workers=2, page_seconds=240)  # a busy machine is no reason to fail
    made = Collection.create("all-samples", settings=settings)
    report = build_index(made, [HERE / "documents"], settings=settings)
    assert report.exit_code == 0, [failure.message for file in report.files for failure in file.failures]
    return made
