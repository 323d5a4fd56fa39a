"""The works of an answer in BibTeX and RIS: what is written is read again by the reader of bibliographies."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import bibtexparser
import pytest
import rispy
from hypothesis import given, settings
from hypothesis import strategies as st

from indexing import Document
from indexing.metadata import Metadata
from plugins.audit.auditing import Record
from plugins.audit.auditing.sources import read_records
from plugins.zotero.works import bibtex, cited_entries, people_of, ris
from rag import Sentence
from tests.ui.export.test_html import exported
from tests.ui.stand_ins import HOSTILE, answer, citation
from ui.export.sources import ExportContents

RECORD: dict[str, Any] = {
    "type": "article-journal", "title": "Cider & the 5% rule: {weather}_x^2 ~ $a$ #1 \\ end",
    "citation-key": "holm2015",
    "author": [{"family": "Holm", "given": "Anna"}, {"literal": "The Mill and Sons"},
               {"family": "Beethoven", "non-dropping-particle": "van", "given": "Ludwig"}],
    "issued": {"date-parts": [[2015, 3, 17]]}, "container-title": "J. of <i>Orchards</i>", "volume": "12", "issue": "3",
    "page": "101-120", "DOI": "10.1000/a_b", "URL": "https://example.org/a%20b?x=1&y=2#z",
}  # fmt: skip


def works(records: Mapping[str, Metadata | None], pages: Sequence[tuple[str, int, str]]) -> ExportContents:
    """An answer that cites pages (document, number, printed number) of documents with these records."""
    cited = [citation(n, document=name, page=page) for n, (name, page, _) in enumerate(pages, 1)]
    told = exported(answer(*(Sentence(f"Sentence {c.label}.", (c,), "confirmed") for c in cited)))
    sources = [replace(source, printed_page=label) for source, (_, _, label) in zip(told.sources, pages, strict=True)]
    documents = {
        f"id-{name}": Document(f"id-{name}", name, "A plain title", 9, "0" * 64, metadata=known)
        for name, known in records.items()
        if known is not None
    }
    return replace(told, sources=sources, documents=documents)


def of(record: dict[str, Any]) -> Metadata:
    return Metadata(record=json.dumps(record), tags=("apples", "the weather, again"))


def written(found: ExportContents, tmp_path: Path, form: str) -> list[Record]:
    """What `vouch bibliography` reads of an export."""
    entries = cited_entries(found)
    path = tmp_path / f"answer.{form}"
    path.write_bytes((bibtex(entries) if form == "bib" else ris(entries)).encode())
    return list(read_records(path))


@pytest.mark.parametrize("form", ["bib", "ris"])
def test_what_is_written_is_read_again(tmp_path: Path, form: str) -> None:
    (read,) = written(works({"a.pdf": of(RECORD)}, [("a.pdf", 3, "117")]), tmp_path, form)
    assert read.fields.title == RECORD["title"]
    assert read.fields.authors == ("Holm, Anna", "The Mill and Sons", "van Beethoven, Ludwig")
    assert (read.fields.year, read.fields.doi, read.fields.venue) == ("2015", "10.1000/a_b", "J. of Orchards")
    assert read.fields.url == RECORD["URL"]


@pytest.mark.parametrize("form", ["bib", "ris"])
def test_a_document_without_a_record_is_told_by_itself(tmp_path: Path, form: str) -> None:
    known = Metadata(author="Ada Lovelace; Holm, Anna", date="2024-05", url="https://example.org/x", language="en")
    (read,) = written(works({"r.pdf": known}, [("r.pdf", 2, "")]), tmp_path, form)
    assert read.fields.title == "A plain title"
    assert read.fields.authors == ("Lovelace, Ada", "Holm, Anna")
    assert (read.fields.year, read.fields.url) == ("2024", "https://example.org/x")


ATTACKS = [
    "}\n@book{evil,", "ER  - ", "\r\nER  - \r\nTY  - BOOK", "\\input{/etc/passwd}", "\\", "{", "}", "%", "a and b",
    "others", '"', "#", HOSTILE, "--", "''", "\u2028", "\x00", "$", "@comment{", "TI  - x", "a, b, c, d",
]  # fmt: skip
ANY_TEXT = st.text(max_size=30) | st.lists(st.sampled_from(ATTACKS), max_size=4).map("".join)


@settings(max_examples=60, deadline=None)
@given(title=ANY_TEXT, family=ANY_TEXT, name=ANY_TEXT, quote=ANY_TEXT)
def test_no_text_breaks_out(title: str, family: str, name: str, quote: str) -> None:
    record = {**RECORD, "title": f"T{title}", "author": [{"family": f"F{family}", "given": "G"}], "publisher": title,
              "page": family, "edition": name, "citation-key": name}  # fmt: skip
    found = works({"a.pdf": of(record)}, [("a.pdf", 1, "")])
    sources = [replace(s, citation=replace(s.citation, quote=quote, document=f"{name}.pdf")) for s in found.sources]
    entries = cited_entries(replace(found, sources=sources))
    library = bibtexparser.parse_string(bibtex(entries))
    assert (len(library.entries), library.failed_blocks) == (1, [])
    assert not re.search(r"\\(?!textbackslash\{\}|textasciicircum\{\}|textasciitilde\{\}|[{}$&%#_])", bibtex(entries))
    told = ris(entries)
    assert len(re.findall(r"^ER  - \r$", told, re.MULTILINE)) == 1
    assert all(re.match(r"[A-Z][A-Z0-9]  - ", line) for line in told.split("\r\n")[:-1])
    assert len(rispy.loads(told)) == 1


@pytest.mark.parametrize(
    ("line", "people"),
    [
        ("Ada Lovelace", ["Lovelace, Ada"]),
        ("Ada Lovelace, Bo Ek and Anna van der Holm", ["Lovelace, Ada", "Ek, Bo", "van der Holm, Anna"]),
        ("Holm, Anna; Ek, Bo", ["Holm, Anna", "Ek, Bo"]),
        ("NASA", ["NASA"]),
        ("", []),
        (" ; and ,", []),
        ("Ward 7 Council", ["Ward 7 Council"]),
    ],
)
def test_a_line_of_authors(line: str, people: list[str]) -> None:
    told = [", ".join(filter(None, (p.get("family"), p.get("given")))) or p["literal"] for p in people_of(line)]
    assert told == people


@pytest.mark.parametrize("record", ["{", "3", "[]", "{}", '{"title": 3}', '{"title": "x", "author": 3, "issued": []}'])
def test_a_record_of_any_kind_is_written(record: str) -> None:
    entries = cited_entries(works({"a.pdf": Metadata(record=record)}, [("a.pdf", 1, "")]))
    assert entries[0].text("title") in ("A plain title", "x", "3")
    assert bibtex(entries).count("@") == ris(entries).count("TY  - ") == 1
