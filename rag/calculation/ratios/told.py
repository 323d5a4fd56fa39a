"""A figure that a report tells in a sentence, not in a statement ("Advertising expenses were $714.3 million in 2015").

The sentence begins with the label of the figure, and goes on with its verb: what stands between may make it the figure
of a part. Years and amounts have to be as many. Only what was spent is taken so: "Sales were $5 million" may be said
of a segment, and sales have a row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from indexing import Cell, Collection, Document, Element
from indexing.language import MODERN_YEAR, sentence_spans
from rag.attribution.localize import boxes_of
from rag.calculation.ratios.book import StatementFigure
from rag.calculation.ratios.statements import NOTE, Line, StatementCell

MOST_CHARS = 3000
"""The characters of a text that are looked at, the first."""
MOST_YEARS = 6
"""The most years of which one sentence tells the figure."""
_VERB = r"(?:were|was|totaled|totalled|amounted to|came to)"
_SUBJECT = r"(?:(?:our|the|its) )?(?:total )?"
_KIND = r"(?: expenses?| costs?)?"
_AMOUNT = re.compile(r"[$€£¥]\s?(?P<number>\d[\d,]*(?:\.\d+)?)\s?(?P<unit>thousand|million|billion)?", re.IGNORECASE)
_YEAR = re.compile(rf"(?<![\d.,]){MODERN_YEAR}(?!\d)")


def told_lines(figures: Iterable[StatementFigure], document: Document, collection: Collection) -> dict[str, list[Line]]:
    """Return the figures that sentences of a document tell, as rows, by their names; none told in two ways for a year.

    Raises CollectionDamaged.
    """
    by_figure: dict[str, list[Line]] = {}
    for figure in figures:
        labels = "|".join(re.escape(label) for label in figure.labels if "*" not in label)
        begins = rf"{_SUBJECT}(?P<label>(?:{labels}){_KIND}) {_VERB}\b"
        pattern = re.compile(begins, re.IGNORECASE)
        elements = [
            e for e in collection.outlines(kind="text", saying=f"(?i)(?:{labels}){_KIND} {_VERB} ")
            if e.doc_id == document.id
        ]  # fmt: skip
        ids = {e.id for e in elements}
        pages = collection.elements_on(sorted({(e.doc_id, e.page) for e in elements}))
        lines = [line for own in pages for e in own if e.id in ids for line in _lines(e, pattern, document)]
        told = {(year, cell.text, line.unit) for line in lines for year, cell in line.cells.items()}
        if lines and len(told) == len({year for year, _, _ in told}):
            by_figure[figure.name] = lines
    return by_figure


def _lines(element: Element, asked: re.Pattern[str], document: Document) -> Iterator[Line]:
    text = element.text[:MOST_CHARS]
    for start, end in sentence_spans(text):
        match = asked.match(text, start, end)
        if match is None:
            continue
        amounts = list(_AMOUNT.finditer(text, match.end(), end))
        years = list(_YEAR.finditer(text, match.end(), end))
        units = {(amount["unit"] or "").lower() for amount in amounts}
        if 0 < len(amounts) == len(years) <= MOST_YEARS and len(units) == 1 and _are_paired(amounts, years):
            own = [_cell(element, *amount.span()) for amount in amounts]
            numbers = [float(amount["number"].replace(",", "")) for amount in amounts]
            pairs = zip(years, own, amounts, numbers, strict=True)
            cells = {int(year[0]): StatementCell(cell, said[0].strip("$€£¥ "), n) for year, cell, said, n in pairs}
            heads = {int(year[0]): _cell(element, *year.span()) for year in years}
            label = _cell(element, *match.span("label"))
            if len(cells) == len(years):
                yield Line(document, element, label, cells, heads, "", (NOTE,), units.pop())


def _are_paired(amounts: Sequence[re.Match[str]], years: Sequence[re.Match[str]]) -> bool:
    """Return True where each amount stands before its year, or all amounts before all years ("respectively")."""
    in_turn = all(a.end() <= y.start() for a, y in zip(amounts, years, strict=True)) and all(
        y.end() <= a.start() for a, y in zip(amounts[1:], years, strict=False)
    )
    return in_turn or amounts[-1].end() <= years[0].start()


def _cell(element: Element, start: int, end: int) -> Cell:
    """Return a piece of a sentence as if it were a cell: its place in the text, and its box."""
    box = next(iter(boxes_of(element, start, end)), element.bbox)
    return Cell(0, 0, 1, 1, start, end, box, header=False)
