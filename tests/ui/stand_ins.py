"""Answers and collections made up for the tests of `ui`: no files, no models."""

from collections.abc import Sequence
from dataclasses import replace

from PIL import Image

from indexing import BBox, Document, Element
from rag import Answer, Citation, Evidence, Sentence
from rag.types import CitationRole

HOSTILE = "\x1b[31m<img src=x onerror=alert(1)>\x1b]0;owned\x07 \u202eevil\u202c ${alert(2)} {{x}} [bold]no[/bold] \"'&"
ELEMENT, LINE = BBox(0.1, 0.2, 0.5, 0.3), BBox(0.1, 0.2, 0.4, 0.22)
UNPROVEN = BBox(0.2, 0.5, 0.8, 0.7)
"""The place of the citation of `mixed_answer` that nobody could confirm."""


def citation(
    n: int = 1,
    *,
    document: str = "report.pdf",
    page: int = 1,
    bbox: BBox = ELEMENT,
    boxes: Sequence[BBox] = (LINE,),
    quote: str = "Margins fell.",
    role: CitationRole = "proves",
) -> Citation:
    """A citation of element `n`."""
    of = f"E{n}", f"element-{n}", f"id-{document}", document, page
    return Citation(*of, "text", bbox, tuple(boxes), quote, role=role)


def evidence(n: int = 1, *, document: str = "report.pdf", page: int = 1) -> Evidence:
    """A retrieved paragraph."""
    element = Element(f"element-{n}", f"id-{document}", page, "text", "t", ELEMENT, "layer")
    return Evidence(f"E{n}", element, document, 1.0)


def answer(*sentences: Sentence, found: Sequence[Evidence] = ()) -> Answer:
    """An answer; without sentences, an abstention."""
    return Answer("Why?", "text", sentences, tuple(found), 0.84, {"search": 0.1, "answer": 0.11}, "hash")


def hostile_answer() -> Answer:
    """Every text in it tries to break out."""
    cited = citation(document=f"{HOSTILE}.pdf", quote=HOSTILE)
    return replace(answer(Sentence(HOSTILE, (cited,), "confirmed")), missing=HOSTILE)


def mixed_answer() -> Answer:
    """An answer with a confirmed sentence and one that nobody could confirm, each with its place."""
    yes, no = citation(1), citation(2, page=2, bbox=UNPROVEN, boxes=(), quote="", role="unconfirmed")
    return answer(Sentence("Yes.", (yes,), "confirmed"), Sentence("No.", (no,), "unconfirmed", "nobody looked"))


class Shelf:
    """A collection of blank pages, 400 x 500 pixels at a width of 400."""

    def draw_page(self, doc_id: str, page: int, width: int = 1400) -> Image.Image:
        """White paper."""
        assert doc_id
        assert page
        return Image.new("RGB", (width, width * 5 // 4), "white")

    def documents(self) -> tuple[Document, ...]:
        """One report."""
        return (Document("id-report.pdf", "report.pdf", "Report", 9, "0" * 64),)
