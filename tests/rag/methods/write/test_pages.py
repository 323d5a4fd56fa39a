"""Pages as a writer is shown them, with labels drawn on their pictures."""

import shutil
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from indexing import BBox, Cell, Collection, Element
from indexing.embed.minilm import MiniLM
from indexing.types import Kind
from rag.crops import Crops
from rag.methods.write.pages import COLOURS, FRAME, Labels, PageView, labelled_page, leaves, page_views, row_labels
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
    def test_a_small_figure_that_was_found_is_enlarged(self, drawn: Collection) -> None:
        (view,) = views_of(drawn, [1])
        assert [e.piece.element.kind for e in view.enlargements] == ["picture"]
        assert views_of(drawn, [1], enlarged=0)[0].enlargements == ()
        assert views_of(drawn, [1], "text")[0].enlargements == ()

    def test_a_page_that_fails_is_shown_as_text(
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


def piece(label: str, box: BBox) -> Evidence:
    from dataclasses import replace

    return Evidence(label, replace(fakes.element("x"), bbox=box), "a.pdf", 1.0)


def ink(page: Image.Image) -> int:
    """The number of black pixels: the words of a page."""
    return int((np.asarray(page.convert("RGB")).astype(int).sum(axis=2) < 60).sum())


def printed(boxes: list[BBox], size: tuple[int, int] = (600, 800)) -> Image.Image:
    """White paper, the boxes filled with lines of black text to their edges."""
    page = Image.new("RGB", size, "white")
    pen, font = ImageDraw.Draw(page), ImageFont.load_default(11)
    for box in boxes:
        x0, y0, x1, y1 = (round(v) for v in box.to_page(*size))
        part = Image.new("RGB", (x1 - x0, y1 - y0), "white")
        inner = ImageDraw.Draw(part)
        for y in range(0, y1 - y0, 12):
            inner.text((0, y), "mill wheel rye stone " * 12, fill="black", font=font)
        page.paste(part, (x0, y0))
    assert pen is not None
    return page


COLUMNS = [BBox(0.06, 0.1, 0.34, 0.6), BBox(0.36, 0.1, 0.64, 0.6), BBox(0.66, 0.1, 0.94, 0.6)]


def test_the_frame_is_the_box_of_the_element_in_the_picture() -> None:
    image = labelled_page(Image.new("RGB", (600, 800), "white"), [piece("E1", BBox(0.5, 0.25, 0.75, 0.5))], 4096)
    margin = (image.width - 600) // 2
    assert margin > 0
    assert image.getpixel((margin + 300 - FRAME, 300)) == COLOURS[0]
    assert image.getpixel((margin + 450 + FRAME, 300)) == COLOURS[0]
    assert image.getpixel((margin + 375, 300)) == (255, 255, 255)


@given(
    st.lists(st.tuples(*[st.floats(0, 0.98)] * 2, *[st.floats(0.002, 1)] * 2), min_size=1, max_size=30),
    st.integers(40, 500),
    st.integers(40, 500),
)
def test_every_piece_has_a_label_in_the_picture(
    places: list[tuple[float, float, float, float]], width: int, height: int
) -> None:
    boxes = [BBox(x, y, min(1.0, x + w), min(1.0, y + h)) for x, y, w, h in places]
    pieces = [piece(f"E{n}", box) for n, box in enumerate(boxes, 1)]
    image = labelled_page(Image.new("RGB", (width, height), "white"), pieces, 400)
    assert max(image.height, height and image.height) <= 400
    assert (255, 255, 255) in {colour for _, colour in image.getcolors(1_000_000) or []}
