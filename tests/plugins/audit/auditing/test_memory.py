"""The memory: a vector nominates, no more; it lasts, it is bounded, and two may write."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from indexing.embed import MiniLM
from plugins.audit.auditing.judge import judge
from plugins.audit.auditing.memory import VerifiedRecords, remember_verified
from plugins.audit.auditing.types import Audit, AuditedReference, Record
from plugins.audit.references import BibliographicFields, Reference
from tests.support import fakes

FIELDS = BibliographicFields(
    "Water Mills of the Northern Valleys and Their Owners", ("Brandt, Ilse", "Moreau, Paul"), venue="Journal of Mills",
    year="2019", doi="10.5555/mill.1887",
)  # fmt: skip
RECORD = Record(FIELDS, "Crossref", "10.5555/mill.1887", "journal-article")


@pytest.fixture(scope="module")
def embedder() -> MiniLM:
    return MiniLM()


@pytest.fixture
def memory(tmp_path: Path, embedder: MiniLM) -> VerifiedRecords:
    return VerifiedRecords(tmp_path / "verified.sqlite", embedder.embed_passages)


def test_an_empty_one_covers_nothing_and_makes_no_file(memory: VerifiedRecords, tmp_path: Path) -> None:
    assert memory.look_up(FIELDS).outcome == "not covered"
    assert list(tmp_path.iterdir()) == []


def test_a_record_is_found_again_as_it_was_kept(memory: VerifiedRecords, tmp_path: Path, embedder: MiniLM) -> None:
    assert memory.remember(RECORD)
    assert memory.look_up(FIELDS).records == (RECORD,)
    again = VerifiedRecords(tmp_path / "verified.sqlite", embedder.embed_passages)
    lookup = again.look_up(FIELDS)
    assert (lookup.outcome, lookup.records, lookup.source) == ("found", (RECORD,), "verified before")
    assert "among 1 records" in lookup.searched
    assert (tmp_path / "verified.sqlite").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("authors", [("I. Brandt", "P. Moreau"), ("Ilse Brandt", "Paul Moreau")])
def test_names_written_otherwise_find_it(memory: VerifiedRecords, authors: tuple[str, ...]) -> None:
    memory.remember(RECORD)
    assert memory.look_up(replace(FIELDS, authors=authors)).records == (RECORD,)


def test_a_title_with_a_word_exchanged_is_nominated_and_the_fields_refuse_it(memory: VerifiedRecords) -> None:
    memory.remember(RECORD)
    changed = replace(FIELDS, title=FIELDS.title.replace("Northern", "Southern"), doi="")
    lookup = memory.look_up(changed)
    assert lookup.records == (RECORD,)
    assert judge(Reference(1, "", changed), [lookup]).status != "real"
    assert judge(Reference(1, "", FIELDS), [memory.look_up(FIELDS)]).status == "real"


def test_what_is_not_near_is_not_covered(memory: VerifiedRecords) -> None:
    memory.remember(RECORD)
    for title in ("Frost and the Potato", "", "   ", "1887"):
        lookup = memory.look_up(BibliographicFields(title, ("Kerr, Anna",)))
        assert (lookup.outcome, lookup.records) == ("not covered", ())


def test_a_record_is_kept_once_and_one_without_a_title_never(memory: VerifiedRecords) -> None:
    assert [memory.remember(RECORD) for _ in range(3)] == [True] * 3
    assert len(memory.look_up(FIELDS).records) == 1
    assert not memory.remember(Record(BibliographicFields(doi="10.5555/x"), "Crossref"))
    assert not memory.remember(replace(RECORD, fields=replace(FIELDS, authors=("x" * 3000,) * 200)))


def test_the_oldest_goes_where_there_are_too_many(tmp_path: Path, embedder: MiniLM) -> None:
    memory = VerifiedRecords(tmp_path / "verified.sqlite", embedder.embed_passages, most=3)
    titles = ["Frost and the Potato", "On Bells", "Ships of the Inland Lakes", "The Price of Salt in 1740"]
    for number, title in enumerate(titles):
        memory.look_up(FIELDS)  # what it holds in memory goes along
        memory.remember(Record(BibliographicFields(title), "Crossref", str(number)))
    outcomes = [memory.look_up(BibliographicFields(title)).outcome for title in titles]
    assert outcomes == ["not covered", "found", "found", "found"]


def test_two_write_at_a_time_and_each_sees_what_the_other_wrote(tmp_path: Path, embedder: MiniLM) -> None:
    both = [VerifiedRecords(tmp_path / "verified.sqlite", embedder.embed_passages) for _ in range(2)]

    def write(memory: VerifiedRecords, name: str) -> None:
        for number in range(20):
            assert memory.remember(Record(BibliographicFields(f"{name} number {number}"), "Crossref"))

    threads = [threading.Thread(target=write, args=pair) for pair in zip(both, ("Ferries", "Orchards"), strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for memory in both:
        lookup = memory.look_up(BibliographicFields("Orchards number 7"))
        assert "among 40 records" in lookup.searched
        assert lookup.records[0].fields.title == "Orchards number 7"


@pytest.mark.parametrize("content", [b"no database" * 200, b"SQLite format 3\0" + b"\xff" * 4000])
def test_a_damaged_file_is_told_and_stops_nothing(memory: VerifiedRecords, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "verified.sqlite").write_bytes(content)
    lookup = memory.look_up(FIELDS)
    assert lookup.outcome == "not reachable"
    assert "delete it" in lookup.searched
    assert not memory.remember(RECORD)


def test_records_that_are_none_are_left_out(memory: VerifiedRecords) -> None:
    memory.remember(RECORD)
    for text in (
        "[]",
        "{",
        '{"fields": {"title": "x", "odd": 1}, "source": "", "key": "", "kind": ""}',
        '{"fields": 5}',
    ):
        rows = memory._open()
        with rows:
            rows.execute("UPDATE verified SET record = ?", (text,))
        assert memory.look_up(FIELDS).outcome == "not covered"


def test_it_lies_with_its_collection(tmp_path: Path, embedder: MiniLM) -> None:
    collection = fakes.collection(tmp_path, embedder)
    memory = VerifiedRecords.of(collection)
    memory.remember(RECORD)
    assert (collection.path / "verified.sqlite").is_file()
    memory.close()
    assert memory.look_up(FIELDS).outcome == "found"
    collection.delete()
    assert memory.look_up(FIELDS).outcome == "not covered"


def test_real_references_are_remembered_and_no_others(memory: VerifiedRecords) -> None:
    own = replace(RECORD, source="the collection's documents")
    entries = [
        AuditedReference(Reference(1, "", FIELDS), "real", "", RECORD),
        AuditedReference(Reference(2, "", FIELDS), "errors", "", replace(RECORD, key="other")),
        AuditedReference(Reference(3, "", FIELDS), "real", "", own),
        AuditedReference(Reference(4, "", FIELDS), "unknown", ""),
        AuditedReference(Reference(5, "", FIELDS), "real", "", replace(RECORD, source="a file given for this audit")),
    ]
    audit = Audit("paper.pdf", tuple(entries))
    assert remember_verified(audit, memory, ["Crossref", "the collection's documents", "verified before"]) == 1
    assert memory.look_up(FIELDS).records == (RECORD,)
