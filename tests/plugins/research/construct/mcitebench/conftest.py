"""A paper in the form of a submission to ICLR, indexed once for all tests of MCiteBench data."""

from __future__ import annotations

import pytest

from indexing import Collection, IndexingSettings, build_index
from tests.support import iclr_paper


@pytest.fixture(scope="session")
def kilns(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """The paper, indexed from its file, and its reviews in the folder `reviews` beside it."""
    folder = tmp_path_factory.mktemp("kilns")
    (folder / "reviews").mkdir()
    iclr_paper.forum(folder / "reviews" / "kilns.json")
    made = Collection.create("kilns", folder / "home", IndexingSettings(workers=1, visual="none"))
    build_index(made, [iclr_paper.paper(folder / "kilns.pdf")])
    return made
