"""The typesetter: every block is on a page as an element, and the PDF shows its words in its box."""

import pymupdf
import pytest

from indexing.conversion import cell_place, cited_place
from indexing.errors import NoPages, TooLarge
from indexing.settings import IndexingSettings
from plugins.formats.typesetting import SourceBlock, typeset
from tests.plugins.formats.laid_out import elements, letters, printed, shown

SCRIPTS = {
    "latin": "The efficient office fixes the affluent fjord.",
    "greek": "Γρήγορη αλεπού πηδά πάνω από το σκυλί.",
    "cyrillic": "Быстрая лиса прыгает через ленивую собаку.",
    "georgian": "ყველა ადამიანი იბადება თავისუფალი",
    "korean": "모든 인간은 태어날 때부터 자유롭다",
}


def test_blocks_become_elements_in_order_with_sections_and_places() -> None:
    made = typeset(
        [
            SourceBlock("heading", "Mills", level=1, place="line 1"),
            SourceBlock("heading", "Wheels", level=2, place="line 3"),
            SourceBlock("text", "A wheel\n turns.", place="lines 5-6"),
            SourceBlock("list", "first item", place="line 8"),
            SourceBlock("heading", "Stones", level=2, place="line 9"),
            SourceBlock("text", "Stones   grind.", place="line 11"),
        ],
        "On mills",
    )
    assert [(e.kind, e.text, e.section, e.place) for e in elements(made)] == [
        ("heading", "Mills", (), "line 1"),
        ("heading", "Wheels", ("Mills",), "line 3"),
        ("text", "A wheel turns.", ("Mills", "Wheels"), "lines 5-6"),
        ("list", "first item", ("Mills", "Wheels"), "line 8"),
        ("heading", "Stones", ("Mills",), "line 9"),
        ("text", "Stones grind.", ("Mills", "Stones"), "line 11"),
    ]
    assert made.title == "On mills"
    assert made.notes == ()
    assert pymupdf.open(stream=made.pdf).metadata["title"] == "On mills"


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_box_of_a_paragraph_holds_its_words(script: str) -> None:
    text = SCRIPTS[script]
    made = typeset([SourceBlock("text", "Before."), SourceBlock("text", text), SourceBlock("text", "After.")])
    element = elements(made)[1]
    assert element.text == text
    assert shown(made, element) == letters(text)
    spans = [element.text[start:end] for start, end in element.words.spans.tolist()]
    assert "".join(spans) == text.replace(" ", "")


def test_text_from_the_right_is_read_in_order_and_drawn_from_the_right() -> None:
    element = elements(typeset([SourceBlock("text", "شمس قمر")]))[0]
    first, second = element.words.boxes.tolist()
    assert element.text == "شمس قمر"
    assert first[0] > second[0]
    assert first[2] > 0.85


@pytest.mark.parametrize("words", range(3, 30, 6))
def test_nothing_stands_below_the_foot_of_a_page(words: int) -> None:
    blocks = [
        block
        for n in range(30)
        for block in (
            SourceBlock("heading", f"Part {n}", level=1 + n % 3),
            SourceBlock("list", f"item {n} " + "水車" * 5 * words),
        )
    ]
    made = typeset([*blocks, SourceBlock("table", rows=tuple((f"row {n}", "y") for n in range(70)))])
    assert [e.text for e in elements(made) if e.kind == "heading"] == [f"Part {n}" for n in range(30)]
    assert "".join(e.text for e in elements(made) if e.kind == "list").count("水車") == 30 * 5 * words
    assert "\n".join(e.text for e in elements(made) if e.kind == "table").count("row ") == 70
    assert max(e.bbox.y1 for e in elements(made)) <= (842 - 54 + 1.5) / 842


def test_what_stands_in_the_text_is_never_markup() -> None:
    text = "<b>bold</b> <script>x()</script> &amp; &lt;p&gt; <!-- not a comment --> ]]> <img src='file:///etc/passwd'>"
    made = typeset(
        [
            SourceBlock("text", text),
            SourceBlock("table", rows=(("<td>", "</table>"),)),
            SourceBlock("text", text, code=True),
        ]
    )
    assert elements(made)[0].text == text
    assert elements(made)[1].text == "<td> | </table>"
    assert shown(made, elements(made)[0]) == letters(text)


def test_characters_that_nobody_sees_are_left_out() -> None:
    made = typeset([SourceBlock("text", "a\u202eb c\x00\x1b[31md e\u200bf \u2066g\u2069 h\u00adi j\ud800k")])
    assert elements(made)[0].text == "ab c[31md ef g hi jk"


def table(rows: int, columns: int = 3) -> SourceBlock:
    letters_of = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:columns]
    grid = tuple(tuple(f"{c}{r}" for c in letters_of) for r in range(1, rows + 1))
    texts = tuple(tuple(f"value {place}" if place[1:] != "1" else f"head {place[0]}" for place in row) for row in grid)
    last = grid[-1][-1]
    return SourceBlock(
        "table", rows=texts, header_rows=1, places=grid, place=f"Sheet 2, A1:{last}", caption="Table 1: values"
    )


def test_a_table_has_cells_with_their_boxes_and_addresses() -> None:
    made = typeset([table(4)])
    caption, element = elements(made)
    assert (caption.kind, caption.text) == ("caption", "Table 1: values")
    assert element.text.splitlines()[:2] == ["head A | head B | head C", "value A2 | value B2 | value C2"]
    assert (element.caption, element.place) == ("Table 1: values", "Sheet 2, A1:C4")
    cell = element.cells[4]
    assert (cell.row, cell.col, cell.header, element.text[cell.start : cell.end]) == (1, 1, False, "value B2")
    assert cell_place(element, cell) == "Sheet 2, B2"
    assert [c.header for c in element.cells] == [True] * 3 + [False] * 9
    with pymupdf.open(stream=made.pdf) as document:
        assert printed(document[0], cell.bbox) == "value B2"
    boxes = {(c.row, c.col): c.bbox for c in element.cells}
    assert cited_place(element, [boxes[1, 1]]) == "Sheet 2, B2"
    assert cited_place(element, [boxes[1, 0], boxes[1, 1]]) == "Sheet 2, A2:B2"
    assert cited_place(element, [boxes[1, 0], boxes[2, 1]]) == "Sheet 2, A2:B3"
    assert cited_place(element, [boxes[0, 0]]) == cited_place(element, []) == "Sheet 2, A1:C4"


def test_what_is_drawn_again_is_short() -> None:
    """Else a file of 40 kB fills hundreds of pages: the first column beside each group, the heads on each page."""
    wide = SourceBlock("table", rows=(("word " * 1000, *("ab" for _ in range(1000))),))
    parts = elements(typeset([wide]))
    assert parts[-1].page <= 10
    assert len(parts[-1].text) < 1000
    heads = tuple("word " * 60 for _ in range(10))
    long = SourceBlock("table", rows=(heads, *(tuple("ab" for _ in heads) for _ in range(300))), header_rows=1)
    parts = elements(typeset([long]))
    assert parts[0].text.startswith(" | ".join(head.strip() for head in heads))
    assert len(parts[-1].text.partition("\n")[0]) < 2000
    assert "word\u2026" in parts[-1].text


def test_a_tall_row_of_a_page_that_grew_wide_begins_a_new_page() -> None:
    wide = ("W" * 30,) * 24
    tall = ("Wwwww " * 200, *wide[1:])
    made = typeset([SourceBlock("table", rows=(wide, wide, wide, tall, tall), header_rows=1)])
    assert len(made.pages or ()) == 3


def test_a_picture_is_drawn_with_its_caption() -> None:
    pixels = pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 600, 4000), False)
    pixels.clear_with(120)
    image = pixels.tobytes("png")
    made = typeset(
        [SourceBlock("picture", image=image, caption="Figure 1: grey"), SourceBlock("picture", image=b"no image")]
    )
    picture, caption = elements(made)
    assert (picture.kind, picture.caption, caption.text) == ("picture", "Figure 1: grey", "Figure 1: grey")
    assert made.notes == ("1 pictures could not be read and are left out.",)
    drawn = pymupdf.open(stream=made.pdf)[0]
    assert drawn.get_image_info()[0]["bbox"] == pytest.approx(picture.bbox.to_page(*drawn.rect.br), abs=0.5)


def test_limits_are_named() -> None:
    with pytest.raises(NoPages, match="nothing in it"):
        typeset([SourceBlock("text", " \u200b ")])
    with pytest.raises(TooLarge, match="more than 2 pages"):
        typeset([SourceBlock("text", "word " * 5000)], settings=IndexingSettings(max_pages=2))
