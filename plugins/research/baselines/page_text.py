"""The text of every page, as the baselines are given it: the text layer or, where there is none, that of our OCR."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from evaluation import say
from evaluation.tasks import readable
from indexing import Collection


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of page `number` (from 1) of a document, and its source; `none` when nobody could read it."""

    doc_id: str
    number: int
    text: str
    source: Literal["layer", "ocr", "none"]


def text_layers(files: Mapping[str, Path]) -> list[PageText]:
    """Return the pages of the PDFs, by document id, with their text layers; without text where there is none."""
    import pymupdf  # brings ONNX Runtime in, which must find the environment as `indexing` sets it

    found: list[PageText] = []
    for done, (doc_id, path) in enumerate(files.items(), 1):
        with pymupdf.open(path) as document:
            for number, page in enumerate(document, 1):
                text = page.get_text()
                found.append(PageText(doc_id, number, *((text, "layer") if readable(text) else ("", "none"))))
        say("reading", done, len(files), "documents")
    print(file=sys.stderr)
    return found


def with_recognised(pages: Sequence[PageText], collection: Collection) -> list[PageText]:
    """Return the same pages; those without text get the text recognised at indexing, if the collection has them."""
    held = {document.id for document in collection.documents()}
    return [
        replace(page, text=recognised(collection, page.doc_id, page.number), source="ocr")
        if page.source == "none" and page.doc_id in held
        else page
        for page in pages
    ]


def recognised(collection: Collection, doc_id: str, number: int) -> str:
    """Return the text that indexing read on a page, a line an element."""
    return "\n".join(e.text for e in collection.page_elements(doc_id, number) if e.kind != "group" and e.text)
