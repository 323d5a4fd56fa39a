"""A Word file gives its paragraphs, tables, boxes and notes, without comments and what was deleted; bombs stay shut."""

from __future__ import annotations

import zipfile
from pathlib import Path

import docx
import pytest

from plugins.audit.errors import DocumentUnreadable
from plugins.audit.manuscripts import Manuscript, ParagraphPlace, read_manuscript, read_paragraphs
from tests.support.word_files import repacked, word_report


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return word_report(tmp_path_factory.mktemp("word") / "report.docx")


@pytest.fixture(scope="module")
def found(report: Path) -> Manuscript:
    return read_manuscript(report)


def test_all_that_is_shown_is_read_once(found: Manuscript) -> None:
    assert [s.text for s in found.statements] == [
        "Lights", "The lamp was lit in 1887.", "Its keeper was Ada Holm.", "the Alma", "Ship: Alma; Seats: 120",
        "The tower is white.", "It has 40 steps.", "Ships pass it by night.", "See its page.",
        "The light is seen for 12 miles.", "References", "Holm, A. (1890). Lamps of the north.",
        "The keeper wrote 9 books.",
    ]  # fmt: skip
    assert [s.text for s in found.statements if s.remark] == ["Holm, A. (1890). Lamps of the north."]
    assert [s.text for s in found.statements if s.item] == ["the Alma"]


def test_links_and_footnotes_go_with_their_statement(found: Manuscript) -> None:
    by_text = {s.text: s for s in found.statements}
    assert by_text["See its page."].links == ("https://holm.example/",)
    assert by_text["Ships pass it by night."].footnotes == ("The keeper wrote 9 books.",)


def test_each_statement_has_its_paragraph_and_characters(report: Path, found: Manuscript) -> None:
    paragraphs = read_paragraphs(docx.Document(str(report)))
    for statement in found.statements:
        said = []
        for place in statement.places:
            assert isinstance(place, ParagraphPlace)
            said.append(paragraphs[place.paragraph].text[place.start : place.end])
        assert " | ".join(said) in (statement.text, "Alma | 120")
    assert [p.text for p in paragraphs if p.anchor is not None] == [
        "The light is seen for 12 miles.",
        "The keeper wrote 9 books.",
    ]


def test_what_is_set_above_the_line_is_spelled_so(tmp_path: Path) -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("It turned 2")
    for text, above in (("31", True), (" times on the 4", False), ("th", True), (" of May.", False), ("7", True)):
        paragraph.add_run(text).font.superscript = above or None
    document.save(str(tmp_path / "a.docx"))
    found = read_paragraphs(docx.Document(str(tmp_path / "a.docx")))
    assert found[0].text == "It turned 2³¹ times on the 4th of May.⁷"
    assert [s.text for s in read_manuscript(tmp_path / "a.docx").statements] == [
        "It turned 2³¹ times on the 4th of May."
    ]


def test_a_zip_bomb_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "bomb.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b" " * 50_000_000)
    with pytest.raises(DocumentUnreadable, match="unpacks to 50 MB"):
        read_manuscript(path)


def test_entities_are_not_expanded(report: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("The vault has 7 keys.")
    head = f'<!DOCTYPE w [<!ENTITY x SYSTEM "{secret.as_uri()}">]><w:document'
    path = repacked(
        tmp_path / "entity.docx",
        repacked(tmp_path / "a.docx", report.read_bytes(), {"word/document.xml": ("<w:document", head)}).read_bytes(),
        {"word/document.xml": ("The tower is white.", "&x; The tower is white.")},
    )
    assert not any("vault" in s.text for s in read_manuscript(path).statements)


def test_what_it_would_load_is_told_and_not_loaded(report: Path, tmp_path: Path) -> None:
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/attachedTemplate"
    relation = f'<Relationship Id="rId77" Type="{kind}" Target="http://evil.example/t.dotm" TargetMode="External"/>'
    end = "</Relationships>"
    changed = {"word/_rels/document.xml.rels": (end, relation + end)}
    found = read_manuscript(repacked(tmp_path / "t.docx", report.read_bytes(), changed))
    assert "http://evil.example/t.dotm" in found.notes[0]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [("word/vbaProject.bin", b"x", "it contains macros"), ("other.txt", b"x", "")],
)
def test_macros_are_refused(report: Path, tmp_path: Path, name: str, content: bytes, said: str) -> None:
    path = repacked(tmp_path / "m.docx", report.read_bytes(), {}, {name: content})
    if said:
        with pytest.raises(DocumentUnreadable, match=said):
            read_manuscript(path)
    else:
        assert read_manuscript(path).statements


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"PK\x03\x04 cut short", "is damaged or cut short"),
        (b"\xd0\xcf\x11\xe0 old", "a locked or old Word file"),
    ],
)
def test_what_is_no_word_file_is_told(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "odd.docx"
    path.write_bytes(data)
    with pytest.raises(DocumentUnreadable, match=said):
        read_manuscript(path)
