"""Annotations stand on the words they are about: on turned and cropped pages, scans and pictures."""

from __future__ import annotations

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
