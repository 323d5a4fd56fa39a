"""Pages are looked at ahead of questions, which then look at what is left; what is no longer so is looked at again."""

import shutil
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from indexing import BBox, Collection, IndexingSettings, VerifiedPage, build_index, verify_ahead
from indexing.originals import Line, remaining_lines
from indexing.types import LayerWord
from tests.support import documents

PAGE = (BBox(0.0, 0.0, 1.0, 1.0),)
LEFT = (BBox(0.0, 0.0, 0.3, 1.0),)


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a collection of two documents, of three pages."""
    folder = tmp_path_factory.mktemp("ahead")
    settings = IndexingSettings(workers=1, visual="none")
    paths = [
        documents.pdf(folder / "mills.pdf", ["The mill was built by Anna Holm."], ["It burnt down in 1904."]),
        documents.pdf(folder / "boats.pdf", ["The boats were built by Peter Falk."]),
    ]
    with Collection.create("papers", folder / "home", settings) as made:
        assert build_index(made, paths, settings=settings).exit_code == 0
    return folder / "home"


@pytest.fixture
def papers(indexed: Path, tmp_path: Path) -> Iterator[Collection]:
    with Collection.open("papers", shutil.copytree(indexed, tmp_path / "home")) as opened:
        yield opened


def places(looked: Iterator[VerifiedPage]) -> list[tuple[str, int, int, int, str]]:
    return [(one.document.name, one.page, one.lines, one.agree, one.error) for one in looked]


@pytest.mark.slow
@pytest.mark.gate
def test_a_question_does_not_look_at_what_was_looked_at_ahead(papers: Collection, looks: list[int]) -> None:
    with closing(verify_ahead(papers)) as walk:
        next(walk)
    assert len(looks) == 1
    found = places(verify_ahead(papers))  # it goes on where it was stopped
    assert sorted(found) == [("boats.pdf", 1, 1, 1, ""), ("mills.pdf", 1, 1, 1, ""), ("mills.pdf", 2, 1, 1, "")]
    assert len(looks) == 3
    for document in papers.documents():
        for page in range(1, document.n_pages + 1):
            assert papers.mismatches(document.id, page, PAGE) == ()
            assert papers.mismatches(document.id, page, LEFT) == ()  # some words of a line
    assert len(looks) == 3
    with Collection.open("papers", papers.path.parent) as another:  # of another process, say
        assert another.mismatches(papers.documents()[0].id, 1, PAGE) == ()
    assert len(looks) == 3
    kept = papers.path / "agreed.sqlite"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert not any(word in kept.read_bytes() for word in (b"Holm", b"mill", b"1904"))


def line_of(text: str, y: float = 0.1) -> Line:
    return tuple(LayerWord(word, BBox(0.1 * n, y, 0.1 * n + 0.09, y + 0.02)) for n, word in enumerate(text.split()))


def test_a_part_of_an_agreed_line_agrees_and_nothing_else() -> None:
    whole = line_of("one two three four")
    assert remaining_lines([whole, whole[1:3], whole[3:]], [whole]) == ()
    gap = (whole[0], whole[2])
    other = line_of("one two three four", 0.2)
    assert remaining_lines([gap, other, whole[::-1]], [whole]) == (gap, other, whole[::-1])
    assert remaining_lines([whole], []) == (whole,)


# ---- looks at one page --------------------------------------------------------------------------------------------
