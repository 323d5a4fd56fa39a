"""Bibliographies of Word, web pages, Markdown, and plain text."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from plugins.audit.errors import DocumentUnreadable
from plugins.audit.references import Bibliography, ReferenceIndex, references_of
from tests.plugins.audit.references.papers import entry

ENTRIES = [entry(i) for i in range(7)]


def texts(found: Bibliography) -> list[str]:
    return [reference.text for reference in found.references]


def test_word(tmp_path: Path) -> None:
    import docx

    document = docx.Document()
    document.add_heading("The weather of quays", 0)
    document.add_paragraph("Quays are wet (Adeyemi & Brandt, 1980).")
    document.add_heading("Literaturverzeichnis", 1)
    for text in ENTRIES:
        document.add_paragraph(text)
    document.add_heading("Anhang A", 1)
    document.add_paragraph("Not an entry, though written in 1999.")
    document.save(str(tmp_path / "paper.docx"))
    found = references_of(tmp_path / "paper.docx")
    assert texts(found) == ENTRIES
    [mark] = found.marks
    assert [ref.number for ref in ReferenceIndex(found.references).entries_of(mark)] == [1]
    assert found.references[0].places == ()


def test_a_web_page(tmp_path: Path) -> None:
    items = "".join(
        f"<li id='r{i}'><em>{text.split('.')[0]}</em>{text[text.index('.') :]}</li>" for i, text in enumerate(ENTRIES)
    )
    page = (
        "<html><head><title>References</title><script>References</script></head><body><nav>References</nav>"
        f"<h1>Quays</h1><p>Quays are wet [2].</p><h2>References</h2><ol>{items}</ol>"
        "<h2>Appendix</h2><p>In 1999.</p></body></html>"
    )
    (tmp_path / "paper.html").write_text(page, "utf-8")
    found = references_of(tmp_path / "paper.html")
    assert texts(found) == ENTRIES
    assert [ref.label for ref in found.references] == [str(i) for i in range(1, 8)]
    assert [ref.number for mark in found.marks for ref in ReferenceIndex(found.references).entries_of(mark)] == [2]


@pytest.mark.parametrize("form", ["{text}\n\n", "- {text}\n", "{n}. {text}\n", "[{n}] {text}\n\n", "{text}\n"])
def test_markdown_and_text_lists(form: str, tmp_path: Path) -> None:
    lines = "".join(form.format(n=n, text=text) for n, text in enumerate(ENTRIES, 1))
    (tmp_path / "paper.md").write_text(
        f"# Quays\n\nThey are wet.\n\n## References\n\n{lines}\n## Appendix\n\nIn 1999.\n"
    )
    assert texts(references_of(tmp_path / "paper.md")) == ENTRIES
    (tmp_path / "pasted.txt").write_text(lines)
    assert texts(references_of(tmp_path / "pasted.txt")) == ENTRIES


def test_footnotes_of_markdown_are_entries(tmp_path: Path) -> None:
    notes = "\n".join(f"[^{i}]: {text}" for i, text in enumerate(ENTRIES, 1))
    (tmp_path / "paper.md").write_text(f"They are wet[^2].\n\n{notes}\n")
    found = references_of(tmp_path / "paper.md")
    assert texts(found) == ENTRIES
    assert [ref.number for mark in found.marks for ref in ReferenceIndex(found.references).entries_of(mark)] == [2]


def test_files_that_cannot_be_read_say_so(tmp_path: Path) -> None:
    (tmp_path / "a.tex").write_text("\\bibitem{a} A. Holm. Mills. 2001.")
    with pytest.raises(DocumentUnreadable, match=r"a\.tex: LaTeX is not read: give the paper as PDF"):
        references_of(tmp_path / "a.tex")
    (tmp_path / "a.docx").write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(DocumentUnreadable, match=r"a\.docx"):
        references_of(tmp_path / "a.docx")
    import docx
    from docx.oxml import OxmlElement

    document = docx.Document()
    cell = document.add_table(2, 2).rows[0].cells[0]
    cell._tc.get_or_add_tcPr().append(OxmlElement("w:vMerge"))  # goes on with a row that is not there
    document.save(str(tmp_path / "d.docx"))
    with pytest.raises(DocumentUnreadable, match=r"d\.docx: cannot be read as a Word file"):
        references_of(tmp_path / "d.docx")
    with pytest.raises(DocumentUnreadable, match=r"b\.txt"):
        references_of(tmp_path / "b.txt")
    with zipfile.ZipFile(tmp_path / "c.docx", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(4):
            archive.writestr(f"word/{number or 'document'}.xml", b"<a>" + b"0" * (90 << 20))
    with pytest.raises(DocumentUnreadable, match="unpacks to 377 MB"):
        references_of(tmp_path / "c.docx")
