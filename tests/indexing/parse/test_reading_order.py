"""A typeset page of two columns, out of the samples: what is read in which order, and what is no text of the page."""

from __future__ import annotations

import pymupdf
import pytest

from indexing.parse.layout import parse_page
from indexing.settings import IndexingSettings
from indexing.types import SILENT_KINDS, Element
from samples import DOCUMENTS

PAGE = 4
"""Of the report: a heading above two columns of three short sections, a chart, a footnote."""


@pytest.fixture(scope="module")
def elements() -> tuple[Element, ...]:
    with pymupdf.open(DOCUMENTS / "sallow-bay-annual-report.pdf") as report:
        return parse_page(report[PAGE - 1], "report", IndexingSettings(visual="none", ocr="never")).elements


def test_the_left_column_is_read_before_the_right_one(elements: tuple[Element, ...]) -> None:
    told = [e for e in elements if e.kind in ("heading", "text")]
    assert [(e.kind, "right" if e.bbox.x0 > 0.5 else "left", " ".join(e.text.split()[:2])) for e in told] == [
        ("heading", "left", "Routes and"),
        ("text", "left", "Five routes"),
        ("heading", "left", "Northshore"),
        ("text", "left", "A boat"),
        ("heading", "left", "Harbour Loop"),
        ("text", "left", "The Loop"),
        ("heading", "right", "Gull Island"),
        ("text", "right", "Gull Island"),
        ("heading", "right", "Tern Sound"),
        ("text", "right", "A ninth"),
        ("heading", "right", "Night Line"),
        ("text", "right", "The Night"),
    ]


def test_what_stands_on_every_page_is_told_apart_and_not_searched(elements: tuple[Element, ...]) -> None:
    headers = [e for e in elements if e.kind == "header"]
    footers = [e for e in elements if e.kind == "footer"]
    assert [e.text for e in headers] == ["Sallow Bay Ferry Cooperative", "Routes and passengers"]
    assert [e.text for e in footers] == ["Annual Report 2024", str(PAGE)]
    assert all(e.bbox.y1 < 0.1 for e in headers)
    assert all(e.bbox.y0 > 0.9 for e in footers)
    assert {"header", "footer"} <= {*SILENT_KINDS}
