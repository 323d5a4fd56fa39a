"""The samples, indexed as `make demo` does, for the tests in the browser and for the benchmark of the page."""

from __future__ import annotations

import os
from pathlib import Path

from indexing import Collection, IndexingSettings, build_index
from samples.make import HERE


def samples_in(folder: Path) -> Path:
    """A home with the collection `samples`, made in `folder`; VOUCH_LIBRARY names one that is there already."""
    if ready := os.environ.get("VOUCH_LIBRARY"):
        return Path(ready)
    settings = IndexingSettings(page_seconds=300)  # a machine that runs the tests may be busy
    with Collection.create("samples", folder, settings) as made:
        report = build_index(made, [HERE / "documents"], workers=2, settings=settings)
    assert report.exit_code == 0, report.files
    return folder
