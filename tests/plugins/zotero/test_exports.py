"""Exports of a library are read like the library: Better BibTeX JSON, CSL-JSON and BibTeX, with the files they name."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from indexing.errors import LibraryUnreadable
from plugins.zotero.bibtex_entries import file_paths
from plugins.zotero.library import read_library
from plugins.zotero.records import date_of, iso_date, language_code, plain_record
from plugins.zotero.types import ZoteroLibrary

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


def told(folder: Path, value: Any, name: str = "x.json") -> ZoteroLibrary:
    text = value if isinstance(value, str | bytes) else json.dumps(value)
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_library(folder / name)


def test_better_bibtex_json(papers: Path) -> None:
    collections = {
        "AAA": {"name": "Metal", "parent": False, "items": []},
        "BBB": {"name": "Bells", "parent": "AAA", "items": [7]},
    }
    found = told(papers, {"config": {}, "collections": collections, "items": [ITEM]})
    (file,) = found.files
    assert file.path == papers / "files" / "bells.pdf"
    assert file.record == {
        "type": "paper-conference", "title": "Bells", "container-title": "Proc. of Bells", "language": "German",
        "citation-key": "ek2021", "issued": {"date-parts": [[2021, 7, 4]]},
        "author": [{"family": "Ek", "given": "Bo"}, {"literal": "City of Ulm"}],
    }  # fmt: skip
    assert (file.tags, file.collections) == (("brass", "sound"), ("Metal/Bells",))
    assert (file.metadata.date, file.metadata.language) == ("2021-07-04", "de")
    assert len(found.notes) == 1


def test_csl_json_with_files(papers: Path) -> None:
    csl = {
        "id": "ek21", "type": "book", "title": ["Bells"], "keyword": "brass, sound", "abstract": "long",
        "issued": {"date-parts": [["2021", 7]]}, "author": [{"family": "Ek", "given": "Bo", "evil": {}}, 3],
        "file": str(papers / "other.pdf"),
    }  # fmt: skip
    (file,) = told(papers, [csl, {"title": "no file"}, 5]).files
    assert file.record == {
        "type": "book", "title": "Bells", "citation-key": "ek21", "issued": {"date-parts": [[2021, 7]]},
        "author": [{"family": "Ek", "given": "Bo"}],
    }  # fmt: skip
    assert file.tags == ("brass", "sound")


BIB = r"""
@string{orch = {Journal of {\'E}orchards}}
@article{holm15,
  title = {{The {{\'E}}tude of Cider \& Co}},
  author = {Holm, Anna and {The Mill and Sons} and Ludwig van Beethoven and others},
  journal = orch, year = 2015, month = mar, pages = {1--20}, number = 3, langid = {ngerman},
  keywords = {apples,weather}, doi = {10.1000/a_b},
  file = {Full Text:files/12/Ek\; on bells.pdf:application/pdf;Snapshot:files/12/x.html:text/html},
}
@inproceedings{ek21, title = "Bells", author = {Bo Ek}, date = {2021-07-04}, booktitle = {Proc},
  file = {%s/other.pdf}, eprint = {2101.00001}, eprinttype = {arxiv}}
@book{none, title = {No file}}
@broken{
"""


@pytest.mark.parametrize("month", ["may", "May", "Mai"])
def test_the_month_of_an_entry_may_be_german_or_french(papers: Path, month: str) -> None:
    entry = f"@book{{ek21, title = {{Bells}}, year = 2021, month = {{{month}}}, file = {{other.pdf}}}}"
    (file,) = told(papers, entry, "x.bib").files
    assert file.record["issued"] == {"date-parts": [[2021, 5]]}


def test_bibtex_with_files(papers: Path) -> None:
    first, second = told(papers, BIB.replace("%s", str(papers)), "x.bib").files
    assert first.path == papers / "files" / "12" / "Ek; on bells.pdf"
    assert first.record == {
        "type": "article-journal", "title": "The \u00c9tude of Cider & Co",
        "container-title": "Journal of \u00c9orchards",
        "page": "1-20", "issue": "3", "language": "ngerman", "DOI": "10.1000/a_b", "citation-key": "holm15",
        "issued": {"date-parts": [[2015, 3]]},
        "author": [{"family": "Holm", "given": "Anna"}, {"literal": "The Mill and Sons"},
                   {"family": "van Beethoven", "given": "Ludwig"}],
    }  # fmt: skip
    assert (first.tags, first.metadata.language) == (("apples", "weather"), "de")
    assert second.record["number"] == "arXiv:2101.00001"
    assert second.metadata.date == "2021-07-04"


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("/a/b.pdf", ["/a/b.pdf"]),
        ("/a/b.pdf;/c/d.html", ["/a/b.pdf", "/c/d.html"]),
        (r"a\;b.pdf", ["a;b.pdf"]),
        ("Title:files/1/x.pdf:application/pdf", ["files/1/x.pdf"]),
        (":files/1/x.pdf:PDF", ["files/1/x.pdf"]),
        (r"T:C\:\\papers\\x.pdf:application/pdf", ["C:\\papers\\x.pdf"]),
        ("C:/x.pdf", ["C:/x.pdf"]),
        (":x.pdf", [":x.pdf"]),
        ("", []),
        (";;", []),
    ],
)
def test_the_forms_of_a_field_of_files(text: str, paths: list[str]) -> None:
    assert list(file_paths(text)) == paths


def test_paths_lead_nowhere_but_below_the_export(papers: Path) -> None:
    home = papers / "files"
    for path in ("../other.pdf", "12/../../other.pdf", str(papers / "files" / ".." / "other.pdf")):
        found = told(home, {"items": [{**ITEM, "attachments": [{"path": path}]}]})
        assert (found.files, [type(one.error).__name__ for one in found.unread]) == ((), ["NotReadable"])
    (home / "link.pdf").symlink_to(papers / "other.pdf")
    found = told(home, {"items": [{**ITEM, "attachments": [{"path": "link.pdf"}, {"path": "a\0.pdf"}]}]})
    assert [type(one.error).__name__ for one in found.unread] == ["NotReadable", "NotReadable"]


def test_two_entries_of_one_file_are_one(papers: Path) -> None:
    other = {**ITEM, "title": "Second", "tags": ["late"], "attachments": [{"path": "files/bells.pdf"}]}
    (file,) = told(papers, {"items": [ITEM, other]}).files
    assert (file.record["title"], file.tags) == ("Bells", ("brass", "sound", "late"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is not a complete export"),
        ("{", "is not a complete export"),
        (b"\xff\xfe\x00[", "cannot be read"),
        ("[" * 100_000, "is not a complete export"),
        ("3", "it has no library entries"),
        ('[{"title": "x", "type": "book"}]', "none of its 1 entries names a file: export the library with"),
        ('{"items": 3}', "it has no library entries"),
    ],
)
def test_what_is_no_export_is_named(tmp_path: Path, text: str | bytes, says: str) -> None:
    with pytest.raises(LibraryUnreadable) as error:
        told(tmp_path, text)
    assert says in str(error.value)


@pytest.mark.parametrize("piece", ["@article{a, title = {", "{" * 50, "a and ", "@", "\\", '"', "@article{x,\n", "$"])
def test_a_file_of_one_thing_takes_no_time(tmp_path: Path, piece: str) -> None:
    (tmp_path / "x.bib").write_text("@book{k, title={T}, file={/a.pdf}}\n" + piece * (200_000 // len(piece)))
    started = time.process_time()
    found = read_library(tmp_path / "x.bib")
    assert time.process_time() - started < 5
    assert [one.path.name for one in found.unread] == ["a.pdf"]


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2015-03-00 March 2015", "2015-03"),
        ("2015-00-00 2015", "2015"),
        ("2015-03-17 17 March 2015", "2015-03-17"),
        ("2021-07-04", "2021-07-04"),
        ("2021-13-04", "2021"),
        ("0000-00-00 n.d.", ""),
        ("Spring 1987", "1987"),
        ("c. 12345", ""),
        ("n.d.", ""),
    ],
)
def test_dates(text: str, iso: str) -> None:
    assert iso_date(date_of(text)) == iso


@pytest.mark.parametrize("date", [None, 3, [], {}, {"date-parts": []}, {"date-parts": [[None]]}, {"date-parts": [[0]]}])
def test_dates_of_any_kind(date: object) -> None:
    assert iso_date(date) == ""
    assert iso_date({"raw": "May 2020"}) == "2020"


def test_languages() -> None:
    said = ["en", "en-GB", "EN_us", "eng", "English", "Deutsch", "ngerman", "Klingon", "", "e1", 7]
    assert [language_code(text) for text in said] == ["en", "en", "en", "en", "en", "de", "de", "", "", "", ""]


def test_a_record_keeps_nothing_but_its_own_fields() -> None:
    hostile = {"type": ["x"], "title": {"a": 1}, "author": "Bo", "volume": True, "URL": "u" * 9999, "issued": "2020"}
    assert plain_record(hostile) == {"type": "document", "URL": "u" * 2000}
