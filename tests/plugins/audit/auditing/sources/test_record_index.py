"""An index of records: found by what a reference has, kept through kills, promising what its owner says."""

import json
from pathlib import Path

import pytest

from plugins.audit.auditing.sources import RecordIndex, index_path, list_indexes
from plugins.audit.auditing.types import Record
from plugins.audit.errors import BibliographyUnreadable, NoSuchBibliography
from plugins.audit.references import BibliographicFields
from tests.plugins.audit.audits import entry

LAMPS = BibliographicFields(
    "Learned lamps for quays: a survey", ("Berg, Ann", "Li, Bo"), venue="Lamps", year="2019", doi="10.1000/Lamp"
)
TIDES = BibliographicFields("Tides and their tables", ("Holm, Cy",), venue="Sea", year="2001", arxiv="2001.01234v2")
PORTS = BibliographicFields("A history of small ports", ("Berg, Ann",), year="1999")


@pytest.fixture
def index(tmp_path: Path) -> RecordIndex:
    made = RecordIndex(index_path(tmp_path, "works"), make=True)
    assert made.fill(Record(fields, "works", str(n)) for n, fields in enumerate((LAMPS, TIDES, PORTS))) == 3
    return made


def titles(index: RecordIndex, fields: BibliographicFields) -> list[str]:
    return [record.fields.title for record in index.look_up(entry(fields)).records]


def test_a_work_is_found_by_its_title_as_it_is_printed_and_with_a_word_that_is_another(index: RecordIndex) -> None:
    for title in (LAMPS.title, LAMPS.title.upper(), "Learned lamps for harbours: a survey", "Learned lamps for quays"):
        found = index.look_up(entry(BibliographicFields(title)))
        assert found.outcome == "found"
        assert found.records[0].fields == LAMPS


def test_a_work_is_found_by_the_text_of_an_entry_whose_title_was_misread(index: RecordIndex) -> None:
    fields = BibliographicFields("Sea. Sallow Press", ("Ann Berg",), year="2019")
    for title, works in ((LAMPS.title, [LAMPS.title]), ("Painted lamps for horses: a history", [])):
        found = index.look_up(
            entry(fields, f"Ann Berg and Bo Li. {title.replace('lamps', 'lam ps')}. Sea. Sallow Press.")
        )
        assert [record.fields.title for record in found.records] == works


def test_a_work_is_found_by_its_identifiers_under_any_title(index: RecordIndex) -> None:
    assert titles(index, BibliographicFields("Something else", doi="10.1000/LAMP")) == [LAMPS.title]
    found = index.look_up(entry(BibliographicFields("Something else", arxiv="2001.01234")))
    assert (found.outcome, found.records[0].fields.title) == ("found", TIDES.title)
    assert "arXiv 2001.01234" in found.searched


def test_what_is_not_there_is_nothing_only_where_the_owner_promises(index: RecordIndex) -> None:
    unknown = BibliographicFields("Dragons of the northern sea", ("Nobody, N.",), year="2011")
    missed = index.look_up(entry(unknown))
    assert (missed.outcome, missed.complete, missed.records) == ("not covered", False, ())
    index.complete = True
    assert index.look_up(entry(unknown)).outcome == "nothing"
    assert index.look_up(entry(unknown)).complete


def test_a_title_of_signs_of_the_search_language_is_words_alone(index: RecordIndex) -> None:
    for title in ('"', "NEAR(a b)", "lamps* OR tides -ports", "title : ^lamps", "a" * 100_000, "\u5bfa \u5009"):
        index.look_up(entry(BibliographicFields(title)))


def lines(path: Path, count: int) -> Path:
    work = {"type": "book", "author": [{"family": "Berg", "given": "Ann"}]}
    path.write_text("\n".join(json.dumps(work | {"title": f"Lamp number {n}", "id": str(n)}) for n in range(count)))
    return path


def test_a_run_that_was_stopped_keeps_what_it_read_and_adds_nothing_twice(tmp_path: Path) -> None:
    file = lines(tmp_path / "lamps.jsonl", 12_000)

    def stopped(_: str, read: int, __: int) -> None:
        if read >= 10_000:
            raise KeyboardInterrupt

    index = RecordIndex(index_path(tmp_path, "lamps"), make=True)
    with pytest.raises(KeyboardInterrupt):
        index.add([file], stopped)
    index.close()
    again = RecordIndex(index_path(tmp_path, "lamps"))
    assert again.count == 10_000
    told: list[tuple[str, int, int]] = []
    assert again.add([file], lambda *moment: told.append(moment)) == 2_000
    assert told == [("lamps.jsonl", 5_000, 0), ("lamps.jsonl", 10_000, 0), ("lamps.jsonl", 12_000, 2_000)]
    assert again.look_up(entry(BibliographicFields("Lamp number 11999"))).outcome == "found"


def test_names_and_files_that_are_none_are_told(tmp_path: Path) -> None:
    for name in ("../x", "", "a b", ".hidden"):
        with pytest.raises(NoSuchBibliography):
            index_path(tmp_path, name)
    with pytest.raises(NoSuchBibliography, match="vouch bibliography list"):
        RecordIndex(index_path(tmp_path, "none"))
    index_path(tmp_path, "bad").parent.mkdir()
    index_path(tmp_path, "bad").write_bytes(b"no database" * 1000)
    with pytest.raises(BibliographyUnreadable, match="is not an index"):
        RecordIndex(index_path(tmp_path, "bad"))
    assert [path.stem for path in list_indexes(tmp_path)] == ["bad"]
