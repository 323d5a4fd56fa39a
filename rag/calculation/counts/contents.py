"""The chapters and appendices of a document, told by its headings or, where these have no numbers, by its contents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from indexing import BBox, Collection, Document, Element
from rag.attribution.localize import boxes_of
from rag.types import Citation, Evidence

MOST_FRONT = 30
"""The first pages, on which a document has its contents."""
MOST_LINE, MOST_TEXT = 300, 20_000
"""The characters of a line, and of an element, that are looked at."""
_LABEL = r"(?P<label>\d{1,2}|[A-Z]|[IVX]{1,5})"
_CONTENTS = re.compile(r"\W{0,3}(?:(?:table of )?contents|inhalt\w*|table des matières|sommaire)\b", re.IGNORECASE)
_PARTS = {
    "chapter": re.compile(r"\W{0,3}(?:(?i:chapter|kapitel|chapitre)\s{1,3})?(?P<label>\d{1,2})[.:)]?[\s|]{1,4}[^\W\d]"),
    "appendix": re.compile(rf"\W{{0,3}}(?i:appendix|annex|anhang|annexe)\s{{1,3}}{_LABEL}(?!\w)"),
}
"""The beginning of the line of a chapter or appendix; in a table a bar stands between its number and its title."""
_PAGE = re.compile(r"\d{1,4}|[ivxlc]{1,7}")
"""The page at the end of a line of contents, behind dots or a space."""


@dataclass(frozen=True, slots=True)
class PartsTold:
    """The parts of a document, in order, each with the label that it has, and where it is told."""

    labels: tuple[str, ...]
    citations: tuple[Citation, ...]
    where: str


def appendices_of(document: Document, collection: Collection) -> PartsTold | None:
    """Return the appendices that headings name, else those of the contents; None without any, or where one is left out.

    Raises CollectionDamaged.
    """
    heads = [
        (match["label"], e)
        for e in sorted(collection.outlines(kind="heading"), key=lambda e: e.page)
        if e.doc_id == document.id and (match := _PARTS["appendix"].match(e.text))
    ]
    first: dict[str, Element] = {}
    for label, element in heads:
        first.setdefault(label, element)
    labels = tuple(first)
    sure = all(_follows(labels[:n], label) for n, label in enumerate(labels))
    if (len(first) < 2 or not sure) and (listed := contents_of("appendix", document, collection)):
        return listed
    if not first or not sure:
        return None
    whole = collection.elements_on([(document.id, page) for page in dict.fromkeys(e.page for e in first.values())])
    by_id = {e.id: e for own in whole for e in own}
    cited = [
        Citation.of(Evidence(f"N{n}", by_id.get(e.id, e), document.name, 0.0), e.text, ())
        for n, e in enumerate(first.values(), 1)
    ]
    return PartsTold(labels, tuple(cited), "headings")


def contents_of(noun: str, document: Document, collection: Collection) -> PartsTold | None:
    """Return the chapters or appendices that a table of contents lists; None without two, or where one is left out.

    They are counted from the first on, one after the other. Raises CollectionDamaged.
    """
    pages = range(1, min(MOST_FRONT, document.n_pages) + 1)
    labels: list[str] = []
    by_element: dict[str, tuple[Element, list[BBox], list[str]]] = {}
    open_ = False
    for own in collection.elements_on([(document.id, page) for page in pages]):
        begins = any(_CONTENTS.match(e.text) for e in own if e.kind in ("heading", "text", "header", "table"))
        lines = list(_entries(noun, own)) if open_ or begins else []
        open_ = bool(lines) or begins
        for label, element, start, end in lines:
            if not _follows(labels, label):
                return None  # one was not read, or it begins anew, as in a manual of several books
            labels.append(label)
            _, boxes, texts = by_element.setdefault(element.id, (element, [], []))
            boxes += boxes_of(element, start, end)
            texts.append(element.text[start:end])
    if len(labels) < 2:
        return None
    cited = [
        Citation.of(Evidence(f"N{n}", element, document.name, 0.0), texts[0], own)
        for n, (element, own, texts) in enumerate(by_element.values(), 1)
    ]
    return PartsTold(tuple(labels), tuple(cited), "lines of its contents")


def _follows(labels: Sequence[str], label: str) -> bool:
    """Return True for the label after those before: "1" for none, "B" after "A", "3" after "2"."""
    if not labels:
        return label in ("1", "A", "I")
    last = labels[-1]
    if last.isdigit():
        return label == str(int(last) + 1)
    roman = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
    if labels[0] == "I":
        return last in roman[:-1] and label == roman[roman.index(last) + 1]
    return len(label) == len(last) == 1 and ord(label) == ord(last) + 1


def _entries(noun: str, elements: Sequence[Element]) -> Iterator[tuple[str, Element, int, int]]:
    """Yield the lines of chapters or appendices with their pages: the label, the element, where it begins and ends."""
    for element in elements:
        for start, end in _lines(element) if element.kind != "group" else ():
            match = _PARTS[noun].match(element.text[start:end])
            if match and _PAGE.fullmatch(element.text[start:end].replace(".", " ").split()[-1]):
                yield match["label"], element, start, end


def _lines(element: Element) -> Iterator[tuple[int, int]]:
    """Yield the lines of a table, else the whole of a short text."""
    text = element.text[:MOST_TEXT]
    at = 0
    for line in text.split("\n"):
        yield at, at + min(len(line), MOST_LINE)
        at += len(line) + 1
