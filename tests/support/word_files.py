"""A Word file with all that a report may have: footnotes, text boxes, tracked changes, comments, links, a table."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import docx
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from PIL import Image

HYPERLINK = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"
_NOTES = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
_NOTES_TYPE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
_DATED = 'w:author="A" w:date="2024-01-01T00:00:00Z"'
_BOX = """<w:r {ns} xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"
 xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:v="urn:schemas-microsoft-com:vml">
<mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx><w:txbxContent>{text}</w:txbxContent></wps:txbx>
</w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox><w:txbxContent>{text}</w:txbxContent></v:textbox></w:pict>
</mc:Fallback></mc:AlternateContent></w:r>"""


def word_report(path: Path) -> Path:
    """Make the report: its paragraphs about a lighthouse are in the tests."""
    report, ns = docx.Document(), nsdecls("w")
    report.add_heading("1 Lights", 1)
    first = report.add_paragraph("The lamp was lit in 1887. Its keeper ")
    first.add_run("was Ada Holm.").bold = True
    report.add_comment(first.runs, text="Is that so?", author="Bea", initials="B")
    report.add_paragraph("the Alma", style="List Bullet")
    table = report.add_table(rows=2, cols=2)
    for cell, text in zip(table._cells, ("Ship", "Seats", "Alma", "120"), strict=True):
        cell.text = text
    changed = report.add_paragraph("The tower is white.")
    changed._p.append(
        parse_xml(f'<w:del {ns} w:id="90" {_DATED}><w:r><w:delText>It was red.</w:delText></w:r></w:del>')
    )
    added = '<w:r><w:t xml:space="preserve"> It has 40 steps.</w:t></w:r>'
    changed._p.append(parse_xml(f'<w:ins {ns} w:id="91" {_DATED}>{added}</w:ins>'))
    changed.add_run(" It is a bank.").font.hidden = True
    noted = report.add_paragraph("Ships pass it by night.")
    noted._p.append(parse_xml(f'<w:r {ns}><w:footnoteReference w:id="2"/></w:r>'))
    key = report.part.relate_to("https://holm.example/", HYPERLINK, is_external=True)
    link = f'<w:hyperlink {nsdecls("w", "r")} r:id="{key}"><w:r><w:t xml:space="preserve"> See its page.</w:t></w:r>'
    noted._p.append(parse_xml(f"{link}</w:hyperlink>"))
    boxed = "<w:p><w:r><w:t>The light is seen for 12 miles.</w:t></w:r></w:p>"
    report.add_paragraph()._p.append(parse_xml(_BOX.format(ns=ns, text=boxed)))
    picture = io.BytesIO()
    Image.new("RGB", (20, 10), "teal").save(picture, "PNG")
    picture.seek(0)
    report.add_picture(picture)
    report.add_heading("References", 1)
    report.add_paragraph("Holm, A. (1890). Lamps of the north.")
    buffer = io.BytesIO()
    report.save(buffer)
    return _with_footnote(path, buffer.getvalue())


def _with_footnote(path: Path, data: bytes) -> Path:
    note = '<w:footnote w:id="2"><w:p><w:r><w:t>The keeper wrote 9 books.</w:t></w:r></w:p></w:footnote>'
    separator = '<w:footnote w:type="separator" w:id="0"><w:p><w:r><w:t>no note</w:t></w:r></w:p></w:footnote>'
    part = f'<Override PartName="/word/footnotes.xml" ContentType="{_NOTES}"/></Types>'
    relation = f'<Relationship Id="rId99" Type="{_NOTES_TYPE}" Target="footnotes.xml"/></Relationships>'
    return repacked(
        path,
        data,
        {"[Content_Types].xml": ("</Types>", part), "word/_rels/document.xml.rels": ("</Relationships>", relation)},
        {"word/footnotes.xml": f"<w:footnotes {nsdecls('w')}>{separator}{note}</w:footnotes>".encode()},
    )


def repacked(
    path: Path, data: bytes, changed: Mapping[str, tuple[str, str]], added: Mapping[str, bytes] | None = None
) -> Path:
    """Write a Word file again, with a text in some parts replaced, and parts added."""
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            content = old.read(entry)
            if entry.filename in changed:
                before, after = changed[entry.filename]
                content = content.replace(before.encode(), after.encode())
            new.writestr(entry.filename, content)
        for name, content in (added or {}).items():
            new.writestr(name, content)
    return path
