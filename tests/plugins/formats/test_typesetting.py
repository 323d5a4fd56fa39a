"""The typesetter: every block is on a page as an element, and the PDF shows its words in its box."""

from __future__ import annotations

import numpy as np
import pymupdf
import pytest

from indexing.conversion import cell_place, cited_place
from indexing.errors import NoPages, TooLarge
from indexing.settings import IndexingSettings
from plugins.formats.typesetting import SourceBlock, typeset
from plugins.formats.typesetting.pieces import piece_text
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


def test_chinese_gets_a_box_for_each_character() -> None:
    text = "春眠不覺曉。" * 30
    made = typeset([SourceBlock("text", text)])
    element = elements(made)[0]
    assert element.text == text
    assert len(element.words) == 5 * 30
    assert int(element.words.lines.max()) + 1 == 4
    assert shown(made, element) == letters(text)


def test_a_paragraph_over_two_pages_is_an_element_on_each() -> None:
    text = " ".join(f"word{n}" for n in range(1100))
    made = typeset([SourceBlock("text", text, place="line 1")])
    first, second = elements(made)
    assert (first.page, second.page) == (1, 2)
    assert first.text + " " + second.text == text
    assert shown(made, second) == letters(second.text)
    assert second.text[slice(*second.words.spans[0].tolist())] == second.text.split()[0]


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


def test_code_keeps_its_lines_and_has_the_place_of_each_page() -> None:
    code = "def f(a):\n    if a:\n\treturn 1\n\n" + "\n".join(f"line_{n} = {n}" for n in range(5, 101))
    first, second = elements(typeset([SourceBlock("text", code, code=True, place="lines 1-100")]))
    assert first.text.startswith("def f(a):\n    if a:\n    return 1\n\nline_5 = 5\n")
    assert first.words.lines.tolist()[:6] == [0, 0, 1, 1, 2, 2]
    assert first.words.boxes[2, 0] - first.words.boxes[0, 0] > 0.02
    last = first.text.splitlines()[-1].split()[-1]
    assert (first.place, second.place) == (f"lines 1-{last}", f"lines {int(last) + 1}-100")


def test_a_word_without_end_stays_on_the_page() -> None:
    text = "x" * 5000
    made = typeset([SourceBlock("text", text), SourceBlock("text", "https://example.org/" + "path/" * 100)])
    assert "".join(e.text for e in elements(made) if e.text.startswith("x")) == text
    for element in elements(made):
        assert element.bbox.x1 < 0.92
        assert (element.words.boxes[:, 0] < element.words.boxes[:, 2]).all()


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


def test_characters_without_a_glyph_are_counted() -> None:
    made = typeset([SourceBlock("text", "plain \ue000\ue001 text")])
    assert made.notes == ("2 characters have no glyph in our fonts and are drawn as empty boxes.",)


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


def test_a_long_table_is_cut_by_rows_and_its_heads_are_drawn_again() -> None:
    made = typeset([SourceBlock("text", "Above."), table(150)])
    parts = [e for e in elements(made) if e.kind == "table"]
    assert len(parts) == 4
    body = [line for part in parts for line in part.text.splitlines()[1:]]
    assert body == [f"value A{n} | value B{n} | value C{n}" for n in range(2, 151)]
    for part in parts:
        assert part.text.startswith("head A | head B | head C\n")
        for cell in part.cells:
            text = part.text[cell.start : cell.end]
            if not cell.header:
                assert cell_place(part, cell) == f"Sheet 2, {text.split()[1]}"
    assert parts[0].place.startswith("Sheet 2, A1:C")
    assert parts[-1].place.endswith(":C150")


def test_cells_keep_their_addresses_where_rows_or_columns_are_left_out() -> None:
    """Hidden rows and columns are in the sheet, and not in the table."""
    rows = (("year", "sacks"), ("1901", "40"), ("1902", "55"))
    place = "Sheet 2, A1 and D1 and A4:A5 and D4:D5"
    (element,) = elements(typeset([SourceBlock("table", rows=rows, header_rows=1, place=place)]))
    told = {element.text[c.start : c.end]: cell_place(element, c) for c in element.cells}
    assert (told["year"], told["1901"], told["55"]) == ("Sheet 2, A1", "Sheet 2, A4", "Sheet 2, D5")
    (again,) = elements(typeset([SourceBlock("table", rows=rows, header_rows=1, place="S, B4 and F4 and B9 and F9")]))
    told = {again.text[c.start : c.end]: cell_place(again, c) for c in again.cells}
    assert (told["sacks"], told["40"], told["1902"]) == (again.place, "S, F4", "S, B9")  # its heads stand elsewhere
    (part,) = elements(typeset([SourceBlock("table", rows=rows, header_rows=1, place="S, A1:B2 and A9:B90")]))
    assert {cell_place(part, c) for c in part.cells} == {part.place}
    (odd,) = elements(typeset([SourceBlock("table", rows=rows, header_rows=1, place="bread and butter")]))
    assert {cell_place(odd, c) for c in odd.cells} == {"bread and butter"}


def test_a_wide_table_widens_its_page_and_a_very_wide_one_is_cut() -> None:
    wide = typeset([table(5, 20), SourceBlock("text", "After.")])
    assert wide.pages is not None
    assert wide.pages[0].page.width > 595
    assert wide.pages[-1].page.width == 595
    grid = tuple(tuple(f"r{r}c{c}" for c in range(60)) for r in range(4))
    parts = elements(typeset([SourceBlock("table", rows=grid)]))
    assert {part.text[c.start : c.end] for part in parts for c in part.cells} == {one for row in grid for one in row}
    for part in parts:
        assert part.bbox.x1 < 1.0
        assert np.isfinite(part.words.boxes).all()


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


def test_a_cell_longer_than_a_page_goes_on() -> None:
    words = [f"w{n}" for n in range(4000)]
    made = typeset(
        [SourceBlock("table", rows=(("head", "text"), ("key", " ".join(words)), ("next", "row")), header_rows=1)]
    )
    found = " ".join(p.text[c.start : c.end] for p in elements(made) for c in p.cells if c.col == 1 and not c.header)
    assert found.split() == [*words, "row"]


def test_no_vowel_of_thai_is_cut_from_its_consonant() -> None:
    for word in ("กขคงจฉชซาญ", "กขคงจฉชเซญ"):
        assert [len(piece.shown.strip("\u200b")) for piece in piece_text(word).pieces] == [7, 3]


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
