"""The syntax of filters: what is read, what is refused, at which column, and that nothing hostile takes long."""

import time

import pytest

from indexing.errors import BadFilter, NothingFits
from indexing.filters import MOST_CHARACTERS, facets_of, fitting_documents, parse_filter
from indexing.metadata import Metadata
from indexing.types import Document


def document(name: str, **known: object) -> Document:
    return Document(name, name, "", 1, name * 2, f"/{name}", metadata=Metadata(**known))  # type: ignore[arg-type]


MAY = document("may.pdf", date="2024-05-17", author="Ada Lovelace; Charles Babbage", tags=("minutes", "Board"))
LATE = document("late.DOCX", date="2025", author="Zoë", language="de", folder="minutes/2025", tags=("minutes",))
BARE = document("bare.md", missing=True)
ALL = (MAY, LATE, BARE)


def fitting(where: str) -> str:
    tree = parse_filter(where)
    return " ".join(d.name for d in ALL if tree.fits(d))


@pytest.mark.parametrize(
    ("where", "names"),
    [
        ("tag=minutes", "may.pdf late.DOCX"),
        ("tag=BOARD", "may.pdf"),
        ("tag!=board", "late.DOCX bare.md"),
        ("tag~min", "may.pdf late.DOCX"),
        ("tag=''", "bare.md"),
        ("tag!=''", "may.pdf late.DOCX"),
        ("date>=2024", "may.pdf late.DOCX"),
        ("date>2024", "late.DOCX"),
        ("date<=2024", "may.pdf"),
        ("date<2024-05-18", "may.pdf"),
        ("date<2024-05-17", ""),
        ("date=2024-05", "may.pdf"),
        ("date=2025-01", ""),  # of a year alone nobody knows the month
        ("date>=2025-06", ""),
        ("date!=2024", "late.DOCX bare.md"),
        ("date~05", "may.pdf"),
        ("author='ada lovelace'", "may.pdf"),
        ("author~babbage", "may.pdf"),
        ("author=Zoe\u0308", "late.DOCX"),
        ("language=DE", "late.DOCX"),
        ("folder=minutes", "late.DOCX"),
        ("folder=minutes/", "late.DOCX"),
        ("folder=min", ""),
        ("kind=docx", "late.DOCX"),
        ("kind=.pdf", "may.pdf"),
        ("name~A", "may.pdf late.DOCX bare.md"),
        ("missing", "bare.md"),
        ("not missing", "may.pdf late.DOCX"),
        ("missing=no", "may.pdf late.DOCX"),
        ("missing!=no", "bare.md"),
        ("TAG = minutes AND NOT date >= 2025", "may.pdf"),
        ("tag=board or kind=md and missing", "may.pdf bare.md"),
        ("(tag=board or kind=md) and missing", "bare.md"),
        ('not (tag=minutes or name="bare.md")', ""),
        ('tag="and"', ""),
    ],
)
def test_filters_let_through(where: str, names: str) -> None:
    assert fitting(where) == names


@pytest.mark.parametrize(
    ("where", "column", "says"),
    [
        ("tga=minutes", 1, "did you mean tag?"),
        ("tag=minutes date>=2024", 13, "is not connected to what stands before it"), ("tag>minutes", 4, "= != ~"),
        ("tag", 4, "= != ~"), ("tag=", 5, "a value is expected"), ("tag= and missing", 6, "quotes"),
        ("tag=minutes and", 16, "a field is expected"), ("date>=May", 7, "2024-05-17"),
        ("date>=''", 7, "empty value"), ("(tag=minutes", 13, "parenthesis of column 1 is not closed"),
        ("tag=minutes)", 12, "closes nothing"), ("author='O'Brien'", 16, "quotes of the other kind"),
        ("author='Ada", 8, "quote is not closed"), ("tag=a!b", 6, "is not allowed here"),
        ("missing=maybe", 9, "yes or no"), ("'tag'=minutes", 1, "a field is expected"),
    ],
)  # fmt: skip
def test_faults_are_told_with_their_column(where: str, column: int, says: str) -> None:
    with pytest.raises(BadFilter) as failed:
        parse_filter(where)
    assert f"column {column}:" in str(failed.value)
    assert says in str(failed.value)


def test_limits_hold() -> None:
    for where, says in (("", "empty"), ("tag=" + "a" * MOST_CHARACTERS, "shorten"), ("(" * 400, "nested more than")):
        with pytest.raises(BadFilter, match=says):
            parse_filter(where)
    with pytest.raises(BadFilter, match="nested more than"):
        parse_filter("not " * 200 + "missing")
    started = time.process_time()
    assert fitting(" or ".join(["tag=x"] * 100)) == ""
    assert time.process_time() - started < 0.5


def test_a_filter_that_nothing_fits_tells_the_values_there_are() -> None:
    assert fitting_documents(ALL, "missing", "work") == (BARE,)
    with pytest.raises(NothingFits, match=r"'work' matches the filter 'tag=budget' \(tag is one of minutes, Board\)"):
        fitting_documents(ALL, "tag=budget", "work")
    with pytest.raises(NothingFits, match="no document has a tag"):
        fitting_documents([BARE], "tag=budget", "work")
    with pytest.raises(NothingFits, match="no documents yet"):
        fitting_documents([], "tag=budget", "work")


def test_facets_count_what_there_is() -> None:
    found = facets_of(ALL)
    assert found.tags == (("minutes", 2), ("Board", 1))
    assert found.years == (("2025", 1), ("2024", 1))
    assert found.kinds == (("docx", 1), ("md", 1), ("pdf", 1))
    assert found.languages == (("de", 1),)
