"""Sections, headings, terms that head a text, and the labels of pages."""

from dataclasses import replace
from pathlib import Path
from time import process_time

import numpy as np
import pymupdf
import pytest

from indexing.embed.minilm import MiniLM
from indexing.parse import Outline, heads_term
from indexing.parse.document import page_label
from indexing.parse.headings import may_be_heading, states_unit
from indexing.parse.sections import MAX_DEPTH
from indexing.parse.term_lines import OPTION_WORDS
from indexing.settings import IndexingSettings
from indexing.types import BBox, Element, Kind, Page, ParsedPage, Words
from tests.support import documents, fakes

Heading = tuple[str, float]


def piece(text: str, size: float | None = None, top: float = 0.1, kind: Kind | None = None, number: int = 1) -> Element:
    """A heading of `size` thousandths of the page's height, or a paragraph."""
    height = (size or 10) / 1000
    box = BBox(0.1, top, 0.9, top + height)
    words = Words(np.array([(0, len(text))], np.int32), np.array([box.as_tuple()], np.float32), np.zeros(1, np.int32))
    kind = kind or ("text" if size is None else "heading")
    return Element(f"d-1-{number}-{text}", "d", number, kind, text, box, "layer", words=words)


def placed(*pages: list[Element], width: float = 600) -> list[tuple[Element, ...]]:
    outline = Outline()
    return [
        outline.place(ParsedPage(Page("d", n, width, 1000), tuple(page))).elements for n, page in enumerate(pages, 1)
    ]


def sections(*pages: list[Element], width: float = 600) -> dict[str, tuple[str, ...]]:
    return {e.text: e.section for page in placed(*pages, width=width) for e in page}


LONG = "A heading that is so long that it must be a paragraph in bold letters " * 3


@pytest.mark.parametrize(
    ("headings", "paths"),
    [
        ([("1 Ferries", 14), ("1.1 Stops", 14), ("1.1.2 Access", 14), ("1.2 Fares", 14), ("2 Buses", 14)],
         ["1 Ferries", "1 Ferries/1.1 Stops", "1 Ferries/1.1 Stops/1.1.2 Access", "1 Ferries/1.2 Fares", "2 Buses"]),
        ([("Report", 24), ("Ferries", 16), ("Stops", 12), ("Buses", 16)],
         ["Report", "Report/Ferries", "Report/Ferries/Stops", "Report/Buses"]),
        ([("Report", 24), ("2024 in numbers", 16), (LONG, 20)],
         ["Report", "Report/2024 in numbers", "Report/2024 in numbers"]),
        ([("I. FERRIES", 10), ("A. Stops", 10), ("B. Fares", 10), ("II. BUSES", 10), ("A. Night", 10)],
         ["I. FERRIES", "I. FERRIES/A. Stops", "I. FERRIES/B. Fares", "II. BUSES", "II. BUSES/A. Night"]),
        ([("A. Prompts", 12), ("A.2 First", 10), ("Of the first", 10), ("A.3 Next", 10)],
         ["A. Prompts", "A. Prompts/A.2 First", "A. Prompts/Of the first", "A. Prompts/A.3 Next"]),
        ([("4 RESULTS", 10.7), ("4.1 TASKS", 8.9), ("4.2 LABELS", 7.1)],
         ["4 RESULTS", "4 RESULTS/4.1 TASKS", "4 RESULTS/4.2 LABELS"]),
        ([("6 Conclusion", 12), ("A Prompts", 12), ("A.1 Words", 12)],
         ["6 Conclusion", "A Prompts", "A Prompts/A.1 Words"]),
        ([("Liquidity (in millions)", 14)], ["Liquidity"]),
    ],
    ids=["figures", "sizes", "a year and a long line", "roman, letters", "below a chapter", "small capitals",
         "appendices", "a unit"],
)  # fmt: skip
def test_what_stands_below_a_heading_is_in_its_section(headings: list[Heading], paths: list[str]) -> None:
    page = [element for n, head in enumerate(headings) for element in (piece(*head), piece(f"text {n}"))]
    found = sections([piece("before"), *page])
    assert ["/".join(found[f"text {n}"]) for n in range(len(headings))] == paths
    assert found["before"] == ()


def test_the_path_goes_on_over_the_page_break_and_is_bounded() -> None:
    found = sections([piece("Ferries", 16)], [piece("a")], [piece("Buses", 16), piece("b")])
    assert (found["a"], found["Buses"], found["b"]) == (("Ferries",), (), ("Buses",))
    assert len(sections([*(piece(f"H{n}", 40 - n) for n in range(12)), piece("a")])["a"]) == MAX_DEPTH


def test_slides_below_one_that_is_a_heading_alone_are_in_its_section() -> None:
    slides = (
        [piece("Ferries", 48)],
        [piece("Costs", 30, number=2), piece("b", number=2)],
        [piece("Fares", 24, number=3)],
    )
    found = sections(*slides, width=1600)
    assert (found["b"], found["Fares"]) == (("Ferries", "Costs"), ("Ferries",))


# ---- heads and feet ------------------------------------------------------------------------------------------------

TITLE, TOP, FOOT, BODY = "Harbour Handbook, Release 4", 0.05, 0.94, 0.4
NUMBERED = "No. 21-13199, filed in March 2022, page 1 of 17"
PROSE = piece("The boats wait here until the tide has turned, and leave again at noon.", 12, BODY, "text")


def line(text: str, top: float, kind: Kind = "text") -> Element:
    return piece(text, 12, top, kind)


def kinds(*pages: list[Element]) -> list[list[str]]:
    return [[e.kind for e in page] for page in placed(*pages)]


HEAD = [line(TITLE, TOP, "header")]
OPINION = [line("Opinion of the Court", 0.13), PROSE]
LARGE = [piece("Results", 40, 0.1), PROSE]


@pytest.mark.parametrize(
    ("pages", "last"),
    [
        ([[line(TITLE, TOP, "header"), line("Page 7", FOOT, "footer")], [line(TITLE, TOP), line("Page  8", FOOT)]],
         ["header", "footer"]),
        ([HEAD, [line(TITLE, BODY)]], ["text"]),
        ([HEAD, [line(TITLE, FOOT)]], ["text"]),
        ([HEAD, [line("The tide turns.", TOP)]], ["text"]),
        ([HEAD, [line(TITLE, TOP, "heading")]], ["heading"]),
        ([[line(TITLE, TOP), line("7", FOOT)]], ["text", "text"]),
        ([OPINION, OPINION], ["header", "text"]),
        ([LARGE, LARGE], ["heading", "text"]),
        ([[line(NUMBERED, TOP, "header")]], ["text"]),
        ([[line(NUMBERED, TOP, "header")], [line(NUMBERED.replace("page 1", "page 2"), TOP),
                                            line("12 boats of 1900", FOOT, "footer")]], ["header", "footer"]),
        *(([[line(text, FOOT, "footer")]], ["footer"]) for text in ("Page 1 of 17", "Harbour Handbook", "5/28/2020")),
    ],
    ids=["as before", "in the body", "at the other end", "other words", "a heading", "none before", "in its place",
         "large letters", "of the document", "later", "a number", "a title", "a date"],
)  # fmt: skip
def test_running_lines_are_heads_and_feet(pages: list[list[Element]], last: list[str]) -> None:
    assert kinds(*pages)[-1] == last


def test_a_picture_in_the_same_corner_is_a_logo_from_the_third_page_on() -> None:
    logo = replace(line("", TOP, "picture"), bbox=BBox(0.8, 0.02, 0.95, 0.1))
    figure = replace(line("", BODY, "picture"), bbox=BBox(0.1, 0.2, 0.9, 0.6))
    assert kinds(*[[logo, figure]] * 3) == [["picture", "picture"]] * 2 + [["header", "picture"]]


SETTINGS = IndexingSettings(visual="none", ocr="never")


UNITS = (
    "(amounts in millions)", "$ in millions", "In thousands", "(Dollars in millions, except per share amounts)",
    "(Rs. in crores)", "Angaben in Tsd. €", "Amounts expressed in thousands of euros", "(in thousands, unaudited)",
)  # fmt: skip
MORE_THAN_UNITS = ("Investing in millions of people", "Growth in percent of sales", "In brief", "Units")
NO_HEADINGS = (
    "4", "21-13199", "- 7 -", "(unaudited)", "[continued]", "First, in Figure 3 we ob-", "Smith, Jones,",
    "and so the tide turned early", *UNITS,
)  # fmt: skip
HEADINGS = ("III.", "Costs", "2.1 Stops", "iPhone", "Who pays?", "27% of seniors go online", *MORE_THAN_UNITS)


def test_units_numbers_remarks_and_half_lines_are_no_headings() -> None:
    assert [text for text in (*UNITS, *MORE_THAN_UNITS) if states_unit(text)] == [*UNITS]
    assert [text for text in (*NO_HEADINGS, *HEADINGS) if may_be_heading(text)] == [*HEADINGS]


def term(text: str, top: float, left: float = 0.1, kind: Kind = "text", lines: int = 1) -> Element:
    """A piece of a page whose lines are a hundredth of it high."""
    words = Words(
        np.array([(0, len(text))], np.int32),
        np.array([(left, top, 0.9, top + 0.01)], np.float32),
        np.zeros(1, np.int32),
    )
    box = BBox(left, top, 0.9, top + 0.01 * lines)
    return Element(f"d-1-{text[:20]}", "d", 1, kind, text, box, "layer", words=words)


BELOW = term("Run as many tests at once.", 0.22, left=0.15, lines=3)
ITEM = replace(BELOW, kind="list")


@pytest.mark.parametrize(
    ("line", "below"),
    [
        *((term(text, 0.2), ITEM) for text in ("- two jobs", "-5 degrees", "--jobs runs two tests at once.", "jobs=2",
                                                "— two", "-two", f"--jobs {'N ' * OPTION_WORDS}")),
        *((term(text, 0.2), BELOW) for text in ("For example:", "It rains.", "·", "• Tide gauge", "a) Tide gauge",
                                                 "A term of more words than eight is none, I think")),
        (term("Tide gauge", 0.2), replace(BELOW, text="mill --wait")),
        (term("Tide gauge", 0.2), ITEM),
        (term("Tide gauge", 0.2), term("Far below it stands a text.", 0.24, left=0.15)),
        (term("Tide gauge", 0.2), term("In the middle stands a text.", 0.22, left=0.4)),
        (term("Tide gauge", 0.2, kind="picture"), BELOW),
        (replace(term("Tide gauge", 0.2), words=Words.none()), BELOW),
        (term("--jobs=2", 0.2), term("Not set in.", 0.22)),
        (term("--jobs=2", 0.2), term("Beside it.", 0.2, left=0.5)),
        (term("--jobs=2", 0.2), term("1.2 Tests", 0.22, left=0.15, kind="heading")),
        (term("--jobs and what it does", 0.2, lines=3), BELOW),
    ],
)  # fmt: skip
def test_other_lines_head_nothing(line: Element, below: Element) -> None:
    assert not heads_term(line, below)


def labels(tree: str) -> list[str]:
    """The labels of the eight pages of a PDF whose catalogue has this tree."""
    with pymupdf.open() as made:
        for _ in range(8):
            made.new_page(width=10, height=10)
        made.xref_set_key(made.pdf_catalog(), "PageLabels", tree.replace("SELF", f"{made.pdf_catalog()} 0 R"))
        data = made.tobytes()
    with pymupdf.open(stream=data, filetype="pdf") as document:
        return [page_label(page) for page in document]


@pytest.mark.parametrize(
    ("tree", "read"),
    [
        ("<</Nums[0<</S/r>>3<</S/D/St 117>>]>>", "i ii iii 117 118 119 120 121"),
        ("<</Nums[0<</S/R/St 1999>>2<</S/a/St 26>>5<</S/A>>]>>", "MCMXCIX MM z aa bb A B C"),
        ("<</Nums[0<</P(A-)/S/D/St 3>>]>>", "A-3 A-4 A-5 A-6 A-7 A-8 A-9 A-10"),
        ("<</Kids[<</Nums[0<</P(Cover)>>]>><</Kids[<</Nums[1<</P<FEFF00DC>/S/D>>]>>]>>]>>",
         "Cover \u00dc1 \u00dc2 \u00dc3 \u00dc4 \u00dc5 \u00dc6 \u00dc7"),
        ("<</Nums[4<</P(x\\(/y)/S/D>>]>>", "- - - - x(/y1 x(/y2 x(/y3 x(/y4"),
    ],
)  # fmt: skip
def test_every_style_of_number(tree: str, read: str) -> None:
    assert [label or "-" for label in labels(tree)] == read.split()


@pytest.mark.parametrize(
    "tree",
    [
        "<<>>", "null", "[]", "7", "(text)", "<</Nums 3>>", "<</Nums[0]>>", "<</Nums[(a)<</S/D>>]>>",
        "<</Kids[SELF]/Nums[99<</S/D>>]>>", "<</Nums[0<</S/r/St 2147483647>>]>>", "<</Nums[0<</S/D/St -7>>7 null]>>",
        "<</Nums[0<</S/a/St 99999999>>]>>", "<</Nums[0<</S/X>>]>>", "<</Nums[0<</S 3/P 4/St(x)>>]>>",
        f"<</Nums[0<</P({'x' * 5000})>>]>>", "<</Nums[0<</P<FEFF001B005B>>>]>>", "<</Nums[0<</P<FEFF202E>>>]>>",
    ],
)  # fmt: skip
def test_a_tree_that_says_nothing_gives_no_label(tree: str) -> None:
    assert labels(tree) == [""] * 8


def test_a_tree_that_turns_in_a_ring_ends_and_what_is_no_pdf_has_no_labels() -> None:
    with pymupdf.open() as made:
        made.new_page()
        ring = made.get_new_xref()
        made.update_object(ring, f"<</Kids[{' '.join([f'{ring} 0 R'] * 40)}]>>")
        made.xref_set_key(made.pdf_catalog(), "PageLabels", f"{ring} 0 R")
        started = process_time()
        assert page_label(made[0]) == ""
        assert process_time() - started < 1
    with pymupdf.open(stream=b"<p>Hello</p>", filetype="html") as document:
        assert page_label(document[0]) == ""


def test_a_stored_page_keeps_its_label(tmp_path: Path, embedder: MiniLM) -> None:
    document = fakes.document("x.pdf", [["One."], ["Two."]])
    collection = fakes.collection(tmp_path, embedder)
    with collection.writer() as writer:
        for number, label in ((1, "iv"), (2, "")):
            parsed = fakes.parsed(document.id, number, ["A sentence."])
            writer.add(ParsedPage(replace(parsed.page, label=label), parsed.elements))
        writer.finish(replace(document, n_pages=2), documents.pdf(tmp_path / "x.pdf", ["A sentence."]))
        writer.flush()
    pages = [collection.page(document.id, number) for number in (1, 2)]
    assert [(page.label, page.printed_number) for page in pages] == [("iv", "iv"), ("", "2")]
