"""The record of a document: written and read, completed by people, kept in tables of an older Vouch."""

from __future__ import annotations

from pathlib import Path

from indexing import Collection, build_index
from indexing.metadata import FileRecords, Metadata
from tests.support import documents

FULL = Metadata("2024-05", "Zoë", "de", "minutes/old", ("a", "b"), "f0", "https://a.example/", True, "{}")


def test_a_record_is_read_as_it_was_written() -> None:
    assert Metadata.from_json(FULL.to_json()) == FULL
    assert Metadata().to_json() == ""
    assert Metadata.from_json("") == Metadata.from_json(None) == Metadata()


def test_fields_of_another_version_are_left_out() -> None:
    assert Metadata.from_json('{"colour": "red", "author": "Zoë"}') == Metadata(author="Zoë")


def test_people_go_before_the_file_and_all_tags_count() -> None:
    told = FileRecords({Path("a.pdf"): Metadata(author="Ada", tags=("x",))}, ("run",))
    own = Metadata(date="2020", author="Scanner 3000", tags=("own",))
    assert told.complete_metadata(own, Path("a.pdf")) == Metadata("2020", "Ada", tags=("own", "x", "run"))
    assert told.complete_metadata(own, Path("b.pdf")) == Metadata("2020", "Scanner 3000", tags=("own", "run"))


def test_tags_that_sidecars_withdraw_go_where_the_folder_was_read() -> None:
    own = Metadata(tags=("old", "mine", "kept"), sidecar_tags=("old", "kept"), folder="a", missing=True)
    given = Metadata(tags=("new", "kept"), sidecar_tags=("new", "kept"), folder=".")
    told = FileRecords({Path("a.pdf"): given, Path("alone.pdf"): Metadata(tags=("new",))})
    read = told.complete_metadata(own, Path("a.pdf"))
    assert read == Metadata(tags=("mine", "kept", "new"), sidecar_tags=("new", "kept"))
    assert told.complete_metadata(read, Path("a.pdf")) == read
    alone = told.complete_metadata(own, Path("alone.pdf"))
    assert (alone.tags, alone.folder, alone.missing) == (("old", "mine", "kept", "new"), "a", False)


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
