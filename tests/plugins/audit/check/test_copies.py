"""Annotated copies: comments stand on the words of each statement, and the rest of the file is as it was."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import docx
import pymupdf
import pytest
from docx.oxml.ns import qn

from indexing import BBox, IndexingSettings
from plugins.audit.check.copies import Checkup, annotated_copy, copy_form
from plugins.audit.manuscripts import Manuscript, read_manuscript
from rag import Answer, Citation, Sentence
from tests.support import documents
from tests.support.word_files import word_report
from ui.errors import ExportError

LIT, SEATS = "The lamp of Holm was lit in the year 1887.", "The ship has 120 seats in all, they say."
HOSTILE = "<script>alert(1)</script> & \u202egnp"
SETTINGS = IndexingSettings(workers=1)
CITED = Citation("E1", "d-1-1", "d", f"log {HOSTILE}.pdf", 7, "text", BBox(0.1, 0.1, 0.5, 0.2), (), "lit in 1887")


def outcome(statement_text: str, *, heading: bool) -> Sentence:
    if heading:
        return Sentence(statement_text, (), "remark", "it names what follows")
    if "lamp" in statement_text:
        return Sentence(statement_text, (CITED,), "confirmed", "verbatim in the text")
    return Sentence(statement_text, (replace(CITED, role="unconfirmed"),), "unconfirmed", "the text says 90, not 120")


def checkup(path: Path, most: int = 1000) -> Checkup:
    manuscript = read_manuscript(path, settings=SETTINGS)
    sentences = tuple(outcome(s.text, heading=s.heading or bool(s.remark)) for s in manuscript.statements[:most])
    answer = Answer(f"Check of {path.name}", "text", sentences, (), 0.0, {}, "h", method="vanilla")
    return Checkup(path, manuscript, answer, SETTINGS)


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    path = documents.pdf(tmp_path / "paper.pdf", [LIT, SEATS])
    with pymupdf.open(path) as document:
        document[0].add_text_annot((300, 300), "An old remark")
        document.saveIncr()
    return path


def test_a_pdf_is_highlighted_where_its_statements_stand(paper: Path, tmp_path: Path) -> None:
    before = paper.read_bytes()
    assert annotated_copy(checkup(paper), tmp_path / "checked.pdf") == []
    assert paper.read_bytes() == before
    with pymupdf.open(tmp_path / "checked.pdf") as document:
        page = document[0]
        notes = list(page.annots())
        assert [note.type[1] for note in notes] == ["Text", "Highlight", "Highlight"]
        assert notes[0].info["content"] == "An old remark"
        by_words = {page.get_textbox(note.rect).strip(): note for note in notes[1:]}
        lit, seats = by_words[LIT], by_words[SEATS]
        assert lit.info["subject"] == "confirmed"
        assert "verbatim in the text" in lit.info["content"]
        assert "page 7\n\u201clit in 1887\u201d" in lit.info["content"]
        assert "\u202e" not in lit.info["content"]
        assert "the text says 90, not 120" in seats.info["content"]
        assert "page 7, not confirmed: pointed to, not proven" in seats.info["content"]
        assert lit.colors["stroke"] != seats.colors["stroke"]


def commented_texts(path: Path) -> dict[str, str]:
    """The words that each of our comments stands on, and its text."""
    document = docx.Document(str(path))
    body = list(document.element.body.iter())
    found = {}
    for comment in document.comments:
        key = str(comment.comment_id)
        (start,) = [n for n, e in enumerate(body) if e.tag == qn("w:commentRangeStart") and e.get(qn("w:id")) == key]
        (end,) = [n for n, e in enumerate(body) if e.tag == qn("w:commentRangeEnd") and e.get(qn("w:id")) == key]
        assert len([e for e in body if e.tag == qn("w:commentReference") and e.get(qn("w:id")) == key]) == 1
        if comment.author == "Vouch":
            found["".join(e.text or "" for e in body[start:end] if e.tag == qn("w:t"))] = comment.text
    return found


def test_a_word_file_has_comments_on_its_statements_and_is_otherwise_as_it_was(tmp_path: Path) -> None:
    path, target = word_report(tmp_path / "report.docx"), tmp_path / "checked.docx"
    before = path.read_bytes()
    annotated_copy(checkup(path), target)
    found = commented_texts(target)
    assert set(found) == {
        "The lamp was lit in 1887.",
        "Its keeper was Ada Holm.",
        "the Alma",
        "Alma120",
        "The tower is white.",
        "It has 40 steps.",
        "Ships pass it by night.",
        "See its page.",
        "",
        2 * "The light is seen for 12 miles.",
    }  # fmt: skip  the box stands there twice: its fallback says the same
    assert found["The lamp was lit in 1887."].startswith("Confirmed")
    assert "the text says 90" in found["Its keeper was Ada Holm."]
    assert any("In a footnote: \u201cThe keeper wrote 9 books.\u201d" in text for text in found.values())
    assert any("In a text box: \u201cThe light is seen" in text for text in found.values())

    assert path.read_bytes() == before
    old, new = docx.Document(str(path)), docx.Document(str(target))
    assert [(p.text, p.style.name if p.style else "") for p in new.paragraphs] == [
        (p.text, p.style.name if p.style else "") for p in old.paragraphs
    ]
    assert [run.text for run in new.paragraphs[1].runs if run.bold] == ["was Ada Holm."]
    with zipfile.ZipFile(path) as one, zipfile.ZipFile(target) as other:
        assert set(one.namelist()) == set(other.namelist())
        changed = {name for name in one.namelist() if one.read(name) != other.read(name)}
        assert not {name for name in changed if "media" in name or "styles" in name or "footnotes" in name}
        markup = other.read("word/document.xml").decode()
    assert (markup.count("<w:del "), markup.count("<w:ins "), markup.count("It was red.")) == (1, 1, 1)
    assert [c.text for c in new.comments if c.author == "Bea"] == ["Is that so?"]
    assert [s.text for s in read_manuscript(target).statements] == [s.text for s in read_manuscript(path).statements]


def page_of(tmp_path: Path, text: str, most: int = 1000) -> str:
    path = tmp_path / "r.md"
    path.write_text(text, encoding="utf-8")
    annotated_copy(checkup(path, most), tmp_path / "checked.html")
    return (tmp_path / "checked.html").read_text(encoding="utf-8")


def test_a_text_becomes_a_page_with_its_statements_marked(tmp_path: Path) -> None:
    page = page_of(tmp_path, f"# Lights\n\n{LIT} {SEATS}\n\n- {HOSTILE}\n")
    assert f'<a class="mark good" id="text-1" href="#note-1">{LIT}<sup>1</sup></a>' in page
    assert f'<a class="mark open" id="text-2" href="#note-2">{SEATS}<sup>2</sup></a>' in page
    assert "<h1>Lights</h1>" in page
    assert "lit in 1887</blockquote>" in page
    assert "<script" not in page
    assert "\u202e" not in page
    assert "http" not in page.replace("http-equiv", "")
    page = page_of(tmp_path, f"{LIT} {SEATS}", most=1)  # what was not checked has no mark
    assert (page.count('class="mark'), SEATS in page) == (1, True)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("checked.docx", "must end in .html"),
        ("checked.pdf", "must end in .html"),
        ("checked", "must end in .html"),
        ("mine.html", "not an export of Vouch"),
    ],
)
def test_a_copy_that_cannot_be_is_told_before_the_work(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "mine.html").write_text("my own page")
    with pytest.raises(ExportError, match=said):
        copy_form(tmp_path / name, "text")
    assert (tmp_path / "mine.html").read_text() == "my own page"


@pytest.mark.parametrize("make", [lambda path: path, lambda path: path.parent / "." / path.name])
def test_the_text_itself_is_never_written_to(paper: Path, make: Callable[[Path], Path]) -> None:
    with pytest.raises(ExportError, match="never changed"):
        copy_form(make(paper), "pages", paper)


def test_a_copy_takes_the_place_of_an_earlier_one_alone(paper: Path, tmp_path: Path) -> None:
    target = tmp_path / "checked.pdf"
    for _ in range(2):
        annotated_copy(checkup(paper), target)
    copy = read_manuscript(target, settings=SETTINGS)
    assert isinstance(copy, Manuscript)
    with pytest.raises(ExportError, match="never changed"):  # a copy that is checked itself is an input
        copy_form(target, "pages", target)
    report = tmp_path / "report.pdf"
    report.write_bytes(b"%PDF-1.7 somebody else's")
    with pytest.raises(ExportError, match="not an export"):
        annotated_copy(checkup(paper), report)
