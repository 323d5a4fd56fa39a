"""A page is held against its text once for the same words, and anew when another file has taken its place."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexing import BBox, Collection, IndexingSettings, build_index
from indexing.originals import copies
from indexing.types import LayerWord
from tests.support import documents

PAGE = (BBox(0.0, 0.0, 1.0, 1.0),)
LEFT = (BBox(0.0, 0.0, 0.3, 1.0),)


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a collection of one page."""
    folder = tmp_path_factory.mktemp("looks")
    settings = IndexingSettings(workers=1, visual="none")
    path = documents.pdf(folder / "mills.pdf", ["The mill was built by Anna Holm."])
    with Collection.create("papers", folder / "home", settings) as made:
        assert build_index(made, [path], settings=settings).exit_code == 0
    return folder / "home"


@pytest.fixture
def papers(indexed: Path, tmp_path: Path) -> Iterator[Collection]:
    with Collection.open("papers", shutil.copytree(indexed, tmp_path / "home")) as opened:
        yield opened


@pytest.mark.slow
def test_the_same_words_are_looked_at_once(papers: Collection, looks: list[int], tmp_path: Path) -> None:
    (document,) = papers.documents()
    assert papers.mismatches(document.id, 1, PAGE) == papers.mismatches(document.id, 1, PAGE) == ()
    assert looks == [1]
    other = documents.pdf(tmp_path / "other.pdf", ["The mill was built by Peter Falk."])
    shutil.copyfile(other, papers.originals.path(document))
    assert {m.text for m in papers.mismatches(document.id, 1, PAGE)} >= {"Anna", "Holm."}
    assert looks == [1, 1]


@pytest.mark.slow
def test_what_was_seen_long_ago_is_looked_at_again(
    papers: Collection, looks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copies, "LOOKS", 1)
    (document,) = papers.documents()
    for boxes in (PAGE, LEFT, PAGE, PAGE):
        assert papers.mismatches(document.id, 1, boxes) == ()
    assert len(looks) == 3


@pytest.mark.slow
def test_many_lines_are_looked_at_in_parts_with_the_same_result(
    papers: Collection, looks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others who ask come in between."""
    (document,) = papers.documents()
    words = [LayerWord(word, PAGE[0]) for word in ("one", "two", "three")]
    monkeypatch.setattr(copies, "LINES", 2)
    found = papers.originals.compare(document, 1, [[word] for word in words])
    assert looks == [1, 1]
    assert [[m.text for m in line] for line in found] == [["one"], ["two"], ["three"]]
