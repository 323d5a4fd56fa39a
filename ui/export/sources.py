"""The content that every form of export shares: the answer with its sources, their anchors and pictures."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote as percent_encoded

from indexing import BBox, DocumentMissing, FileError, crop
from rag import Anchor, anchor_of
from ui.show import badge_height, cited_pages, draw_overlay, quote_to_show, safe_name, shown_citations
from ui.show import sources as numbered_sources

if TYPE_CHECKING:
    from PIL import Image

    from indexing import Collection, Document
    from rag import Answer, Citation

MARK = "Vouch export 1, written by a program: it may be written over"
"""The line near the beginning or the end of every exported file, by which our files are recognized."""
MARGIN = 0.015
"""The white space left around the evidence in its picture, as a share of the page's width."""
_PAGE_WIDTH = 1400
_EXACT_WORDS, _END_WORDS = 10, 5
"""The most words of a quote that a link has in full; of a longer one, the number of first and of last words."""
Files = Mapping[Path, bytes]
"""The content of each file that an export writes."""


@dataclass(frozen=True, slots=True)
class Source:
    """One displayed citation with its number and anchor, the quote ("" if the answer has its words), and a picture.

    `png` is the cited element cut out of its page, its lines marked; empty if the page could not be drawn. `size` is in
    pixels.
    `printed_page` is the number that the document gives the page ("iv", "117"), or its place, from 1. `link` leads to
    the words on a page of the web (https or http); "" for other documents.
    """

    number: int
    citation: Citation
    anchor: Anchor
    quote: str
    png: bytes
    size: tuple[int, int]
    printed_page: str = ""
    link: str = ""

    @property
    def picture_name(self) -> str:
        """The file name of the picture: `2-report.pdf-p7.png`."""
        return f"{self.number}-{safe_name(self.citation.document, 40)}-p{self.citation.page}.png"


@dataclass(frozen=True, slots=True)
class ExportContents:
    """An answer ready to be written in any form; `notes` are those of the answer, and say what could not be made.

    `documents` are those of its sources, by id, `collection` theirs, None if it is gone; a form calls `on_note` with
    what it leaves out.
    """

    answer: Answer
    sources: Sequence[Source]
    notes: Sequence[str] = ()
    documents: Mapping[str, Document] = field(default_factory=dict)
    collection: Collection | None = None
    on_note: Callable[[str], None] = lambda _: None


def gather(answer: Answer, collection: Collection, *, pictures: bool = True) -> ExportContents:
    """Return the displayed citations of `answer` with anchors and, if wanted, pictures; each page is drawn once.

    A page that cannot be drawn gets a note. Raises DocumentMissing for a document that was removed meanwhile.
    """
    documents = {c.doc_id: collection.document(c.doc_id) for _, c in shown_citations(answer)}
    notes = list(answer.notes)
    sources: list[Source] = []
    beside = {number for number, _ in numbered_sources(answer)[1]}
    for (doc_id, number), items in cited_pages(answer).items():
        page = collection.page(doc_id, number)
        image = _render_page(collection, doc_id, number, notes) if pictures else None
        for n, citation in items:
            mark = replace(citation, role="unconfirmed") if n in beside else citation  # other places prove nothing
            picture = evidence_picture(image, n, mark) if image is not None else None
            sources.append(
                Source(
                    n,
                    citation,
                    anchor_of(citation, documents[doc_id], page),
                    quote_to_show(answer, citation),
                    _png(picture) if picture is not None else b"",
                    picture.size if picture is not None else (0, 0),
                    page.printed_number,
                    link_of(documents[doc_id], citation),
                )
            )
    return ExportContents(answer, sorted(sources, key=lambda s: s.number), notes, documents, collection)


def link_of(document: Document, citation: Citation) -> str:
    """Return the address of the cited words on a web page, with a text fragment; "" for other documents."""
    url = document.metadata.url
    return text_fragment(url, citation.quote) if url.lower().startswith(("https://", "http://")) else ""


def text_fragment(url: str, quote: str) -> str:
    """Return `url` with a fragment that leads a browser to the words of `quote` on the page (`#:~:text=`)."""
    words = quote.split()
    if not words:
        return url
    address, _, fragment = url.partition("#")
    terms = [words] if len(words) <= _EXACT_WORDS else [words[:_END_WORDS], words[-_END_WORDS:]]
    # a dash, a comma and an ampersand have a meaning in the directive
    texts = [percent_encoded(" ".join(term), safe="").replace("-", "%2D") for term in terms]
    return f"{address}#{fragment.partition(':~:')[0]}:~:text={','.join(texts)}"


def _render_page(collection: Collection, doc_id: str, page: int, notes: list[str]) -> Image.Image | None:
    try:
        return collection.draw_page(doc_id, page, width=_PAGE_WIDTH)
    except (FileError, DocumentMissing) as error:
        notes.append(f"No picture of page {page}: {error}")
        return None


def evidence_picture(page: Image.Image, number: int, citation: Citation) -> Image.Image:
    """Return the part of a drawn page with the element and lines of `citation`, marked, and with its number."""
    around = BBox.union((citation.bbox, *citation.boxes, *citation.context))
    overlay = draw_overlay(page, [(number, citation)])
    margin = round(MARGIN * page.width) + 2 * badge_height(page.width)
    return crop(overlay, around, margin, round_end=lambda edge: int(edge) + 1)


def _png(image: Image.Image) -> bytes:
    from PIL.PngImagePlugin import PngInfo

    metadata = PngInfo()
    metadata.add_text("Software", MARK)
    buffer = io.BytesIO()
    image.save(buffer, format="PNG", optimize=True, pnginfo=metadata)
    return buffer.getvalue()
