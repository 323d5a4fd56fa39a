"""The samples, indexed as `make demo` does, for the tests that ask them, in a browser too, and for its benchmark."""

from __future__ import annotations

import os
from pathlib import Path

from indexing import Collection, IndexingSettings, build_index
from samples.make import HERE


def samples_in(folder: Path) -> Path:
    """Index the samples as `index_samples` does; VOUCH_LIBRARY names a home that is there already."""
    return Path(os.environ.get("VOUCH_LIBRARY") or index_samples(folder))


def index_samples(folder: Path) -> Path:
    """Make `folder` a home with the collection `samples`, and return it."""
    settings = IndexingSettings(page_seconds=300)  # a machine that runs the tests may be busy
    with Collection.create("samples", folder, settings) as made:
        report = build_index(made, [HERE / "documents"], workers=2, settings=settings)
    assert report.exit_code == 0, report.files
    return folder
