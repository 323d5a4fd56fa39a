"""CiteVQA's answer form: what is written is read back, what others write is understood, what is wrong is listed."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing import BBox
from rag.formats import CitedRegion, Statement, read_citevqa, statements_of, write_citevqa
from rag.types import Answer, Citation, Evidence, Sentence
from tests.support import fakes

# How the benchmark's own scorer finds tags: fixed order of attributes, double quotes, digits and points.
OFFICIAL = re.compile(
    r'<bbox\s+(?:doc="(\d+)"\s+)?page="(\d+)"\s+x1="([\d.]+)"\s+y1="([\d.]+)"\s+x2="([\d.]+)"\s+y2="([\d.]+)"\s*/?>'
)
BOX = BBox(0.118, 0.2045, 0.882, 0.26)
SPANS = st.tuples(st.integers(0, 9999), st.integers(1, 10000)).map(lambda ab: (min(ab[0], ab[1] - 1), ab[1]))
GRID = st.builds(lambda x, y: BBox(x[0] / 10000, y[0] / 10000, x[1] / 10000, y[1] / 10000), SPANS, SPANS)
REGIONS = st.builds(CitedRegion, st.integers(1, 9), st.integers(1, 400), GRID)
MARKUP = """<!-- --> < & lt; amp; &lt; &amp; bbox /bbox /> page="1" BBOX x 2.5% é"""
PIECES = st.sampled_from([*MARKUP.split(" "), " ", "\n\n"])
TEXTS = st.lists(PIECES, max_size=12).map(lambda parts: " ".join("".join(parts).split()))


def forms(statements: list[Statement]) -> list[tuple[str, list[tuple[object, ...]]]]:
    corners = [[(r.doc, r.page, *(round(v, 6) for v in r.bbox.as_tuple())) for r in s.regions] for s in statements]
    return [(s.text, c) for s, c in zip(statements, corners, strict=True)]


@given(st.lists(st.builds(Statement, TEXTS, st.lists(REGIONS, max_size=3).map(tuple)), max_size=5))
def test_what_is_written_is_read_back(statements: list[Statement]) -> None:
    said = [s for s in statements if s.text or s.regions]
    text = write_citevqa(said)
    reading = read_citevqa(text)
    assert reading.problems == ()
    assert forms(list(reading.statements)) == forms(said)
    assert write_citevqa(reading.statements) == text
    assert len(OFFICIAL.findall(text)) == sum(len(s.regions) for s in said)


def test_a_document_cannot_forge_a_tag() -> None:
    forged = 'Trust me <bbox page="1" x1="0" y1="0" x2="1000" y2="1000" /> &lt;bbox'
    text = write_citevqa([Statement(forged, (CitedRegion(1, 3, BOX),))])
    assert OFFICIAL.findall(text) == [("", "3", "118", "204.5", "882", "260")]
    (statement,) = read_citevqa(text).statements
    assert statement.text == forged
    assert [r.page for r in statement.regions] == [3]


@pytest.mark.parametrize(
    ("attributes", "why"),
    [
        ('page="1" x1="5" y1="5" x2="9"', "no y2"),
        ('page="one" x1="1" y1="1" x2="2" y2="2"', "page is not a number"),
        ('page="0" x1="1" y1="1" x2="2" y2="2"', "count from 1"),
        ('page="1.5" x1="1" y1="1" x2="2" y2="2"', "count from 1"),
        ('page="1" x1="9" y1="1" x2="2" y2="2"', "inverted"),
        ('page="1" x1="1" y1="1" x2="1001" y2="2"', "outside the page"),
        ('page="1" x1="-1" y1="1" x2="2" y2="2"', "outside the page"),
        ('page="1" x1="nan" y1="1" x2="2" y2="2"', "x1 is not a number"),
        ("", "no page or x1"),
    ],
)
def test_a_bad_tag_is_left_out_and_listed(attributes: str, why: str) -> None:
    reading = read_citevqa(f'a <bbox {attributes} /> <bbox page="2" x1="1" y1="1" x2="2" y2="2" />')
    ((statement), (reason)) = reading.statements[0], reading.problems[0]
    assert [r.page for r in statement.regions] == [2]
    assert why in reason


@given(st.text(max_size=200) | st.lists(PIECES, max_size=30).map("".join))
def test_reading_never_fails(text: str) -> None:
    assert isinstance(read_citevqa(text).statements, tuple)


def test_an_answer_cites_whole_elements_and_not_those_that_contradict_it() -> None:
    mill = Evidence("E1", fakes.element("Built in 1887.", "mill"), "mill.pdf", 0.9)
    bus = Evidence("E2", fakes.element("Two crowns.", "bus", 4, 2), "bus.pdf", 0.8)
    one, two = (Citation.of(e, e.element.text, e.element.words.line_boxes(0, 3)) for e in (mill, bus))
    said = (
        Sentence("Built  in\n1887.", (one, two, one), "confirmed"),
        Sentence("It is blue.", (replace(two, role="contradicts"),), "contradicted"),
    )
    answer = Answer("?", "text", said, (mill, bus), 0.9, {}, "0" * 12)
    first, second = statements_of(answer)
    assert first == Statement("Built in 1887.", (CitedRegion(1, 1, one.bbox), CitedRegion(2, 4, two.bbox)))
    assert second == Statement("It is blue.")
    assert [r.doc for r in statements_of(answer, ["bus", "mill"])[0].regions] == [2, 1]
    assert statements_of(Answer("?", "text", (), (mill,), 0.1, {}, "0" * 12)) == ()
