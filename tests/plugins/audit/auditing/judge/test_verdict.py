"""The verdict on a reference: real, with errors, questionable, likely invented, or unknown, and what is never said."""

from dataclasses import replace

import pytest

from plugins.audit.auditing.judge import judge, with_findings
from plugins.audit.auditing.types import Lookup, LookupOutcome, Record, ReferenceStatus
from plugins.audit.references import BibliographicFields, Reference

FIELDS = BibliographicFields(
    "Learning to Count Birds: A Field Study",
    ("Anna Holm", "Per Lind", "Eva Berg"),
    venue="Journal of Field Ornithology",
    year="2019",
)
RECORD = Record(replace(FIELDS, doi="10.1000/birds"), "birds.bib", "holm2019")


def entry(number: int = 1, **other: object) -> Reference:
    return Reference(number, "an entry as it is printed", replace(FIELDS, **other))  # type: ignore[arg-type]


def held(*records: Record, outcome: LookupOutcome = "found", complete: bool = False) -> list[Lookup]:
    return [Lookup("birds.bib", outcome, records, "title", complete)]


OTHER = {"title": "A Theory of Tides in Narrow Straits", "authors": ("Jo Katz",), "year": "2001"}


@pytest.mark.parametrize(
    ("other", "status"),
    [
        ({}, "real"),
        ({"venue": "J. Field Ornithol.", "year": "2020"}, "real"),
        ({"venue": "arXiv preprint", "year": "2018"}, "real"),
        ({"authors": ("A. Holm",), "et_al": True}, "real"),
        ({"title": "Learning to Count Fish: A Field Study"}, "errors"),
        ({"authors": ("Anna Holm", "Per Lind")}, "errors"),
        ({"year": "2015"}, "errors"),
        ({"venue": "The Auk"}, "errors"),
        ({"doi": "10.1000/fish"}, "errors"),
        ({"authors": ("Jo Katz", "Al Reed")}, "questionable"),
        (OTHER, "unknown"),
    ],
)
def test_the_record_that_is_there_decides(other: dict[str, object], status: ReferenceStatus) -> None:
    assert judge(entry(**other), held(RECORD)).status == status


@pytest.mark.parametrize(
    ("lookups", "status"),
    [
        ([], "unknown"),
        (held(outcome="not covered"), "unknown"),
        (held(outcome="not reachable"), "unknown"),
        (held(outcome="nothing"), "questionable"),
        (held(RECORD, complete=True), "questionable"),
        ([*held(RECORD, complete=True), replace(held(complete=True)[0], source="tides.bib")], "invented"),
        ([*held(outcome="not reachable"), *held(outcome="not covered")], "unknown"),
    ],
)
def test_only_two_promises_of_all_such_works_call_one_invented(lookups: list[Lookup], status: ReferenceStatus) -> None:
    found = judge(entry(**OTHER), lookups)
    assert found.status == status
    assert found.reason


def test_a_short_title_by_others_is_no_sign_of_a_fake() -> None:
    short = Record(BibliographicFields("Counting Birds", ("Jo Katz",), year="1999"), "birds.bib")
    cited = entry(title="Counting Birds")
    assert judge(cited, held(short)).status == "unknown"
    assert judge(cited, held(short, complete=True)).status == "questionable"


def test_a_doi_of_another_work_is_found() -> None:
    tides = Record(replace(FIELDS, doi="10.1000/tides", **OTHER), "registry")  # type: ignore[arg-type]
    hijacked = judge(entry(doi="10.1000/tides"), held(tides))
    assert hijacked.status == "questionable"
    assert [f.kind for f in hijacked.findings] == ["hijacked-doi"]
    assert "A Theory of Tides" in hijacked.reason
    known = judge(entry(doi="10.1000/tides"), held(tides, replace(RECORD, fields=FIELDS)))
    assert known.status == "errors"
    assert next(v for v in known.fields if v.field == "doi").agrees is False
    assert judge(entry(doi="10.1000/birds"), held(RECORD)).findings == ()


def test_duplicates_and_entries_never_cited() -> None:
    entries = [
        entry(1),
        entry(2, **OTHER),
        entry(3, title="Learning to count birds - a field study", authors=("A. Holm",), et_al=True),
        entry(4, doi="10.1000/x", **{**OTHER, "title": "Tides"}),
        entry(5, doi="10.1000/X", **{**OTHER, "title": ""}),
    ]
    found = with_findings([judge(e, []) for e in entries], cited={1, 3, 4, 5})
    kinds = [[(f.kind, f.text) for f in e.findings] for e in found]
    assert kinds == [
        [],
        [("never-cited", "the text never cites it")],
        [("duplicate", "the same work as entry 1")],
        [],
        [("duplicate", "the same work as entry 4")],
    ]
    assert all(e.findings == () for e in with_findings([judge(entries[1], [])]))


def test_a_title_alone_makes_no_reference_real() -> None:
    bare = Record(BibliographicFields(FIELDS.title), "birds.bib")
    found = judge(entry(), held(bare))
    assert (found.status, "nothing else" in found.reason) == ("unknown", True)
    dated = Record(BibliographicFields(FIELDS.title, year="2019"), "birds.bib")
    assert judge(entry(), held(dated)).status == "real"


DENIED = [Lookup("DOI", "nothing", (), "DOI 10.1000/bir, which does not exist")]


def test_two_signs_call_a_reference_invented() -> None:
    assert judge(entry(doi="10.1000/bir", **OTHER), [*DENIED, *held(complete=True)]).status == "invented"
    stolen = entry(authors=("Jo Katz", "Al Reed"), doi="10.1000/bir")
    assert judge(stolen, [*DENIED, *held(RECORD)]).status == "invented"


@pytest.mark.parametrize(
    ("other", "lookups"),
    [
        ({"doi": "10.1000/bir", "doubtful": ("doi",)}, DENIED),
        ({"title": "A Field Study", "doubtful": ("title", "authors")}, held(RECORD, complete=True)),
        ({"title": "A Field Study", "doubtful": ("title",)}, held(RECORD, complete=True)),
        ({"authors": ("Jo Katz", "Al Reed"), "doubtful": ("authors", "title")}, held(RECORD, complete=True)),
    ],
)
def test_a_field_that_was_read_with_doubt_is_no_sign(other: dict[str, object], lookups: list[Lookup]) -> None:
    printed = f"Anna Holm. {FIELDS.title.replace('Birds', 'Brids')} in harbours, 2019"
    assert judge(replace(entry(**other), text=printed), lookups).status == "unknown"


def test_a_title_read_with_doubt_is_missing_where_no_part_of_the_entry_is_like_a_record() -> None:
    doubtful = entry(title="A Theory of Tides", doubtful=("title",))
    assert judge(doubtful, held(RECORD, complete=True)).status == "questionable"
    unnamed = entry(title="A Theory of Tides", doubtful=("title", "authors"))
    assert judge(unnamed, held(complete=True)).status == "unknown"
    assert judge(entry(title="", doubtful=("title",)), held(RECORD, complete=True)).status == "unknown"


def test_a_field_that_was_read_with_doubt_is_no_error() -> None:
    assert judge(entry(doi="10.1000/bir"), held(RECORD)).status == "errors"
    cut = judge(entry(doi="10.1000/bir", doubtful=("doi",)), held(RECORD))
    assert cut.status == "real"
    assert "read with doubt" in next(v for v in cut.fields if v.field == "doi").note
    assert judge(entry(title="Learning to Count", doubtful=("title",)), held(RECORD)).status == "unknown"
    tides = Record(replace(FIELDS, doi="10.1000/tides", **OTHER), "registry")  # type: ignore[arg-type]
    assert judge(entry(doi="10.1000/tides", doubtful=("doi",)), held(tides)).findings == ()


MISREAD = Reference(
    1,
    f"Anna Holm, Per Lind, and Eva Berg. {FIELDS.title}. In Jo Boyd-Katz (ed.), {FIELDS.venue} (1987), 2019.",
    replace(FIELDS, title="A Field Study", venue="Jo Boyd-Katz"),
)


def test_the_title_that_an_entry_prints_is_its_title_whatever_was_read() -> None:
    found = judge(MISREAD, held(RECORD, complete=True))
    assert found.status == "real"
    assert found.reference.fields.title == FIELDS.title
    longer = replace(MISREAD, text=MISREAD.text.replace("Study", "Study of Gulls"))
    assert judge(longer, held(RECORD, complete=True)).status != "real"
    by_others = replace(MISREAD, text=MISREAD.text.replace("Anna Holm, Per Lind, and Eva Berg", "Jo Katz"))
    assert judge(by_others, held(RECORD, complete=True)).status != "real"


@pytest.mark.parametrize(
    ("read", "status"),
    [
        ({"year": "1987"}, "real"),
        ({"authors": ("Anna Holm and Per Lind", "Eva Berg")}, "real"),
        ({"authors": ("Anna Holm", "Per Lind", "Jo Katz")}, "errors"),
        ({"year": "1988"}, "real"),
    ],
)
def test_what_the_text_has_of_the_record_was_misread(read: dict[str, object], status: ReferenceStatus) -> None:
    assert judge(replace(MISREAD, fields=replace(FIELDS, **read)), held(RECORD)).status == status  # type: ignore[arg-type]


def test_a_field_that_the_text_has_not_is_an_error() -> None:
    another = Record(replace(FIELDS, year="2015", authors=(*FIELDS.authors, "Jo Katz")), "birds.bib")
    noted = [v.field for v in judge(replace(MISREAD, fields=FIELDS), held(another)).fields if v.agrees is False]
    assert noted == ["authors", "year"]


def test_a_doi_that_is_cut_by_blanks_is_the_record_s() -> None:
    cut = replace(MISREAD, text=f"{MISREAD.text} doi:10. 1000/ birds", fields=replace(FIELDS, doi=""))
    assert judge(cut, held(RECORD)).reference.fields.doi == "10.1000/birds"
    other = replace(MISREAD, text=f"{MISREAD.text} doi:10.1000/fish", fields=replace(FIELDS, doi="10.1000/fish"))
    assert judge(other, held(RECORD)).status == "errors"


def test_a_page_of_the_web_is_said_not_to_be_looked_for() -> None:
    page = entry(url="https://example.org/birds", **OTHER)
    found = judge(page, held(outcome="not covered"))
    assert found.status == "unknown"
    assert found.reason == "no source covers it; the page at its address was not looked for"
    assert "looked for" not in judge(entry(doi="10.1000/x", url="https://example.org", **OTHER), held(RECORD)).reason
