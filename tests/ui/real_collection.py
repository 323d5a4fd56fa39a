"""A real collection with one real PDF in it, and answers that cite it: what the tests of exports stand on."""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pymupdf

from indexing import BBox, Collection, Document, Element, Page, ParsedPage, Words
from indexing.embed.minilm import MiniLM
from indexing.parse.orientation import text_frame
from rag import Answer, Citation, Evidence, Sentence
from tests.support import documents, fakes

LINES = ("The mill was built in 1887 by Anna Holm.", "Nine barrels of cider lie in its cellar.")


def shelve(into: Collection, path: Path) -> tuple[Document, list[Element]]:
    """Store a PDF as indexing would, one element for each of its lines of text, boxed where MuPDF sees it."""
    elements: list[Element] = []
    document = fakes.document(path.name, [[path.name]])
    with into.writer() as writer, pymupdf.open(path) as source:
        for number, page in enumerate(source, 1):
            shown = Page(document.id, number, page.rect.width, page.rect.height, page.rotation)
            frame = text_frame(page)
            lines = [b for b in frame.page.get_text("blocks") if b[6] == 0]
            found = [_element(document.id, number, n, b[4], frame.box(*b[:4])) for n, b in enumerate(lines, 1)]
            writer.add(ParsedPage(shown, tuple(found)))
            elements += found
        document = replace(document, n_pages=source.page_count)
        writer.finish(document, path)
        writer.flush()
    copy = into.path / "sources" / f"{document.sha256}{path.suffix}"
    if not copy.exists():
        shutil.copy(path, copy)
    return document, elements


def _element(doc_id: str, page: int, ordinal: int, text: str, box: BBox | None) -> Element:
    assert box is not None
    plain = " ".join(text.split())
    return Element(f"{doc_id}-{page}-{ordinal}", doc_id, page, "text", plain, box, "layer", words=Words.none())


def cite(document: Document, element: Element, quote: str = "", *, lines: bool = True) -> Citation:
    """A citation of a whole element, its one line boxed."""
    evidence = Evidence("E1", element, document.name, 0.9)
    return Citation.of(evidence, quote or element.text, [element.bbox] if lines else [])


def answer_of(*sentences: Sentence, question: str = "When was the mill built?") -> Answer:
    """An answer of these sentences."""
    return Answer(question, "text", sentences, (), 0.84, {"total": 0.2}, "0" * 12)


def proven(citations: Sequence[Citation]) -> Answer:
    """An answer that quotes each citation."""
    return answer_of(*(Sentence(c.quote, (c,), "confirmed") for c in citations))


def mill(home: Path, embedder: MiniLM, *names: str) -> tuple[Collection, list[Document], list[Citation]]:
    """A collection of PDFs of two lines each, and a citation of each line."""
    collection = fakes.collection(home / "home", embedder)
    found, citations = [], []
    for name in names or ("mill.pdf",):
        path = home / name
        document, elements = shelve(collection, documents.pdf(path, LINES))
        found.append(document)
        citations += [cite(document, e) for e in elements]
    return collection, found, citations
