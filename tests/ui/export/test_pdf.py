"""Marks in PDF exports, and links between the files of an export."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pymupdf
import pytest

from indexing import BBox, Collection, Document, Element, build_index
from indexing.metadata import Metadata
from rag import Citation, Evidence, Sentence
from tests.support import fakes
from tests.ui.real_collection import answer_of, proven
from tests.ui.stand_ins import HOSTILE, citation
from ui.export.export import export
from ui.export.sources import link_of
from ui.export.writers import marks_of

SAMPLES = Path(__file__).resolve().parents[3] / "samples" / "documents"
MANUAL, LEAFLET, SLIDES = "tg40-tide-gauge-manual.pdf", "uhrenmuseum-faltblatt.pdf", "night-bus-trial-slides.pdf"
SCAN, POSTER = "mill-lane-inspection-1987.pdf", "tap-water-infographic.png"
PAGES = {MANUAL: (1, 3, 4), LEAFLET: (1,), SLIDES: (5,), SCAN: (1,)}
"""What is taken of each sample; of the manual, page 3 lies sideways in the file, and page 4 has a crop box."""


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    folder = tmp_path_factory.mktemp("exported")
    for name, pages in PAGES.items():
        with pymupdf.open(SAMPLES / name) as document:
            document.select([number - 1 for number in pages])
            document.save(folder / name)
    made = Collection.create("exported", folder / "home")
    report = build_index(made, [*(folder / name for name in PAGES), SAMPLES / POSTER], workers=2)
    assert report.exit_code == 0
    yield made
    made.close()


def quotes(collection: Collection, document: Document, page: int) -> Iterator[Citation]:
    """Citations of the first line or two of each paragraph of a page, tightly boxed."""
    for element in collection.page_elements(document.id, page):
        if len(element.words) >= 6 and element.kind not in ("group", "header", "footer"):
            end = int(element.words.spans[min(11, len(element.words) - 1)][1])
            boxes = element.words.line_boxes(0, end)
            yield Citation.of(Evidence("E1", element, document.name, 0.9), element.text[:end], boxes)


def exported(collection: Collection, citations: list[Citation], folder: Path) -> pymupdf.Document:
    (path,) = export(proven(citations), collection, folder / "cited.pdf")
    return pymupdf.open(path)


def plain(text: str) -> str:
    """Letters and digits only: words are split and joined differently by each reader."""
    return re.sub(r"\W+", "", unicodedata.normalize("NFKC", text)).lower()


def under(page: pymupdf.Page, annotation: pymupdf.Annot) -> str:
    """The characters whose middle lies in a quad of an annotation, as the saved file has both."""
    at = annotation.vertices
    quads = [pymupdf.Quad(at[i : i + 4]).rect for i in range(0, len(at), 4)]
    spans = [s for b in page.get_text("rawdict")["blocks"] for line in b.get("lines", ()) for s in line["spans"]]
    found = []
    for char in (c for s in spans for c in s["chars"]):
        x0, y0, x1, y1 = char["bbox"]
        if any(pymupdf.Point((x0 + x1) / 2, (y0 + y1) / 2) in quad for quad in quads):
            found.append(char["c"])
    return "".join(found)


@pytest.mark.gate
@pytest.mark.slow
def test_highlights_stand_on_the_words_of_the_quote(shelf: Collection, tmp_path: Path) -> None:
    for name, page in ((MANUAL, 1), (MANUAL, 2), (MANUAL, 3), (LEAFLET, 1), (SLIDES, 1)):
        stand_on_their_words(shelf, tmp_path / f"{name} {page}", name, page)


def stand_on_their_words(shelf: Collection, folder: Path, name: str, page: int) -> None:
    """Every quote of a page of a document is highlighted where its words are."""
    document = shelf.document(name)
    citations = list(quotes(shelf, document, page))
    assert citations
    with exported(shelf, citations, folder) as saved:
        assert saved.page_count == document.n_pages
        shown = saved[page - 1]
        annotations = list(shown.annots())
        assert [a.info["subject"] for a in annotations] == [f"[{n}]" for n in range(1, len(citations) + 1)]
        for annotation, citation in zip(annotations, citations, strict=True):
            assert sorted(plain(under(shown, annotation))) == sorted(plain(citation.quote))
            assert citation.quote.split()[0] in annotation.info["content"]
            assert annotation.info["title"] == "Vouch"


@pytest.mark.gate
@pytest.mark.slow
@pytest.mark.parametrize("name", [SCAN, POSTER])
def test_highlights_on_scans_stand_on_the_writing(shelf: Collection, tmp_path: Path, name: str) -> None:
    document = shelf.document(name)
    citations = list(quotes(shelf, document, 1))
    assert len(citations) >= 3
    drawn = np.asarray(shelf.draw_page(document.id, 1, 1400).convert("L"), np.float64)
    height, width = drawn.shape
    with exported(shelf, citations, tmp_path) as saved:
        page = saved[0]
        for annotation, citation in zip(page.annots(), citations, strict=True):
            at = annotation.vertices
            quads = [pymupdf.Quad(at[i : i + 4]).rect for i in range(0, len(at), 4)]
            for quad, box in zip(quads, citation.boxes, strict=True):
                shown = (quad * page.rotation_matrix).normalize()
                found = BBox.from_page(*shown, page.rect.width, page.rect.height)
                assert found is not None
                assert found.iou(box) > 0.98
                x0, y0, x1, y1 = (int(v) for v in found.to_page(width, height))
                assert drawn[y0:y1, x0:x1].std() > 15  # there is writing


def test_a_place_that_nobody_could_confirm_has_a_grey_frame_and_no_highlight(shelf: Collection, tmp_path: Path) -> None:
    citation = replace(next(quotes(shelf, shelf.document(MANUAL), 1)), role="unconfirmed")
    found = answer_of(Sentence("There are ten.", (citation,), "unconfirmed"), question="How many?")
    (path,) = export(found, shelf, tmp_path / "cited.pdf")
    with pymupdf.open(path) as saved:
        page = saved[0]
        (frame,) = page.annots()
        assert frame.type[1] == "Square"
        assert not frame.colors["fill"]
        assert max(frame.colors["stroke"]) - min(frame.colors["stroke"]) < 0.05
        assert "which was not confirmed as a proof)" in frame.info["content"]


UNLIKE = "the page shows \u201c9\u201d where its text says \u201c4\u201d (mill.pdf, page 2)"


def untold(text: str = "A berth costs 4 crowns.") -> Sentence:
    """A sentence whose page shows something else than its text says."""
    return Sentence(text, (), "unconfirmed", reason=UNLIKE, differs=UNLIKE)


def test_a_sentence_that_its_page_does_not_show_is_told_in_every_pdf() -> None:
    box = BBox(0.1, 0.1, 0.5, 0.2)
    cited = [
        Citation.of(
            Evidence("E1", Element("e", doc, 2, "text", "Nine.", box, "layer"), f"{doc}.pdf", 0.9), "Nine.", [box]
        )
        for doc in ("mill", "quay")
    ]
    said = [Sentence("Nine.", (citation,), "confirmed") for citation in cited]
    marks = marks_of(answer_of(*said, untold(), untold(HOSTILE), question="How many?"))
    assert [[m.subject for m in of] for of in marks.values()] == [["[1]", "[!]"], ["[2]", "[!]"]]
    first, second = marks["mill"][-1].text.split("\n")
    assert (
        first == f"A berth costs 4 crowns. (Not confirmed: the page and its text differ, so no box is shown: {UNLIKE}.)"
    )
    assert "\x1b" not in second
    assert all(not m.warning for of in marks_of(answer_of(*said, question="How many?")).values() for m in of)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "page"), [(MANUAL, 1), pytest.param(MANUAL, 2, marks=pytest.mark.gate)])
def test_the_warning_is_seen_on_the_page(shelf: Collection, tmp_path: Path, name: str, page: int) -> None:
    """Page 2 lies sideways in the file: the sign stands at the corner of the page as it is shown."""
    citation = next(quotes(shelf, shelf.document(name), page))
    found = replace(proven([citation]), sentences=(*proven([citation]).sentences, untold()))
    (path,) = export(found, shelf, tmp_path / "cited.pdf")
    with pymupdf.open(path) as saved:
        shown = saved[page - 1]
        _, warning = shown.annots()
        assert (warning.type[1], warning.info["subject"], UNLIKE in warning.info["content"]) == ("Text", "[!]", True)
        place = (warning.rect * shown.rotation_matrix).normalize()
        assert place in shown.rect
        assert place.x1 < 0.1 * shown.rect.width
        assert place.y1 < 0.1 * shown.rect.height
        drawn = shown.get_pixmap(clip=place, annots=True)
        assert drawn.samples != shown.get_pixmap(clip=place, annots=False).samples


PAGE = "https://a.example/"


@pytest.mark.parametrize(
    ("url", "quote", "link"),
    [
        (PAGE, "two words", "https://a.example/#:~:text=two%20words"),
        (f"{PAGE}#part", "word", "https://a.example/#part:~:text=word"),
        (f"{PAGE}#part:~:text=old", "new", "https://a.example/#part:~:text=new"),
        (f"{PAGE}?q=1", "well-made, a & b", "https://a.example/?q=1#:~:text=well%2Dmade%2C%20a%20%26%20b"),
        (PAGE, "gr\u00fcn\n  ist", "https://a.example/#:~:text=gr%C3%BCn%20ist"),
        (PAGE, " ".join("abcdefghijkl"), "https://a.example/#:~:text=a%20b%20c%20d%20e,h%20i%20j%20k%20l"),
        (PAGE, "  ", PAGE),
        *((url, "The mill.", "") for url in ("", "javascript:alert(1)", "file:///etc/passwd", "//a.example")),
    ],
)
def test_links(url: str, quote: str, link: str) -> None:
    document = replace(fakes.document("page.html", []), metadata=Metadata(url=url))
    assert link_of(document, citation(quote=quote)) == link
