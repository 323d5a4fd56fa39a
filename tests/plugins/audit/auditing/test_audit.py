"""The audit as a whole: entries are told as they are done, its end is in order, and it can be stopped at any moment."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from plugins.audit.auditing import (
    Audit,
    Audited,
    Lookup,
    Record,
    RecordSource,
    ReferenceAudited,
    ReferencesFound,
    stream_audit,
)
from plugins.audit.auditing.cited_marks import MISSING_RESTS_ON, cited_numbers, missing_marks
from plugins.audit.auditing.online import Crossref
from plugins.audit.auditing.sources import RecordIndex
from plugins.audit.marks import find_marks
from plugins.audit.references import BibliographicFields, Bibliography, Reference
from tests.plugins.audit.auditing.online.services import CITED
from tests.plugins.audit.record_service import Answer, RecordService


def entry(number: int) -> Reference:
    fields = BibliographicFields(f"On the Flight of {word(number)} over the Northern Sea", ("Anna Holm",), year="2019")
    return Reference(number, f"Anna Holm. {fields.title}. 2019.", fields, f"[{number}]")


def word(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) * 4 for digit in str(number))


class Library:
    """A source that knows every work, and waits at the works that it is told to wait at."""

    name = "library"

    def __init__(self, waits: threading.Event | None = None, at: int = 0) -> None:
        self.waits, self.at = waits, at
        self.asked: list[str] = []

    def look_up(self, reference: Reference) -> Lookup:
        fields = reference.fields
        self.asked.append(fields.title)
        if self.waits is not None and word(self.at) in fields.title:
            self.waits.wait(30)
        return Lookup(self.name, "found", (Record(fields, self.name),), "title")


PAPER = Bibliography(tuple(entry(n) for n in range(1, 6)))


def test_events_come_as_they_are_done_and_the_end_is_in_order() -> None:
    waits = threading.Event()
    library = Library(waits, at=1)
    done: list[int] = []
    last = None
    for event in stream_audit("paper.pdf", PAPER, [library]):
        if isinstance(event, ReferencesFound):
            assert event.references == PAPER.references
        if isinstance(event, ReferenceAudited):
            done.append(event.reference.reference.number)
            if len(done) == 4:
                waits.set()
        last = event
    assert done[-1] == 1
    assert isinstance(last, Audited)
    assert [e.reference.number for e in last.audit.references] == [1, 2, 3, 4, 5]
    assert {e.status for e in last.audit.references} == {"real"}


def test_closing_it_ends_the_work() -> None:
    waits = threading.Event()
    library = Library(waits, at=1)
    many = Bibliography(tuple(entry(n) for n in range(1, 400)))
    events = stream_audit("paper.pdf", many, [library], workers=1)
    next(events)
    threading.Timer(0.0, waits.set).start()
    assert isinstance(next(events), ReferenceAudited)
    events.close()
    asked = len(library.asked)
    for thread in threading.enumerate():
        if thread.name.startswith("audit"):
            thread.join(10)
    assert len(library.asked) <= asked + 1 < 399


TEXT = "Gulls fly low over the sea [1]. Terns do so too [2, 3] and rest. This was never shown [9]. Nobody knows."


def test_entries_never_cited_and_marks_without_an_entry() -> None:
    marks = tuple(find_marks(TEXT))
    assert cited_numbers(marks, PAPER.references) == {1, 2, 3}
    assert missing_marks(marks, PAPER.references, TEXT) == ("9",)
    assert cited_numbers(tuple(find_marks(CITES)), (*NAMED, UNNAMED)) == {1, 2, 3, 4, 7}
    *_, last = stream_audit("paper.pdf", replace(PAPER, marks=marks, body=TEXT), [Library()])
    assert isinstance(last, Audited)
    assert last.audit.missing == ("9",)
    assert last.audit.notes == (MISSING_RESTS_ON,)
    never = [e.reference.number for e in last.audit.references if any(f.kind == "never-cited" for f in e.findings)]
    assert never == [4, 5]


def test_numbers_in_code_are_no_marks_without_an_entry() -> None:
    code = ".model x9 (rise =1.0e-6 fall =2.0e-6)\nabridge1 [70] [out] d1\n.model d1 dac (low = 0.7 high = 3.5)"
    assert missing_marks(tuple(find_marks(TEXT + code)), PAPER.references, TEXT + code) == ("9",)


def listed(number: int, name: str, year: str, behind: str = "") -> Reference:
    fields = BibliographicFields(f"On Birds of {word(number)}", (name,), year=year)
    return Reference(number, f"{name}. {fields.title}. {year}. {behind}", fields)


NAMED = (
    *(listed(n, name, "2019") for n, name in enumerate(("Anna Holm", "Per Lind", "Berg E", "Jo Katz"), 1)),
    listed(5, "Ida Ross", ""),
    listed(6, "Ola Dahl", "2015", behind="Skua Society. Skuas. 2016."),
)
UNNAMED = Reference(7, "On Skuas. 2016.", BibliographicFields("On Skuas", year="2016"))
CITES = "Gulls fly (Holm, 2019), terns dive (Lind, 2019), and owls hunt (Berg, 2019; Katz, 2019). "


@pytest.mark.parametrize(
    ("sentence", "missing"),
    [
        ("Auks swim (Moor, 2018).", ("Moor 2018",)),
        ("The olympiad (Quay 2018) was won.", ()),
        ("The piers (drawn for Baron Carl Moorman 1700) still stand.", ()),
        ("It stands in the Great Harbour Encyclopedia (1969–1978).", ()),
        ("As Moor (2018) says, auks swim.", ()),
        ("It was shown (Moor et al., et al., 2015).", ()),
        ("The values are [7, 9].", ()),
        ("See Lind (2019) for SMM and Holm (2019).", ()),
        ("It dives (Ross, 2014; Skua Society, 2016), or hides (Moor, 2018).", ("Moor 2018",)),
        ("Cite it as (Moor, 2018), “Auks”, Gull Press.", ()),
    ],
)
def test_only_marks_in_the_form_of_the_paper_are_missing(sentence: str, missing: tuple[str, ...]) -> None:
    assert missing_marks(tuple(find_marks(CITES + sentence)), NAMED, CITES + sentence) == missing


def audit_of(fields: list[BibliographicFields], sources: list[RecordSource]) -> Audit:
    paper = Bibliography(tuple(Reference(number, f.title, f) for number, f in enumerate(fields, 1)))
    *_, last = stream_audit("paper.pdf", paper, sources, workers=1)
    assert isinstance(last, Audited)
    return last.audit


def test_a_source_that_is_away_is_told_once_and_accuses_nobody(tmp_path: Path) -> None:
    known = RecordIndex(tmp_path / "known.sqlite", make=True)
    known.fill([Record(replace(CITED, title="Frost and the Potato", doi=""), "")])
    cited = [CITED, replace(CITED, title="Frost and the Potato", doi=""), replace(CITED, title="On Bells", doi="")]
    with RecordService(Answer(500)) as server:
        audit = audit_of(cited, [known, Crossref(server.service(Crossref.terms))])
    known.close()
    assert [entry.status for entry in audit.references] == ["unknown", "real", "unknown"]
    assert "could not be reached: Crossref" in audit.references[0].reason
    [note] = audit.notes
    assert "Crossref could not be reached for 2 of the entries" in note
    assert "answers 500, also after 3 tries" in note
