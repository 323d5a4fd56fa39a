"""Documents that people brought, under the names that they have and had."""

import tempfile
from functools import cache
from pathlib import Path

import pytest

from indexing import Collection, Document, IndexingSettings, IndexReport, build_index
from rag.anchors import anchor_of, resolve
from rag.types import Citation, Evidence
from tests.support import documents

pytestmark = pytest.mark.slow
SETTINGS = IndexingSettings(workers=1, visual="none")
RYE, OATS = ["The mill grinds rye."], ["The mill grinds oats."]


@pytest.fixture
def shared(tmp_path: Path) -> Collection:
    return Collection.create("shared", tmp_path / "home", SETTINGS)


@cache
def printed(lines: tuple[str, ...]) -> bytes:
    """The same bytes for the same lines: a document is known by its content."""
    with tempfile.TemporaryDirectory() as folder:
        return documents.pdf(Path(folder) / "a.pdf", lines).read_bytes()


def bring(shared: Collection, tmp_path: Path, account: str, lines: list[str], name: str = "mill.pdf") -> IndexReport:
    """What becomes of a file that an account uploads."""
    folder = tmp_path / "arrived" / (account or "nobody")
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / name
    made.write_bytes(printed(tuple(lines)))
    report = build_index(shared, [made], settings=SETTINGS, by_name=True, account=account)
    made.unlink()
    return report


def held(shared: Collection) -> dict[str, tuple[str | None, str]]:
    """Each document by its name: who brought it, and its first words."""
    first = {d.name: shared.page_elements(d.id, 1)[0].text for d in shared.documents()}
    return {d.name: (d.brought_by, first[d.name]) for d in shared.documents()}


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        pytest.param("ada", "bob", "which ada brought", marks=pytest.mark.gate), ("", "bob", "without an account"),
        ("ada", "", "which ada brought"),
    ],
)  # fmt: skip
def test_nobody_replaces_the_document_of_another(
    shared: Collection, tmp_path: Path, first: str, second: str, said: str
) -> None:
    bring(shared, tmp_path, first, RYE)
    (told,) = bring(shared, tmp_path, second, OATS).files
    assert (told.status, [f.error for f in told.failures]) == ("failed", ["NameTaken"])
    assert said in told.failures[0].message
    assert "another name" in told.failures[0].message
    assert held(shared) == {"mill.pdf": (first, RYE[0])}
    assert bring(shared, tmp_path, second, OATS, "mill of bob.pdf").exit_code == 0
    assert held(shared) == {"mill.pdf": (first, RYE[0]), "mill of bob.pdf": (second, OATS[0])}


def test_a_document_that_another_reads_anew_stays_whose_it_is(shared: Collection, tmp_path: Path) -> None:
    """A page failed when ada brought it, and does not when bob does: the same document, read better."""
    bring(shared, tmp_path, "ada", RYE)
    (whole,) = shared.documents()
    with shared.writer() as writer:
        writer.finish(Document(**{f: getattr(whole, f) for f in whole.__slots__} | {"failed_pages": (1,)}), Path("no"))
        writer.flush()
    (told,) = bring(shared, tmp_path, "bob", RYE, "copy.pdf").files
    assert told.status == "replaced"
    assert [(d.name, d.brought_by, d.failed_pages) for d in shared.documents()] == [("mill.pdf", "ada", ())]


RYE_OF_RENAMED = "The mill by the river grinds rye and nothing else."
CIDER = "Nine barrels of cider lie in the cellar of the barn."


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A folder with two documents."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    documents.pdf(folder / "mill.pdf", [RYE_OF_RENAMED])
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
    cited = Citation.of(Evidence("E1", element, before.name, 1.0), RYE_OF_RENAMED, ())
    anchor = anchor_of(cited, before, made.page(before.id, 1))
    made.search("rye")  # a reader that has the collection open sees it too
    (shelf / "mill.pdf").rename(shelf / "it's a \U0001f9c9 mill.pdf")
    report = build_index(made, [shelf], settings=SETTINGS)
    assert outcomes(report) == {"barn.pdf": ("skipped", ""), "it's a \U0001f9c9 mill.pdf": ("renamed", "mill.pdf")}
    assert report.exit_code == 0
    assert names(made) == {"it's a \U0001f9c9 mill.pdf": RYE_OF_RENAMED, "barn.pdf": CIDER}
    after = made.document("it's a \U0001f9c9 mill.pdf")
    assert (after.id, after.path) == (before.id, str(shelf / "it's a \U0001f9c9 mill.pdf"))
    assert resolve(anchor, made).state == "found"
    assert resolve(anchor, made).document == after
    assert made.draw_page(after.id, 1, width=100).width == 100
    assert made.search("What does the mill grind?").hits[0].element.doc_id == before.id
    assert outcomes(build_index(made, [shelf], settings=SETTINGS))[after.name] == ("skipped", "")
