"""The memory: it nominates, no more; it lasts, it is bounded, and two may write."""

from dataclasses import replace
from pathlib import Path

import pytest

from indexing.embed import MiniLM
from plugins.audit.auditing.judge import judge
from plugins.audit.auditing.memory import VerifiedRecords, remember_verified
from plugins.audit.auditing.types import Audit, AuditedReference, Record
from plugins.audit.references import BibliographicFields, Reference
from tests.plugins.audit.audits import entry
from tests.support import fakes

FIELDS = BibliographicFields(
    "Water Mills of the Northern Valleys and Their Owners", ("Brandt, Ilse", "Moreau, Paul"), venue="Journal of Mills",
    year="2019", doi="10.5555/mill.1887",
)  # fmt: skip
RECORD = Record(FIELDS, "Crossref", "10.5555/mill.1887", "journal-article")
KEPT = replace(RECORD, source="verified before", key="Crossref: 10.5555/mill.1887")


@pytest.fixture
def memory(tmp_path: Path) -> VerifiedRecords:
    return VerifiedRecords(tmp_path / "verified.sqlite")


def test_a_record_is_found_again_however_names_are_written(memory: VerifiedRecords, tmp_path: Path) -> None:
    assert [memory.remember([RECORD]) for _ in range(3)] == [1, 0, 0]
    again = VerifiedRecords(tmp_path / "verified.sqlite").look_up(
        entry(replace(FIELDS, authors=("I. Brandt", "P. Moreau")))
    )
    assert (again.outcome, again.records, again.source) == ("found", (KEPT,), "verified before")
    assert (tmp_path / "verified.sqlite").stat().st_mode & 0o077 == 0
    assert memory.look_up(entry(BibliographicFields("Frost and the Potato", ("Kerr, Anna",)))).outcome == "not covered"


def test_a_title_with_a_word_exchanged_is_nominated_and_the_fields_refuse_it(memory: VerifiedRecords) -> None:
    memory.remember([RECORD])
    changed = replace(FIELDS, title=FIELDS.title.replace("Northern", "Southern"), doi="")
    lookup = memory.look_up(entry(changed))
    assert lookup.records == (KEPT,)
    assert judge(Reference(1, "", changed), [lookup]).status != "real"
    assert judge(Reference(1, "", FIELDS), [memory.look_up(entry(FIELDS))]).status == "real"


@pytest.mark.parametrize("content", [b"no database" * 200, b"SQLite format 3\0" + b"\xff" * 4000])
def test_a_damaged_file_is_told_and_stops_nothing(memory: VerifiedRecords, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "verified.sqlite").write_bytes(content)
    lookup = memory.look_up(entry(FIELDS))
    assert lookup.outcome == "not reachable"
    assert lookup.searched.endswith("delete it, and the next audit looks its records up again")
    assert memory.remember([RECORD]) == 0


def test_it_lies_with_its_collection(tmp_path: Path) -> None:
    collection = fakes.collection(tmp_path, MiniLM())
    memory = VerifiedRecords.of(collection)
    memory.remember([RECORD])
    memory.close()
    assert memory.look_up(entry(FIELDS)).outcome == "found"
    memory.close()
    collection.delete()
    assert memory.look_up(entry(FIELDS)).outcome == "not covered"


def test_real_references_are_remembered_and_no_others(memory: VerifiedRecords) -> None:
    entries = [
        AuditedReference(Reference(1, "", FIELDS), "real", "", RECORD),
        AuditedReference(Reference(2, "", FIELDS), "errors", "", replace(RECORD, key="other")),
        AuditedReference(Reference(3, "", FIELDS), "real", "", replace(RECORD, source="the collection's documents")),
        AuditedReference(Reference(4, "", FIELDS), "unknown", ""),
        AuditedReference(Reference(5, "", FIELDS), "real", "", replace(RECORD, source="a file given for this audit")),
    ]
    audit = Audit("paper.pdf", tuple(entries))
    assert remember_verified(audit, memory, ["Crossref", "the collection's documents", "verified before"]) == 1
    assert memory.look_up(entry(FIELDS)).records == (KEPT,)
