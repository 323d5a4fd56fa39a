"""The numbers that a PDF gives its pages are read as they are printed, and no tree of them leads astray."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import process_time

import pymupdf
import pytest

from indexing import ParsedPage
from indexing.embed.minilm import MiniLM
from indexing.parse.page_labels import page_label
from tests.support import documents, fakes


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
