"""Pages are looked at ahead of questions, which then look at what is left; what is no longer so is looked at again."""

from __future__ import annotations

import shutil
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from indexing import BBox, Collection, IndexingSettings, LookedPage, PageCrash, build_index, look_ahead
from indexing.originals import Line, agreed_lines, copies, lines_of, remaining_lines
from indexing.types import LayerWord
from indexing.workers import Workers
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


def places(looked: Iterator[LookedPage]) -> list[tuple[str, int, int, int, str]]:
    return [(one.document.name, one.page, one.lines, one.agree, one.error) for one in looked]


@pytest.mark.slow
@pytest.mark.gate
def test_a_question_does_not_look_at_what_was_looked_at_ahead(papers: Collection, looks: list[int]) -> None:
    with closing(look_ahead(papers)) as walk:
        next(walk)
    assert len(looks) == 1
    found = places(look_ahead(papers))  # it goes on where it was stopped
    assert sorted(found) == [("boats.pdf", 1, 1, 1, ""), ("mills.pdf", 1, 1, 1, ""), ("mills.pdf", 2, 1, 1, "")]
    assert len(looks) == 3
    assert places(look_ahead(papers)) == found
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


@pytest.mark.slow
def test_another_file_or_another_reading_is_looked_at(
    papers: Collection, looks: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places(look_ahead(papers))
    boats = papers.document("boats.pdf")
    monkeypatch.setattr(agreed_lines, "LOOK", agreed_lines.LOOK + 1)
    assert papers.mismatches(boats.id, 1, PAGE) == ()
    assert len(looks) == 4
    monkeypatch.undo()
    copy, stamp = papers.originals.path(boats), papers.originals.page_stamp(boats)
    other = documents.pdf(tmp_path / "other.pdf", ["The boats were sunk by nobody."])
    other.write_bytes(other.read_bytes().ljust(copy.stat().st_size, b"\n"))  # sizes of alike pages differ by bytes
    assert other.stat().st_size == copy.stat().st_size
    shutil.copyfile(other, copy)
    assert papers.originals.page_stamp(boats) != stamp
    with Collection.open("papers", papers.path.parent) as another:
        assert {m.text for m in another.mismatches(boats.id, 1, PAGE)} >= {"Peter", "Falk."}


@pytest.mark.slow
def test_what_a_page_shows_otherwise_is_told_and_not_known_to_agree(papers: Collection, tmp_path: Path) -> None:
    mills = papers.document("mills.pdf")
    with_lie = documents.pdf(tmp_path / "lie.pdf", ["A mill."], ["It burnt down in 1964."])
    shutil.copyfile(with_lie, papers.originals.path(mills))
    found = {(one.document.name, one.page): one for one in look_ahead(papers)}
    told = found["mills.pdf", 2]
    assert (told.lines, told.agree) == (1, 0)
    assert [(m.text, m.shown) for m in papers.mismatches(mills.id, 2, PAGE)] == [("1904.", "1964")]


@pytest.mark.slow
def test_a_page_that_cannot_be_looked_at_is_reported(papers: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: object) -> Any:
        raise PageCrash("boats.pdf: reading page 1 ended its process")

    compare = Workers.compare
    monkeypatch.setattr(
        Workers, "compare", lambda self, job, n, lines: lost() if n == 1 else compare(self, job, n, lines)
    )
    found = places(look_ahead(papers))
    assert [(page, agree, bool(error)) for _, page, _, agree, error in sorted(found)] == [
        (1, 0, True), (1, 0, True), (2, 1, False),
    ]  # fmt: skip
    monkeypatch.undo()
    assert [agree for *_, agree, error in sorted(places(look_ahead(papers))) if not error] == [0, 0, 1]


@pytest.mark.slow
def test_removed_documents_are_forgotten(papers: Collection) -> None:
    places(look_ahead(papers))
    gone = papers.remove("boats.pdf")
    with closing(sqlite3.connect(papers.path / "agreed.sqlite")) as rows:
        known = {row[0] for row in rows.execute("SELECT sha256 FROM agreed")}
    assert known == {papers.document("mills.pdf").sha256}
    assert gone.sha256 not in known


@pytest.mark.slow
def test_where_nobody_may_write_it_is_read(papers: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests run as root may write anywhere: it is seen that nothing is tried."""
    places(look_ahead(papers))
    papers.agreed_lines.close()

    def refused(*_: object, **__: object) -> None:
        raise PermissionError("nobody may write here")

    monkeypatch.setattr(Path, "touch", refused)
    monkeypatch.setattr(Path, "mkdir", refused)
    boats = papers.document("boats.pdf")
    lines = lines_of(papers.page_elements(boats.id, 1))
    assert papers.agreed_lines.of(boats, papers.originals.page_stamp(boats), 1, lines) == lines
    kept = agreed_lines.AgreedLines(papers.path / "elsewhere")
    assert kept.of(boats, "", 1, lines) is None
    assert not kept.keep(boats, "", 1, lines, [True])


@pytest.mark.slow
def test_a_file_that_cannot_be_read_costs_looks_only(papers: Collection, looks: list[int]) -> None:
    (papers.path / "agreed.sqlite").write_bytes(b"this is no database" * 100)
    assert papers.mismatches(papers.documents()[0].id, 1, PAGE) == ()
    assert len(places(look_ahead(papers))) == 3
    assert papers.mismatches(papers.documents()[0].id, 1, PAGE) == ()
    assert len(looks) == 4  # the last of the first look is remembered by this process


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


@pytest.mark.slow
def test_the_same_words_are_looked_at_once(papers: Collection, looks: list[int], tmp_path: Path) -> None:
    document = papers.document("boats.pdf")
    assert papers.mismatches(document.id, 1, PAGE) == papers.mismatches(document.id, 1, PAGE) == ()
    assert looks == [1]
    other = documents.pdf(tmp_path / "other.pdf", ["The boats were built by Anna Holm."])
    shutil.copyfile(other, papers.originals.path(document))
    assert {m.text for m in papers.mismatches(document.id, 1, PAGE)} >= {"Peter", "Falk."}
    assert looks == [1, 1]


@pytest.mark.slow
def test_many_lines_are_compared_in_parts(
    papers: Collection, looks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others who ask come in between."""
    document = papers.document("boats.pdf")
    words = [LayerWord(word, PAGE[0]) for word in ("one", "two", "three")]
    monkeypatch.setattr(copies, "LINES", 2)
    found = papers.originals.compare(document, 1, [[word] for word in words])
    assert looks == [1, 1]
    assert [[m.text for m in line] for line in found] == [["one"], ["two"], ["three"]]
