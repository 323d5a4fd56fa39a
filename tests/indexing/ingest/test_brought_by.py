"""Uploads know who brought them: nobody replaces, renames or takes over what another account brought."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import pytest

from indexing import Collection, Document, IndexingSettings, IndexReport, build_index
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
        pytest.param("ada", "bob", "which ada brought", marks=pytest.mark.gate),
        ("", "bob", "without an account"),
        ("ada", "", "which ada brought"),
    ],
)
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
