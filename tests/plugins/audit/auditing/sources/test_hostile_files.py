"""Files made to be slow, large or wrong: a bounded part of memory, and what is sound in them is read."""

import contextlib
import sqlite3
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from plugins.audit.auditing import Record
from plugins.audit.auditing.sources import RecordIndex, index_path, read_records, readers
from plugins.audit.errors import BibliographyUnreadable
from plugins.audit.references import BibliographicFields
from tests.plugins.audit.audits import entry

ENTRY = '@article{{k{0}, title="Mills of the north, part {0}", author={{Holm, Anna}}, year=2001}}'


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def peak(records: Iterator[Record]) -> tuple[int, int]:
    """Return how many records there are, and the most bytes that reading them took."""
    tracemalloc.start()
    try:
        return sum(1 for _ in records), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "opening", ["[", '[{"a":', '{"items": [[', '{"title":[\n['], ids=["array", "both", "items", "lines"]
)
def test_deep_json_takes_no_memory(tmp_path: Path, opening: str) -> None:
    path = written(tmp_path, "deep.json", opening * 60_000)
    with contextlib.suppress(BibliographyUnreadable):  # of an array; a line is left out
        count, most = peak(read_records(path))
        assert (count, most < 60_000_000) == (0, True)


def test_an_array_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "MOST_WHOLE", 2_000_000)
    path = written(tmp_path, "long.json", '[{"title": "first"}, {"title": "' + "a" * 9_000_000)
    with pytest.raises(BibliographyUnreadable, match="at most 2 MB"):
        list(read_records(path))


def test_a_damaged_index_is_not_reachable(tmp_path: Path) -> None:
    index = RecordIndex(index_path(tmp_path, "damaged"), make=True)
    index.add([written(tmp_path, "one.bib", ENTRY.format(1))])
    with sqlite3.connect(index.path) as rows:
        rows.execute("DROP TABLE words")
    rows.close()
    found = index.look_up(entry(BibliographicFields(title="Mills of the north")))
    assert found.outcome == "not reachable"
    assert "damaged.sqlite" in found.searched
    index.close()


def test_bibtex_without_an_entry_takes_no_memory(tmp_path: Path) -> None:
    records, most = peak(read_records(written(tmp_path, "junk.bib", "a" * 30_000_000 + "\n" + ENTRY.format(1))))
    assert records == 1
    assert most < 30_000_000
