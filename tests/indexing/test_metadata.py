"""The record of a document: written and read, completed by people, kept in tables of an older Vouch."""

from __future__ import annotations

from pathlib import Path

from indexing import Collection, build_index
from indexing.metadata import FileRecords, Metadata
from tests.support import documents

FULL = Metadata("2024-05", "Zoë", "de", "minutes/old", ("a", "b"), "f0", "https://a.example/", True, "{}")


def test_people_go_before_the_file_and_all_tags_count() -> None:
    told = FileRecords({Path("a.pdf"): Metadata(author="Ada", tags=("x",))}, ("run",))
    own = Metadata(date="2020", author="Scanner 3000", tags=("own",))
    assert told.complete_metadata(own, Path("a.pdf")) == Metadata("2020", "Ada", tags=("own", "x", "run"))
    assert told.complete_metadata(own, Path("b.pdf")) == Metadata("2020", "Scanner 3000", tags=("own", "run"))


def test_records_are_kept_with_documents_and_change_without_reading_them_anew(tmp_path: Path) -> None:
    path = documents.pdf(tmp_path / "mill.pdf", ["The mill was built in 1887."])
    collection = Collection.create("kept", tmp_path / "home")
    build_index(collection, [path], workers=1, tags=["mills"])
    first = collection.document("mill.pdf")
    assert first.metadata.tags == ("mills",)
    report = build_index(collection, [path], workers=1, records={path: Metadata(author="Ada")}, tags=["old"])
    again = collection.document("mill.pdf")
    assert [f.status for f in report.files] == ["skipped"]
    assert (again.metadata.author, again.metadata.tags) == ("Ada", ("mills", "old"))
    assert again.indexed_at == first.indexed_at
