"""Files that were renamed, swapped or copied: one document each, shown under the name that its file has now."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexing import Collection, IndexingSettings, IndexReport, build_index
from rag.anchors.anchor import anchor_of
from rag.anchors.resolve import resolve
from rag.types import Citation, Evidence
from tests.support import documents

pytestmark = pytest.mark.slow

SETTINGS = IndexingSettings(workers=1, visual="none")
RYE = "The mill by the river grinds rye and nothing else."
CIDER = "Nine barrels of cider lie in the cellar of the barn."


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A folder with two documents."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    documents.pdf(folder / "mill.pdf", [RYE])
    documents.pdf(folder / "barn.pdf", [CIDER])
    return folder


@pytest.fixture
def made(tmp_path: Path, shelf: Path) -> Collection:
    """A collection of the two."""
    collection = Collection.create("c", tmp_path / "home", SETTINGS)
    build_index(collection, [shelf], settings=SETTINGS)
    return collection


def outcomes(report: IndexReport) -> dict[str, tuple[str, str]]:
    return {file.name: (file.status, file.other_name) for file in report.files}


def names(collection: Collection) -> dict[str, str]:
    """The text of each document by its name: one document a name, and all of its rows seen."""
    return {d.name: collection.page_elements(d.id, 1)[0].text for d in collection.documents()}


@pytest.mark.gate
def test_a_renamed_file_is_shown_by_its_new_name_and_its_anchors_hold(made: Collection, shelf: Path) -> None:
    before = made.document("mill.pdf")
    (element, *_) = made.page_elements(before.id, 1)
    cited = Citation.of(Evidence("E1", element, before.name, 1.0), RYE, ())
    anchor = anchor_of(cited, before, made.page(before.id, 1))
    made.search("rye")  # a reader that has the collection open sees it too
    (shelf / "mill.pdf").rename(shelf / "it's a \U0001f9c9 mill.pdf")
    report = build_index(made, [shelf], settings=SETTINGS)
    assert outcomes(report) == {"barn.pdf": ("skipped", ""), "it's a \U0001f9c9 mill.pdf": ("renamed", "mill.pdf")}
    assert report.exit_code == 0
    assert names(made) == {"it's a \U0001f9c9 mill.pdf": RYE, "barn.pdf": CIDER}
    after = made.document("it's a \U0001f9c9 mill.pdf")
    assert (after.id, after.path) == (before.id, str(shelf / "it's a \U0001f9c9 mill.pdf"))
    assert resolve(anchor, made).state == "found"
    assert resolve(anchor, made).document == after
    assert made.draw_page(after.id, 1, width=100).width == 100
    assert made.search("What does the mill grind?").hits[0].element.doc_id == before.id
    assert outcomes(build_index(made, [shelf], settings=SETTINGS))[after.name] == ("skipped", "")
