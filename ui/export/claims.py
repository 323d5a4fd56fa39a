"""Write the claims of an answer as a table, CSV or XLSX: a row for each sentence and each place that it cites."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from indexing import BBox
from ui.export.sources import MARK, ExportContents, Files
from ui.export.workbook import Cell, workbook
from ui.export.writers import html_page
from ui.show import VERDICT_NAMES, how_checked, safe_cell

if TYPE_CHECKING:
    from indexing import Element
    from ui.export.sources import Source

_HEADS = (
    *("Number", "Sentence", "Verdict", "How it was checked", "Source", "Role", "Document", "Page", "Section"),
    *("Left", "Top", "Right", "Bottom", "Quote", "Text around it", "Anchor"),
)
_AROUND = 120
"""The most characters of context before a quote, and after it."""


def claims_file(contents: ExportContents, target: Path) -> Files:
    """Return the claims as CSV. No cell can be taken for a formula; boxes are fractions of the displayed page.

    The header of the last, empty column is MARK.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow((*_HEADS, MARK))
    for _, row in _rows(contents):
        writer.writerow((*(safe_cell(cell) if isinstance(cell, str) else cell for cell in row), ""))
    return {target: buffer.getvalue().encode("utf-8-sig", errors="replace")}


def workbook_files(contents: ExportContents, target: Path) -> Files:
    """Return the claims as XLSX, and the answer as HTML beside it: each row links to the picture of its box there."""
    page = target.with_suffix(".html")
    rows = list(_rows(contents))
    links = [(page.name, f"source-{number}") if number else None for number, _ in rows]
    content = workbook((*_HEADS, f"Box in {page.name}"), [row for _, row in rows], links, MARK)
    return {target: content, page: html_page(contents).encode()}


def _rows(contents: ExportContents) -> Iterator[tuple[int, tuple[Cell, ...]]]:
    """Yield (number of the source, cells) of each row; the number is 0 for a sentence that cites nothing."""
    sources = {source.number: source for source in contents.sources}
    elements = _elements(contents)
    earlier: Counter[tuple[str, str]] = Counter()
    for number, sentence in enumerate(contents.answer.sentences, 1):
        claim = (number, sentence.text, VERDICT_NAMES[sentence.verdict], how_checked(sentence))
        numbers = contents.answer.numbers(sentence)
        for n in numbers:
            citation = sources[n].citation
            key = citation.element_id, citation.quote
            yield n, (*claim, *_place(sources[n], elements.get(citation.element_id), earlier[key]))
            earlier[key] += 1
        if not numbers:
            yield 0, (*claim, *[""] * (len(_HEADS) - len(claim)))


def _elements(contents: ExportContents) -> dict[str, Element]:
    """Return the elements of the cited pages by their ids; none where their collection is gone."""
    if contents.collection is None:
        return {}
    places = list(dict.fromkeys((s.citation.doc_id, s.citation.page) for s in contents.sources))
    return {element.id: element for own in contents.collection.elements_on(places) for element in own}


def _place(source: Source, element: Element | None, earlier: int) -> tuple[Cell, ...]:
    """Return the cells on a source, with the box around its cited lines or, if it has none, its element's box.

    `earlier` is the number of previous rows with the same quote of the same element.
    """
    citation = source.citation
    box = BBox.union(citation.boxes) if citation.boxes else citation.bbox
    sides = (round(side, 4) for side in box.as_tuple())
    section = " > ".join(element.section) if element is not None else ""
    around = _quote_with_context(element.text, citation.quote, earlier) if element is not None else ""
    place = source.number, citation.role, citation.document, citation.page, section
    return *place, *sides, citation.quote, around, str(source.anchor)


def _quote_with_context(text: str, quote: str, earlier: int) -> str:
    """Return a quote with its context in a text, skipping `earlier` occurrences; "" if it does not occur."""
    spans = [match.span() for match in re.finditer(rf"(?<!\w){re.escape(quote)}(?!\w)", text)] if quote else []
    if not spans:
        return ""
    start, end = spans[min(earlier, len(spans) - 1)]
    before, after = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
    if start > _AROUND:
        before = f"\u2026 {before.partition(' ')[2]}"
    if end + _AROUND < len(text):
        after = f"{after.rpartition(' ')[0]} \u2026"
    return f"{before}{text[start:end]}{after}"
