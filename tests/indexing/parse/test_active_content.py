"""Nothing of a PDF acts in its export: each way to act is put into a file by hand, and none of it is found again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pymupdf
import pytest

from indexing import BBox, Mark
from indexing.parse.active_content import without_active_content
from indexing.parse.annotations import annotate
from tests.support import documents

EVIL = b"<< /S /JavaScript /JS (EVIL) >>"
FILE = b"<< /Type /Filespec /F (EVIL.exe) /UF (EVIL.exe) /EF << /F 9 0 R >> >>"
FONTS = b"/Resources << /Font << /A 5 0 R /AA 5 0 R >> >>"
PAGE = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R " + FONTS
WORDS = b"BT /A 12 Tf 20 150 Td (Kept by A) Tj /AA 12 Tf 0 -30 Td (Kept by AA) Tj ET"
RECT = b"/Rect [10 10 50 50]"


def stream(data: bytes, entries: bytes = b"") -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (entries, len(data), data)


def acting(tmp_path: Path, catalog: bytes = b"", page: bytes = b"", extra: tuple[bytes, ...] = ()) -> pymupdf.Document:
    """A PDF of one page with more in its catalog and its page; objects 6, 7, 8 are `extra`, 9 an embedded file."""
    more = [*extra, *[b"null"] * (3 - len(extra))]
    path = tmp_path / "acting.pdf"
    path.write_bytes(
        documents.by_hand(
            b"<< /Type /Catalog /Pages 2 0 R %s >>" % catalog,
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"%s %s >>" % (PAGE, page),
            stream(WORDS),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            *more,
            stream(b"EVIL program", b"/Type /EmbeddedFile"),
        )
    )
    return pymupdf.open(path)


def annots(*each: bytes) -> bytes:
    return b"/Annots [" + b" ".join(each) + b"]"


WAYS: dict[str, tuple[bytes, bytes, tuple[bytes, ...], str]] = {
    "a script on opening": (b"/OpenAction " + EVIL, b"", (), "JavaScript"),
    "a script on opening, elsewhere": (b"/OpenAction 6 0 R", b"", (EVIL,), "JavaScript"),
    "a spelt name": (b"/OpenAction << /S /J#61vaScript /J#53 (EVIL) >>", b"", (), "JavaScript"),
    "a script as a stream": (b"/OpenAction << /S /JavaScript /JS 6 0 R >>", b"", (stream(b"EVIL"),), "JavaScript"),
    "an unknown kind of action": (b"/OpenAction << /S /EVIL >>", b"", (), "actions"),
    "a call home on opening": (
        b"/OpenAction << /S /SubmitForm /F (http://EVIL.example) >>", b"", (), "SubmitForm actions"),
    "scripts by name": (
        b"/Names << /JavaScript << /Names [(a) 6 0 R (b) %s] >> >>" % EVIL, b"", (EVIL,), "JavaScript"),
    "a script on closing": (b"/AA << /WC " + EVIL + b" >>", b"", (), "JavaScript"),
    "a script of the page": (b"", b"/AA << /O 6 0 R /C %s >>" % EVIL, (EVIL,), "JavaScript"),
    "a script of a field": (
        b"/AcroForm << /Fields [6 0 R] /CO [6 0 R] >>", annots(b"6 0 R"),
        (b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (kept) %s /AA << /K %s >> /A %s >>" % (RECT, EVIL, EVIL),),
        "JavaScript"),
    "a script of a child of a field": (
        b"/AcroForm << /Fields [<< /T (a) /Kids [<< /T (b) /AA << /V 6 0 R >> >>] >>] >>", b"", (EVIL,), "JavaScript"),
    "a program started": (
        b"", annots(b"<< /Subtype /Link %s /A << /S /Launch /Win << /F (EVIL.exe) >> >> >>" % RECT), (),
        "Launch actions"),
    "a chain behind a jump": (
        b"", annots(b"<< /Subtype /Link %s /A << /S /GoTo /D [3 0 R /Fit] /Next [6 0 R] >> >>" % RECT), (EVIL,),
        "JavaScript"),
    "a bookmark": (
        b"/Outlines 6 0 R", b"",
        (b"<< /First 7 0 R /Last 7 0 R >>",
         b"<< /Title (kept) /Parent 6 0 R /A << /S /GoToR /F (EVIL.pdf) /D [0 /Fit] >> >>"),
        "GoToR actions"),
    "data brought in": (
        b"", annots(b"<< /Subtype /Link %s /A << /S /ImportData /F (EVIL.fdf) >> >>" % RECT), (), "ImportData actions"),
    "a link to a file": (
        b"", annots(b"<< /Subtype /Link %s /A << /S /URI /URI (file:///EVIL) >> >>" % RECT), (),
        "links that do not lead to the web"),
    "a link that is a script": (
        b"", annots(b"<< /Subtype /Link %s /PA << /S /URI /URI (javascript:EVIL) >> >>" % RECT), (),
        "links that do not lead to the web"),
    "a menu of the reader": (
        b"", annots(b"<< /Subtype /Link %s /A << /S /Named /N /EVIL >> >>" % RECT), (), "Named actions"),
    "an embedded file": (
        b"/Names << /EmbeddedFiles << /Kids [<< /Names [(EVIL) 6 0 R] >>] >> >>", b"", (FILE,), "embedded files"),
    "an attached file": (
        b"", annots(b"7 0 R", b"<< /Subtype /FileAttachment %s /FS 6 0 R >>" % RECT),
        (FILE, b"<< /Subtype /FileAttachment %s /FS 6 0 R /Popup 8 0 R >>" % RECT,
         b"<< /Subtype /Popup %s /Parent 7 0 R >>" % RECT),
        "embedded files"),
    "an associated file": (b"/AF [6 0 R]", b"/AF 6 0 R", (FILE,), "embedded files"),
    "a portfolio": (b"/Collection << /D (EVIL) >>", b"", (), "embedded files"),
    "a program in a form": (
        b"/AcroForm << /Fields [] /XFA [(template) 6 0 R] >>", b"", (stream(b"EVIL"),), "an XFA form"),
    "rich media": (
        b"", annots(b"<< /Subtype /RichMedia %s /RichMediaContent << /Assets << /Names [(EVIL) 6 0 R] >> >> >>" % RECT),
        (FILE,), "media"),
    "a film": (b"", annots(b"<< /Subtype /Screen %s /A << /S /Rendition /JS (EVIL) /OP 0 >> >>" % RECT), (), "media"),
    "a drawing that runs": (
        b"", b"/EVILless 6 0 R", (stream(b"x", b"/Type /3D /OnInstantiate 7 0 R"), stream(b"EVIL")), "JavaScript"),
    "data of another file": (
        b"", b"/Thumb 6 0 R", (stream(b"", b"/F (//EVIL/share/x) /FFilter /FlateDecode"),), "data of other files"),
    "an action at a place that nobody knows": (b"/Nobody << /Knows [[6 0 R]] >>", b"", (EVIL,), "JavaScript"),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_nothing_of_a_pdf_acts_in_its_export(tmp_path: Path, way: str) -> None:
    catalog, page, extra, kind = WAYS[way]
    document = acting(tmp_path, catalog, page, extra)
    before = document[0].get_pixmap(annots=False).samples
    assert b"EVIL" in document.tobytes(garbage=1, expand=255)  # the test could fail
    made = annotate(document, [Mark(1, (BBox(0.1, 0.1, 0.5, 0.3),), "Said: kept")])
    assert kind in made.left_out
    again = pymupdf.open("pdf", made.content)
    assert b"EVIL" not in again.tobytes(expand=255).replace(b"/EVILless", b"")
    words = " ".join(again.xref_object(number, compressed=True) for number in range(1, again.xref_length()))
    for name in ("/JavaScript", "/JS", "/AA<<", "/Launch", "/EF", "/XFA", "/EmbeddedFile", "/FileAttachment"):
        assert name not in words.replace(" ", "")
    assert again[0].get_text().split("\n")[:2] == ["Kept by A", "Kept by AA"]
    after = again[0].get_pixmap(annots=False).samples
    assert np.abs(np.frombuffer(after, np.uint8).astype(int) - np.frombuffer(before, np.uint8)).max() <= 2
    note = next(again[0].annots(types=[pymupdf.PDF_ANNOT_HIGHLIGHT])).info["content"]
    assert note.startswith("Said: kept")
    assert kind in note.splitlines()[-1]


def test_what_does_no_harm_stays(tmp_path: Path) -> None:
    document = acting(
        tmp_path,
        b"/Dests << /AA [3 0 R /Fit] /A << /D [3 0 R /Fit] >> >> /StructTreeRoot << /Type /StructTreeRoot /K 8 0 R >>",
        annots(
            b"<< /Subtype /Link %s /A << /S /URI /URI (https://kept.example/a?b=c) >> >>" % RECT,
            b"<< /Subtype /Link %s /A << /S /URI /URI (MAILTO:kept@kept.example) >> >>" % RECT,
            b"<< /Subtype /Link %s /A << /S /GoTo /D [3 0 R /Fit] >> >>" % RECT,
            b"<< /Subtype /Link %s /A << /S /Named /N /NextPage >> >>" % RECT,
            b"<< /Subtype /Text %s /Contents (a note) /Popup 6 0 R >>" % RECT,
            b"<< /Subtype /Widget /FT /Tx /T (name) /V (a value) %s >>" % RECT,
        ),
        (b"<< /Subtype /Popup %s >>" % RECT, b"<< /O /Layout >>",
         b"<< /Type /StructElem /S /Sound /P 8 0 R /A 7 0 R /C /AA >>"),
    )  # fmt: skip
    before = [document.xref_object(number) for number in range(1, 9)]
    assert without_active_content(document) == ()
    assert [document.xref_object(number) for number in range(1, 9)] == before


def test_a_document_without_marks_keeps_no_script_either(tmp_path: Path) -> None:
    made = annotate(acting(tmp_path, b"/OpenAction " + EVIL), [])
    assert made.left_out == ("JavaScript",)
    assert b"EVIL" not in pymupdf.open("pdf", made.content).tobytes(expand=255)
