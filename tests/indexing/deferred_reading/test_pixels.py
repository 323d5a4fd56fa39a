"""The pixels of pages are read after their texts, go on where they were stopped, and never cost a text."""

from contextlib import closing
from pathlib import Path

import pytest

from indexing import (
    Collection,
    IndexingSettings,
    Progress,
    build_index,
    read_pixels,
    reindex_collection,
    unread_pixels,
)
from indexing.embed import MiniLM
from indexing.errors import DamagedFile
from indexing.originals import Originals
from tests.support import documents, fakes

PAGES = (("The mill was built by Anna Holm.",), ("It burnt down in 1904.",), ("The orchard lies in Turin.",))


@pytest.fixture
def made(tmp_path: Path, embedder: MiniLM) -> Collection:
    """An empty collection that reads pixels."""
    return fakes.collection(tmp_path / "home", embedder, pixels="pages")


@pytest.fixture
def mills(tmp_path: Path) -> Path:
    return documents.pdf(tmp_path / "mills.pdf", *PAGES)


def found(collection: Collection, question: str, mode: str = "image") -> list[int]:
    return [hit.element.page for hit in collection.search(question, mode=mode).hits]


def test_texts_come_first_and_then_the_pixels(made: Collection, mills: Path) -> None:
    moments: list[Progress] = []
    report = build_index(made, [mills], on_progress=moments.append)
    assert (report.exit_code, report.notes) == (0, ())
    kinds = [moment.pixels for moment in moments]
    assert kinds == sorted(kinds)
    assert [(m.pages_done, m.pages_total) for m in moments if m.pixels] == [(1, 3), (2, 3), (3, 3)]
    assert found(made, "Who built the mill?")[0] == 1
    assert found(made, "Where is the orchard?")[0] == 3
    assert made.unseen_pages() == (0, 3)
    assert unread_pixels(made) == 0


def test_a_stop_keeps_all_texts_and_the_next_run_goes_on(made: Collection, mills: Path, tmp_path: Path) -> None:
    build_index(made, [mills], settings=IndexingSettings(workers=1, pixels="images"))
    assert unread_pixels(made) == 3
    with closing(read_pixels(made)) as pages:
        assert next(pages).done == 1
    (document,) = made.documents()
    assert document.seen_pages == 1
    assert (found(made, "Who built the mill?"), made.unseen_pages()) == ([1], (2, 3))
    assert found(made, "Where is the orchard?", "text")[0] == 3
    other = documents.pdf(tmp_path / "other.pdf", ["A lighthouse stands there."])
    moments: list[Progress] = []
    assert build_index(made, [other], on_progress=moments.append).exit_code == 0
    assert [(m.file, m.page) for m in moments if m.pixels] == [("mills.pdf", 2), ("mills.pdf", 3), ("other.pdf", 1)]
    assert made.unseen_pages() == (0, 4)


def test_a_page_that_cannot_be_looked_at_keeps_its_text(
    made: Collection, mills: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = Originals.see

    def see(self: Originals, document: object, page: int, elements: object) -> object:
        if page == 2:
            raise DamagedFile("mills.pdf: page 2: damaged")
        return own(self, document, page, elements)  # type: ignore[arg-type]

    monkeypatch.setattr(Originals, "see", see)
    report = build_index(made, [mills])
    assert report.notes == ("mills.pdf: page 2: damaged; mode image cannot see it",)
    assert found(made, "When did it burn down?", "text")[0] == 2
    assert 2 not in found(made, "When did it burn down?")
    assert (made.unseen_pages(), unread_pixels(made)) == ((1, 3), 0)


def test_a_scan_was_read_by_its_pixels_already(
    made: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Originals, "see", lambda *_: pytest.fail("it is read twice"))
    build_index(made, [documents.scanned(tmp_path / "scan.pdf", *PAGES[:1])])
    assert found(made, "Who built the mill?") == [1]
    assert made.documents()[0].seen_pages == 1


def test_a_document_that_was_removed_meanwhile_stays_away(made: Collection, mills: Path) -> None:
    build_index(made, [mills], settings=IndexingSettings(workers=1, pixels="images"))
    with closing(read_pixels(made)) as pages:
        next(pages)
        made.remove("mills.pdf")
    assert made.documents() == ()
    assert made.stats()["pages"] == 0


def test_a_reindex_counts_the_pages_whose_pixels_it_read(tmp_path: Path, embedder: MiniLM, mills: Path) -> None:
    made = fakes.collection(tmp_path / "home", embedder, pixels="pages")
    build_index(made, [mills])
    for pixels, seen in (("images", 0), ("pages", 3)):
        assert reindex_collection("made-up", tmp_path / "home", changes={"pixels": pixels}).exit_code == 0
        (document,) = fakes.opened(tmp_path / "home", embedder).documents()
        assert document.seen_pages == seen
