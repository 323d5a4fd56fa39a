"""Exports of a library are read like the library: Better BibTeX JSON and CSL-JSON, with the files they name."""

import json
from pathlib import Path
from typing import Any

import pytest

from indexing import Metadata, SourceFiles
from indexing.errors import LibraryUnreadable
from plugins.zotero.library import read_library
from tests.plugins.zotero.zotero_folder import record_of

ITEM = {
    "itemID": 7, "itemType": "conferencePaper", "citationKey": "ek2021", "title": "Bells", "date": "2021-07-04",
    "proceedingsTitle": "Proc. of Bells", "language": "German",
    "creators": [{"creatorType": "author", "firstName": "Bo", "lastName": "Ek"},
                 {"creatorType": "author", "name": "City of Ulm"}],
    "tags": [{"tag": "brass"}, "sound", {"x": 1}],
    "attachments": [{"itemType": "attachment", "title": "PDF", "path": "files/bells.pdf"}, {"path": "s.html"}],
}  # fmt: skip


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """A folder with PDFs in it, beside which an export lies."""
    (tmp_path / "files" / "12").mkdir(parents=True)
    for name in ("files/bells.pdf", "files/12/Ek; on bells.pdf", "other.pdf"):
        (tmp_path / name).write_bytes(b"%PDF-1.4\n")
    return tmp_path


def exported(folder: Path, value: Any) -> SourceFiles:
    """Read an export of a value, or of text as it is."""
    text = value if isinstance(value, str | bytes) else json.dumps(value)
    (folder / "x.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_library(folder / "x.json")


def only(files: SourceFiles) -> Metadata:
    (metadata,) = files.records.values()
    return metadata


def test_better_bibtex_json(papers: Path) -> None:
    collections = {
        "AAA": {"name": "Metal", "parent": False, "items": []},
        "BBB": {"name": "Bells", "parent": "AAA", "items": [7]},
    }
    other = {**ITEM, "title": "Second", "tags": ["late"], "attachments": [{"path": "files/bells.pdf"}]}
    files = exported(papers, {"config": {}, "collections": collections, "items": [ITEM, other]})
    metadata = only(files)  # two entries of one file are one
    assert list(files.records) == [papers / "files" / "bells.pdf"]
    assert record_of(metadata) == {
        "type": "paper-conference", "title": "Bells", "container-title": "Proc. of Bells", "language": "German",
        "citation-key": "ek2021", "issued": {"date-parts": [[2021, 7, 4]]},
        "author": [{"family": "Ek", "given": "Bo"}, {"literal": "City of Ulm"}],
    }  # fmt: skip
    assert (metadata.tags, metadata.folder) == (("brass", "sound", "late", "Metal/Bells"), "Metal/Bells")
    assert (metadata.date, metadata.language) == ("2021-07-04", "de")
    assert files.notes == ("1 attachment is not a PDF or EPUB (such as web snapshots): left out",)


def test_csl_json_with_files(papers: Path) -> None:
    csl = {
        "id": "ek21", "type": "book", "title": ["Bells"], "keyword": "brass, sound", "abstract": "long",
        "author": [{"family": "Ek", "given": "Bo", "literal": "Bo Ek", "evil": {}}, 3],
        "issued": {"date-parts": [["2021", 7]]},
        "volume": True, "ISBN": {"a": 1}, "URL": "u" * 9999, "editor": "Bo", "file": str(papers / "other.pdf"),
    }  # fmt: skip
    metadata = only(exported(papers, [csl, {"title": "no file"}, 5]))
    assert record_of(metadata) == {
        "type": "book", "title": "Bells", "citation-key": "ek21", "issued": {"date-parts": [[2021, 7]]},
        "author": [{"family": "Ek", "given": "Bo", "literal": "Bo Ek"}], "URL": "u" * 2000,
    }  # fmt: skip
    assert (metadata.author, metadata.tags) == ("Bo Ek", ("brass", "sound"))


@pytest.mark.parametrize(
    ("field", "paths"),
    [
        ("/a/b.pdf;/c/d.pdf;;", ["/a/b.pdf", "/c/d.pdf"]),
        (r"/a\;b.pdf", ["/a;b.pdf"]),
        (":/x.pdf:PDF;Title:/y.pdf", ["/x.pdf", "/y.pdf"]),
        (r"T:C\:\\papers\\x.pdf:application/pdf", [r"C:\papers\x.pdf"]),
        ("C:/x.pdf", ["C:/x.pdf"]),
    ],
)
def test_the_forms_of_a_field_of_files(tmp_path: Path, field: str, paths: list[str]) -> None:
    files = exported(tmp_path, [{"title": "T", "type": "book", "file": field}])
    assert [str(one.path) for one in files.unread] == paths


@pytest.mark.parametrize("path", ["../other.pdf", "12/../../other.pdf", "/files/../other.pdf", "link.pdf", "a\0.pdf"])
def test_paths_lead_nowhere_but_below_the_export(papers: Path, path: str) -> None:
    (papers / "files" / "link.pdf").symlink_to(papers / "other.pdf")
    files = exported(papers / "files", {"items": [{**ITEM, "attachments": [{"path": path}]}]})
    assert (files.records, [type(one.error).__name__ for one in files.unread]) == ({}, ["NotReadable"])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "is not a complete export"),
        (b"\xff\xfe\x00[", "cannot be read"),
        ("[" * 100_000, "is not a complete export"),
        ("3", "it has no library entries"),
        ('[{"title": "x", "type": "book"}]', "none of its 1 entries names a file: export the library with"),
        ('{"items": 3}', "it has no library entries"),
    ],
)
def test_what_is_no_export_is_named(tmp_path: Path, text: str | bytes, problem: str) -> None:
    with pytest.raises(LibraryUnreadable, match=problem):
        exported(tmp_path, text)


@pytest.mark.parametrize(
    ("value", "iso"),
    [
        ("2015-03-00 March 2015", "2015-03"), ("2015-00-00 2015", "2015"), ("2015-03-17 17 March 2015", "2015-03-17"),
        ("2021-13-04", "2021"), ("0000-00-00 n.d.", ""), ("Spring 1987", "1987"), ("c. 12345", ""), ("n.d.", ""),
        (3, ""),
    ],
)  # fmt: skip
def test_dates_of_items(papers: Path, value: object, iso: str) -> None:
    assert only(exported(papers, {"items": [{**ITEM, "date": value}]})).date == iso
