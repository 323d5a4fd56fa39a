"""Table rows, quoted with their column headers ("Ferry 4: Passengers 1,240")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from indexing import BBox, Cell, Element
from indexing.language import stem
from rag.methods.quote.form import plain_words

MOST_COLUMNS = 8
"""The cells that are read with their heads, at most; a longer row is quoted as it stands."""
MOST_HEAD_WORDS = 5
"""The words of a head over a column of words, at most; layout models take the first row of a list for one."""


@dataclass(frozen=True, slots=True)
class ReadRow:
    """A row read with its column headers: the text, the boxes of the cells that are read, and of their headers."""

    text: str
    boxes: tuple[BBox, ...]
    heads: tuple[BBox, ...]


def read_row(element: Element, start: int, end: int, question: str) -> ReadRow | None:
    """Return the row at `element.text[start:end]` with its label and column headers.

    The first cells, and cells whose words are in the question, are the label. Of the other columns, those whose headers
    share the most words with the question are read. None if the span is not a single row, if a value has no header, or
    if a header may be the first row of a list.
    """
    rows = {c.row for c in element.cells if c.start < end and c.end > start and not c.header}
    if len(rows) != 1:
        return None
    row = rows.pop()
    own = [c for c in element.cells if c.row <= row < c.row + c.row_span and not c.header and _has_text(element, c)]
    own.sort(key=lambda c: c.col)
    heads = {c: _heads(element, c) for c in own}
    first = next((n for n, c in enumerate(own) if n and _is_number(_text(element, c))), 1)
    labels, values = own[:first], own[first:]
    if not values or len(values) > MOST_COLUMNS or not all(map(heads.__getitem__, values)):
        return None
    if any(_alike(_text(element, c), _text(element, h)) for c in labels for h in heads[c]):
        return None  # "4.1" over "4.2", or one string in quotation marks over another: its head is a row, too
    question_words = {stem(word) for word in plain_words(question)}
    question_cells = [c for c in values if _is_in_question(_text(element, c), question_words)]
    if len(question_cells) < len(values):  # what the question says itself names the row; the rest is what it asks for
        labels, values = [*labels, *question_cells], [c for c in values if c not in question_cells]
    overlap = {
        c: len(question_words & {stem(w) for h in heads[c] for w in plain_words(_text(element, h))}) for c in values
    }
    most = max(overlap.values())
    columns = [c for c in values if overlap[c] == most]
    if not all(_is_named(element, c, heads[c]) for c in columns):
        return None
    label = ", ".join(_text(element, c) for c in labels)
    text = "; ".join(f"{' '.join(_text(element, h) for h in heads[c])}: {_text(element, c)}" for c in columns)
    head_boxes = dict.fromkeys(h.bbox for c in columns for h in heads[c])
    return ReadRow(f"{label} | {text}", tuple(c.bbox for c in (*labels, *columns)), tuple(head_boxes))


def _is_named(element: Element, cell: Cell, heads: Sequence[Cell]) -> bool:
    """Return True if header cells name a cell: over a column of words they are shorter than the cells below."""
    column = [c for c in element.cells if c.col == cell.col and not c.header and _has_text(element, c)]
    texts = [_text(element, c) for c in column]
    if 2 * sum(map(_is_number, texts)) >= len(texts):
        return True
    words = sum(len(_text(element, head).split()) for head in heads)
    return words <= min(MOST_HEAD_WORDS, median(len(text.split()) for text in texts) - 1)


def _text(element: Element, cell: Cell) -> str:
    return " ".join(element.text[cell.start : cell.end].split())


def _is_in_question(text: str, question_words: set[str]) -> bool:
    """Return True if at least half of the words of a cell, by their stems, are in the question."""
    own = {stem(word) for word in plain_words(text)}
    return bool(own) and 2 * len(own & question_words) >= len(own)


def _alike(label: str, head: str) -> bool:
    """Return True if a header is written like a cell below it: both are numbers, or begin with the same sign."""
    sign = label[:1] == head[:1] and not label[:1].isalnum()
    return (_is_number(label) and _is_number(head)) or (bool(label and head) and sign)


def _is_number(text: str) -> bool:
    return 2 * sum(c.isdigit() for c in text) >= sum(c.isalnum() for c in text)


def _has_text(element: Element, cell: Cell) -> bool:
    return any(c.isalnum() for c in element.text[cell.start : cell.end])


def _heads(element: Element, cell: Cell) -> Sequence[Cell]:
    """Return the header cells over a cell, from the top."""
    over = [c for c in element.cells if c.header and c.col <= cell.col < c.col + c.col_span and c.row < cell.row]
    return sorted((c for c in over if _has_text(element, c)), key=lambda c: c.row)
