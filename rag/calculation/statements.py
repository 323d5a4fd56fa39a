"""The statements of a report -> the rows of its figures, each with the cells of its years.

A statement is a table whose columns have years for heads. The same figure stands in several tables (the statement, a
summary of five years, a segment): the one with most of the figures that statements have is taken.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from indexing import Cell, Collection, Document, Element
from indexing.language import MODERN_YEAR, without_note_marks
from rag.calculation.ratio_book import StatementFigure

MOST_TABLES = 40
"""The most tables that are read for one question: those with the most figures in them."""
MOST_CELLS, MOST_ROWS, MOST_LABEL, HEAD_ROWS = 2000, 300, 200, 4
"""The most cells and rows of a table that are read, and characters of a label; the rows among which the years stand."""
HEADINGS = 3
"""The headings of its page above a table, the nearest, that may say which statement it is and what it counts by."""
STATEMENT = 3
"""The least figures of a table that is a statement, or a summary, unless its caption or a heading calls it one."""
_STATEMENT = re.compile(r"\b(?:statements? of|income statements?|balance sheets?)\b", re.IGNORECASE)
_YEAR = re.compile(rf"(?<!\d){MODERN_YEAR}(?!\d)")
_NUMBER = re.compile(r"[-−–(\s$€£¥]*+(\d[\d,]*+(?:\.\d++)?)")
_BRACKETS = re.compile(r"\([^()]{0,80}\)")
_LEADERS = re.compile(r"(?:\.\s?){3,}.*")
_REST = re.compile(r"\W*(?:$|[-–—:;]|,? ?(?:net|less|at cost|current|non-?current)\b)")
_UNIT = re.compile(r"\b(thousand|million|billion)s?\b", re.IGNORECASE)
TOTALS = frozenset(("total_assets", "current_assets", "total_liabilities", "current_liabilities", "equity"))
"""The figures that a balance sheet has and no statement of what happened in a year."""
OWN = "own"
"""The name of the figure that is the ratio itself, where a report has a row for it; its cells may be percentages."""
NOTE = 2
"""The rank of the rows of a table that is no statement."""


@dataclass(frozen=True, slots=True)
class StatementCell:
    """A cell with a number: as it is written, and its value with the sign of brackets and minus signs."""

    cell: Cell
    text: str
    value: float


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a statement: its label, and its cells by year; `heads` are the header cells of the years.

    `above` are the headings above its table, `rank` is the key that sorts the rows of a figure, the best first.
    """

    document: Document
    element: Element
    label: Cell
    cells: Mapping[int, StatementCell]
    heads: Mapping[int, Cell]
    above: str
    rank: tuple[float, ...]

    @property
    def of_statement(self) -> bool:
        """True for a row of a statement, or of a summary of one, not of a note."""
        return self.rank[0] < NOTE

    @property
    def is_headed(self) -> bool:
        """True for a row below a heading or caption that calls its table a statement; the company's name is there."""
        return bool(_STATEMENT.search(self.above))

    @property
    def name(self) -> str:
        """The label, as the row has it."""
        text = " ".join(self.element.text[self.label.start : self.label.end].split())
        label = without_note_marks(_LEADERS.sub("", text)).strip(" .:$")[:MOST_LABEL]
        name, _, mark = label.rpartition(" (")
        return name if name and len(mark) < 4 and mark.endswith(")") else label  # "Working capital (1)" has a note

    @property
    def unit(self) -> str:
        """The unit of the statement's figures, such as "million"; "" if it states none."""
        text = self.element.text
        match = _UNIT.search(f"{text[: text.find(chr(10), 120)]} {self.above}")
        return match[1].lower() if match else ""


def lines_of(
    figures: Iterable[StatementFigure], every: Iterable[StatementFigure], document: Document, collection: Collection
) -> dict[str, list[Line]]:
    """Return the rows of some figures in a document, those of the statements first, by the names of the figures.

    `every` are all figures that statements have. Raises CollectionDamaged.
    """
    wanted_figures, known_figures = list(figures), list(every)
    labels = (re.escape(_plain(label)) for figure in wanted_figures for label in figure.labels)
    some = "|".join(label.replace(r"\ ", ".{1,40}").replace(r"\*", ".{0,80}") for label in labels)
    outlines = [
        (_figures_in(e.text, known_figures), e)
        for e in collection.outlines(kind="table", saying=f"(?i)(?:{some})")
        if e.doc_id == document.id
    ]
    best = sorted(outlines, key=lambda pair: (-len(pair[0]), pair[1].page))[:MOST_TABLES]
    tables = {e.id: there for there, e in best}
    flows = {f.name for f in known_figures if not f.balance}
    by_figure: dict[str, list[Line]] = defaultdict(list)
    for elements in collection.elements_on([(document.id, page) for page in sorted({e.page for _, e in best})]):
        above: list[str] = []
        for element in elements:
            if element.kind == "heading":
                above.append(element.text)
            there = tables.get(element.id)
            if there is None or len(element.cells) > MOST_CELLS:
                continue
            balances, has_flows = bool(there & TOTALS), not there & TOTALS or len(there & flows) >= STATEMENT
            own = [f for f in wanted_figures if f.name == OWN or (balances if f.balance else has_flows)]
            headings = " ".join((element.caption, *above[-HEADINGS:]))
            for name, line in _rows(element, own, document, len(there), headings):
                by_figure[name].append(line)
    return {name: sorted(lines, key=lambda line: line.rank) for name, lines in by_figure.items()}


def _matches(own: str, pattern: str) -> bool:
    """Return True if label `own` matches `pattern`, which may have a star for other words; both come from `_plain`."""
    first, star, last = pattern.partition("*")
    if star:
        whole = own.startswith(first) and own.endswith(last) and len(own) > len(first + last)
        return whole and "liabilit" not in own[len(first) : len(own) - len(last)]
    return own.startswith(pattern) and bool(_REST.match(own, len(pattern)))


@lru_cache(maxsize=4096)
def _plain(label: str) -> str:
    """Return a label in lower case, without brackets, leader dots and marks of notes."""
    plain = _BRACKETS.sub(" ", _LEADERS.sub("", without_note_marks(label[:MOST_LABEL].replace("’", "'"))))
    return " ".join(plain.lower().strip(" .$:").split())


def _figures_in(text: str, figures: Sequence[StatementFigure]) -> set[str]:
    """Return the names of the figures that a table's text has rows for."""
    labels = [_plain(line.partition(" | ")[0]) for line in text.split("\n")[:MOST_ROWS]]
    return {f.name for f in figures if any(_matches(label, _plain(way)) for way in f.labels for label in labels)}


def _rows(
    element: Element, figures: Sequence[StatementFigure], document: Document, n_known: int, above: str
) -> Iterator[tuple[str, Line]]:
    """Yield the rows of the figures, by their names; `n_known` is the number of all figures that the table has."""
    rows: dict[int, list[Cell]] = defaultdict(list)
    for cell in element.cells:
        rows[cell.row].append(cell)
    heads = _years(element, rows)
    for own in rows.values() if heads else ():
        label, *rest = sorted(own, key=lambda cell: cell.col)
        label_text = element.text[label.start : label.end]
        plain_label = _plain(label_text) if any(c.isalpha() for c in label_text) else ""
        for figure in figures if plain_label else ():
            way = next((n for n, way in enumerate(figure.labels) if _matches(plain_label, _plain(way))), None)
            numbers = {year: _number_in(element, rest, head) for year, head in heads.items()} if way is not None else {}
            there = {
                year: cell for year, cell in numbers.items() if cell and (figure.name == OWN or "%" not in cell.text)
            }
            if there and way is not None:
                headed = bool(_STATEMENT.search(above))
                rank = (NOTE - (n_known >= STATEMENT) - headed, way, -n_known, -len(there), element.page)
                yield figure.name, Line(document, element, label, there, heads, above, rank)


def _years(element: Element, rows: Mapping[int, Sequence[Cell]]) -> dict[int, Cell]:
    """Return the header cells by year; {} if a year is over two columns, as in tables of quarters."""
    by_year: dict[int, Cell] = {}
    columns: dict[int, int] = {}
    for number in sorted(rows)[:HEAD_ROWS]:
        for cell in sorted(rows[number], key=lambda cell: cell.col):
            years = {int(year) for year in _YEAR.findall(element.text[cell.start : cell.end])}
            if len(years) == 1 and cell.col and cell.col not in columns.values():
                year = years.pop()
                if year in columns:
                    return {}
                columns[year], by_year[year] = cell.col, cell
    return by_year


def _number_in(element: Element, cells: Sequence[Cell], head: Cell) -> StatementCell | None:
    """Return the number in the one of `cells` (of a row) that is under `head`; a dash is 0; None without one."""
    cell = next((c for c in cells if c.col <= head.col < c.col + max(c.col_span, 1)), None)
    if cell is None:
        return None
    text = " ".join(element.text[cell.start : cell.end].split())
    if text.strip(" $€£¥") in ("—", "–", "-"):
        return StatementCell(cell, text, 0.0)
    number = _NUMBER.match(text)
    if number is None:
        return None
    value = float(number[1].replace(",", ""))
    negative = any(sign in text[: number.start(1)] for sign in "(-−–")
    return StatementCell(cell, text.strip(" $€£¥"), -value if negative else value)
