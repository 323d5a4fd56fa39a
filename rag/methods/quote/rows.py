"""Table rows: quoted with their column headers ("Ferry 4: Passengers 1,240"), and looked up by their keys.

A row that a question names by its key ("error 163", "market CA03") is looked up even if its table scores low.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import median

from indexing import BBox, Cell, Collection, Document, Element
from indexing.language import MODERN_YEAR, stem
from rag.attribution.localize import boxes_of
from rag.calculation import MOST_PAGES
from rag.methods.quote.form import plain_words
from rag.methods.quote.pieces import pieces
from rag.question import PAGE_WORDS
from rag.types import Citation, Evidence, Sentence

MOST_COLUMNS = 8
"""The cells that are read with their heads, at most; a longer row is quoted as it stands."""
MOST_HEAD_WORDS = 5
"""The words of a head over a column of words, at most; layout models take the first row of a list for one."""
LEAST_CODE, MOST_CODE = 3, 24
"""The letters and digits of a code: "AR01", "KX-204"."""
MOST_TABLES, MOST_CELLS = 40, 3000
"""The most tables that may have a key and are read, and the most cells of one."""
MOST_KEYS, MOST_ROWS = 4, 3
"""The most keys of a question, and the most rows of one: what stands in more rows names none."""
_KEY = re.compile(rf"[^\W_]{{1,{MOST_CODE}}}+(?:[./-][^\W_]{{1,{MOST_CODE}}}+){{0,3}}+")
_COUNTED = re.compile(r"\d+(?:st|nd|rd|th|s|k|m|bn|%|x)|fy?\d+|q\d", re.IGNORECASE)
"""The numbers that are written with letters and are no codes: "3rd", "1990s", "FY2015"."""
_YEAR = re.compile(MODERN_YEAR)
_JOINTS = frozenset(("and", "or", "und", "oder", "et", "ou", "the", "of"))
"""The words that may stand between the keys of one kind."""
_NUMBER_WORDS = frozenset(("number", "numbers", "no", "nr", "num"))
"""The words that say no more of a key than that it is a number."""
_PLACES = PAGE_WORDS | frozenset(("table", "tables", "figure", "figures", "fig", "section", "chapter", "appendix"))
"""The words before the number of a place, which is no key."""


@dataclass(frozen=True, slots=True)
class ReadRow:
    """A row read with its heads: the text, the boxes of the cells that are read, and those of their heads."""

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
    question_cells = [c for c in values if _is_said(_text(element, c), question_words)]
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


def is_keyed(question: str, element: Element, start: int, end: int) -> bool:
    """Return whether the row at `element.text[start:end]` is that of a code or number by which a question names it.

    A code of letters and digits ("AR01") is a cell of its own; a number is the first one, under a head that the
    question has a word of ("error number 88").
    """
    codes, numbers = _keys_of(question)
    if not codes and not numbers:
        return False
    own = sorted((c for c in element.cells if c.start < end and c.end > start and not c.header), key=lambda c: c.col)
    texts = [_text(element, c).rstrip(".").lower() for c in own]
    if codes.intersection(texts):
        return True
    if not texts or texts[0] not in numbers:
        return False
    heads = {stem(word) for head in _heads(element, own[0]) for word in plain_words(_text(element, head))}
    return not heads.isdisjoint(stem(word) for word in plain_words(question))


def rows_by_key(
    question: str, documents: Sequence[Document], collection: Collection
) -> list[tuple[Sentence, Evidence]]:
    """Return the table rows that a question names by codes or numbers, in its order; empty unless each has a row.

    The word before a key must be in its column header: "error 163" is found under "Error number". Empty if several
    documents have such rows, or if there are too many tables to read. Raises CollectionDamaged.
    """
    keys = named_keys(question)
    if not 0 < len(keys) <= MOST_KEYS or not all(keys.values()):
        return []
    if sum(document.n_pages for document in documents) > MOST_PAGES:
        return []
    names = {document.id: document.name for document in documents}
    some, kinds = "|".join(re.escape(key) for key in keys), set().union(*keys.values())
    tables = [
        e for e in collection.outlines(kind="table", saying=rf"(?i)(?:^|[^0-9a-z])(?:{some})(?:[^0-9a-z]|$)")
        if e.doc_id in names and any(kind in e.text.lower() for kind in kinds)
    ]  # fmt: skip
    if len(tables) > MOST_TABLES:
        return []
    ids = {e.id for e in tables}
    by_key: dict[str, list[tuple[Element, int, int]]] = defaultdict(list)
    for own in collection.elements_on(sorted({(e.doc_id, e.page) for e in tables})):
        for element in own:
            if element.id in ids and len(element.cells) <= MOST_CELLS:
                for key, start, end in _named_rows(element, keys):
                    by_key[key].append((element, start, end))
    rows = [row for key in keys for row in by_key[key]]
    if not all(0 < len(by_key[key]) <= MOST_ROWS for key in keys) or len({e.doc_id for e, _, _ in rows}) != 1:
        return []
    items = [(Evidence(f"D{n}", e, names[e.doc_id], 0.0), (a, b)) for n, (e, a, b) in enumerate(rows, 1)]
    return [(_row_quoted(item, *span, question), item) for item, span in items]


def named_keys(question: str) -> dict[str, frozenset[str]]:
    """Return the codes and numbers in a question, in lower case, each with the stems of the words before it.

    >>> named_keys("What do the errors 88 and 163 mean?")
    {'88': frozenset({'error'}), '163': frozenset({'error'})}
    """
    codes, numbers = _keys_of(question)
    keys: dict[str, frozenset[str]] = {}
    before: list[str] = []
    for word in re.findall(r"[^\s,;:?!()]+", question.lower()):
        bare = word.strip(".'\"")
        is_place = not _PLACES.isdisjoint(before[-1:])
        if bare in codes or (bare in numbers and not _YEAR.fullmatch(bare) and not is_place):
            keys[bare] = frozenset(stem(w) for w in before[-2:])
        elif bare not in _JOINTS:
            before.append(bare)
    kinds = {key: kind - _NUMBER_WORDS for key, kind in keys.items()}
    return {key: frozenset(w for w in kind if len(w) > 2) for key, kind in kinds.items()}


def _named_rows(element: Element, keys: Mapping[str, frozenset[str]]) -> Iterator[tuple[str, int, int]]:
    """Yield (key, start, end) of the rows of a table that have one of the keys, under what the question calls it.

    A code may stand in any column; a number is that of the first.
    """
    heads = {c: {stem(w) for w in plain_words(_text(element, c))} for c in element.cells if c.header}
    every = set().union(*heads.values())
    for start, end in pieces(element):
        own = sorted((c for c in element.cells if start <= c.start < end and not c.header), key=lambda c: c.col)
        for n, cell in enumerate(own):
            key = _text(element, cell).rstrip(".").lower()
            over = every if not key.isdecimal() else set().union(*(heads[c] for c in _heads(element, cell)))
            if key in keys and keys[key] & over and not (n and key.isdecimal()):
                yield key, start, end


def _row_quoted(item: Evidence, start: int, end: int, question: str) -> Sentence:
    """Return the row of a key as a quote, with its column headers."""
    element = item.element
    row = read_row(element, start, end, question)
    boxes, heads = (row.boxes, row.heads) if row else (boxes_of(element, start, end), ())
    citation = Citation.of(item, element.text[start:end], boxes, [box for box in heads if box not in boxes])
    text = row.text if row else citation.quote
    return Sentence(text, (citation,), "quoted", "the row of what the question names by its code or number")


@lru_cache(maxsize=64)
def _keys_of(question: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the codes and the numbers of a question, in lower case."""
    words = [word.lower() for word in _KEY.findall(question)]
    codes = frozenset(
        word for word in words
        if LEAST_CODE <= len(word) <= MOST_CODE and any(map(str.isdigit, word)) and any(map(str.isalpha, word))
        and not _COUNTED.fullmatch(word)
    )  # fmt: skip
    return codes, frozenset(word for word in words if word.isdecimal())


def _is_named(element: Element, cell: Cell, heads: Sequence[Cell]) -> bool:
    """Return True if heads name a cell: over a column of words they say less than what stands under them."""
    column = [c for c in element.cells if c.col == cell.col and not c.header and _has_text(element, c)]
    texts = [_text(element, c) for c in column]
    if 2 * sum(map(_is_number, texts)) >= len(texts):
        return True
    words = sum(len(_text(element, head).split()) for head in heads)
    return words <= min(MOST_HEAD_WORDS, median(len(text.split()) for text in texts) - 1)


def _text(element: Element, cell: Cell) -> str:
    return " ".join(element.text[cell.start : cell.end].split())


def _is_said(text: str, question_words: set[str]) -> bool:
    """Return True if at least half of the words of a cell are the question's."""
    own = {stem(word) for word in plain_words(text)}
    return bool(own) and 2 * len(own & question_words) >= len(own)


def _alike(label: str, head: str) -> bool:
    """Return True for a head that is written like what stands below it: both numbers, or begun by the same sign."""
    sign = label[:1] == head[:1] and not label[:1].isalnum()
    return (_is_number(label) and _is_number(head)) or (bool(label and head) and sign)


def _is_number(text: str) -> bool:
    return 2 * sum(c.isdigit() for c in text) >= sum(c.isalnum() for c in text)


def _has_text(element: Element, cell: Cell) -> bool:
    return any(c.isalnum() for c in element.text[cell.start : cell.end])


def _heads(element: Element, cell: Cell) -> Sequence[Cell]:
    """Return the heads over a cell, from the top."""
    over = [c for c in element.cells if c.header and c.col <= cell.col < c.col + c.col_span and c.row < cell.row]
    return sorted((c for c in over if _has_text(element, c)), key=lambda c: c.row)
