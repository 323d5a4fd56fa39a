"""What a model is shown: whole pages in order, their leaf elements labelled, rows of tables, enlarged figures."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace

import pymupdf
import pytest

from indexing import BBox, Cell, Collection, Element
from indexing.embed.minilm import MiniLM
from indexing.types import Kind
from rag.crops import Crops
from rag.methods.write.pages import MOST_ROWS, Labels, PageView, leaves, notes_views, page_views, row_labels
from rag.settings import WritingSettings
from rag.types import Evidence, RankedPage
from tests.support import fakes

TALLY = "Year | Rye | Wheat\n1887 |  | 12\n1888 | 7 | 9"


def table(text: str = TALLY, ordinal: int = 1, doc_id: str = "d") -> Element:
    """A table whose cells are those of its lines; the first line is the head."""
    cells, at = [], 0
    for row, line in enumerate(text.split("\n")):
        for col, cell in enumerate(line.split(" | ")):
            start = text.index(cell, at) if cell else at
            top = 0.1 + 0.005 * row
            box = BBox(0.1 + 0.2 * col, top, 0.3 + 0.2 * col, top + 0.005)
            cells.append(Cell(row, col, 1, 1, start, start + len(cell), box, row == 0))
            at = start + len(cell)
    return replace(fakes.element(text, doc_id, 1, ordinal, "table"), cells=tuple(cells))


class TestLeaves:
    def test_there_are_no_groups_furniture_empty_or_bare_pieces(self) -> None:
        kinds: tuple[Kind, ...] = ("text", "group", "header", "footer", "heading", "caption", "footnote", "list")
        every = [fakes.element(f"words {n}", ordinal=n, kind=kind) for n, kind in enumerate(kinds, 1)]
        every += [fakes.element("____ • ---", ordinal=11), fakes.element("", ordinal=12)]
        assert [e.kind for e in leaves(every)] == ["text", "heading", "caption", "footnote", "list"]

    def test_a_picture_without_words_is_a_piece_unless_it_is_a_speck(self) -> None:
        picture = fakes.element("", kind="picture")
        speck = replace(picture, id="speck", bbox=BBox(0.5, 0.5, 0.51, 0.51))
        assert leaves([picture, speck]) == [picture]

    def test_a_picture_without_words_behind_the_others_is_none(self) -> None:
        page = replace(fakes.element("", ordinal=2, kind="picture"), bbox=BBox(0, 0, 1, 1))
        text = fakes.element("The mill was built in 1887.")
        assert leaves([page, text]) == [text]
        assert leaves([page]) == [page]

    def test_the_same_piece_stands_once(self) -> None:
        text = fakes.element("The mill was built in 1887.")
        twin = replace(text, id="twin", kind="heading")
        far = replace(text, id="far", bbox=BBox(0.1, 0.8, 0.9, 0.84))
        figure = fakes.element("Mill", ordinal=5, kind="picture")
        again = replace(figure, id="again", text="Mill wheel")
        assert leaves([text, twin, far, figure, again]) == [text, far, figure]


class TestLabels:
    def test_an_element_keeps_its_label_and_a_row_is_named_by_it(self) -> None:
        labels = Labels()
        first, second = fakes.element("a", ordinal=1), table(ordinal=2)
        found = Evidence("E9", second, "d.pdf", 0.7, (1,))
        assert labels.evidence(first, "d.pdf").label == "E1"
        item = labels.evidence(second, "d.pdf", found)
        assert (item.label, item.score) == ("E2", 0.7)
        assert labels.evidence(first, "d.pdf").label == "E1"
        assert row_labels(item) == ["E2.r1", "E2.r2"]
        row = labels.find("E2.r2")
        assert row is not None
        assert (row.label, row.row, row.element) == ("E2", 2, second)
        assert labels.find("E7") is None

    def test_a_table_of_very_many_rows_is_named_as_a_whole(self) -> None:
        rows = "\n".join(["Year | Rye", *(f"{year} | 7" for year in range(1000, 1001 + MOST_ROWS))])
        assert row_labels(Evidence("E1", table(rows), "d.pdf", 1.0)) == []


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Iterator[Collection]:
    """A document of three pages: the last two have paragraphs, the first a small figure and a table as well."""
    made = fakes.collection(tmp_path_factory.mktemp("drawn"), embedder, "drawn")
    document = fakes.document("red.pdf", [["x"]] * 3)
    source = made.path / "sources" / f"{document.sha256}.pdf"
    pdf = pymupdf.open()
    for _ in range(3):
        pdf.new_page(width=420, height=595)
    made_pdf = tmp_path_factory.mktemp("source") / "red.pdf"
    pdf.save(made_pdf)
    pdf.close()
    figure = replace(fakes.element("Rye by year", document.id, 1, 8, "picture"), bbox=BBox(0.1, 0.5, 0.4, 0.7))
    first = (*fakes.parsed(document.id, 1, ["The rectangle is red."]).elements, table(doc_id=document.id, ordinal=2))
    with made.writer() as writer:
        writer.add(replace(fakes.parsed(document.id, 1, []), elements=(*first, figure)))
        for number in (2, 3):
            writer.add(fakes.parsed(document.id, number, [f"This is page {number}.", "It is dull."]))
        writer.finish(document, made_pdf)
        writer.flush()
    source.parent.mkdir(exist_ok=True)
    shutil.copy(made_pdf, source)
    yield made
    made.close()


def views_of(made: Collection, numbers: list[int], mode: str = "multi", **settings: int) -> tuple[PageView, ...]:
    document = made.documents()[0]
    pages = [RankedPage(document.id, document.name, number, 1.0) for number in numbers]
    figure = next(e for e in made.page_elements(document.id, 1) if e.kind == "picture")
    found = [Evidence("E1", figure, document.name, 0.9)]
    writing = WritingSettings(**settings)  # type: ignore[arg-type]
    crops = Crops(made, writing.page_width, writing.picture_side)
    shown, notes = page_views(made, crops, pages, found, mode, writing, Labels())  # type: ignore[arg-type]
    assert notes == ()
    return shown


class TestViews:
    def test_pages_stand_in_order_and_know_their_rank(self, drawn: Collection) -> None:
        views = views_of(drawn, [3, 1])
        assert [(v.page.number, v.rank) for v in views] == [(1, 1), (3, 0)]
        assert [p.label for v in views for p in v.pieces] == ["E1", "E2", "E3", "E4", "E5"]
        assert views[0].labels == ["E1", "E2", "E2.r1", "E2.r2", "E3"]
        assert (views[0].of.pages, views[0].of.figures, views[0].of.tables) == (3, 1, 1)

    @pytest.mark.parametrize(
        ("mode", "image", "text"), [("text", False, True), ("image", True, False), ("multi", True, True)]
    )
    def test_a_mode_shows_text_pictures_or_both(self, drawn: Collection, mode: str, image: bool, text: bool) -> None:
        (view,) = views_of(drawn, [2], mode)
        assert (view.image is not None, view.text) == (image, text)

    def test_a_small_figure_that_was_found_is_enlarged(self, drawn: Collection) -> None:
        (view,) = views_of(drawn, [1])
        assert [e.piece.element.kind for e in view.enlarged] == ["picture"]
        assert views_of(drawn, [1], enlarged=0)[0].enlarged == ()
        assert views_of(drawn, [1], "text")[0].enlarged == ()

    def test_a_page_that_cannot_be_drawn_is_shown_as_text_and_that_is_said(
        self, tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM
    ) -> None:
        made = fakes.collection(tmp_path_factory.mktemp("gone"), embedder, "gone")
        (document,) = fakes.index(made, {"gone.pdf": [["Nothing of it can be drawn."]]})
        pages = [RankedPage(document.id, document.name, 1, 1.0)]
        writing = WritingSettings()
        for mode in ("image", "multi"):
            (view,), notes = page_views(made, Crops(made, 600, 400), pages, [], mode, writing, Labels())  # type: ignore[arg-type]
            assert (view.image, view.text) == (None, True)
            assert notes[0].startswith("page 1 of gone.pdf was shown as text only: ")

    def test_notes_are_shown_by_page_without_pictures(self, drawn: Collection) -> None:
        document = drawn.documents()[0]
        items = [
            Evidence(f"E{n}", drawn.page_elements(document.id, page)[0], document.name, 1.0, knowledge="noted")
            for n, page in enumerate((3, 1), 1)
        ]
        views = notes_views(drawn, items)
        assert [(v.page.number, v.image, [p.label for p in v.pieces]) for v in views] == [
            (3, None, ["E1"]),
            (1, None, ["E2"]),
        ]
