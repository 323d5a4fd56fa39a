"""A table's cells -> rows and columns with their names, and which of them a sentence names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from indexing import Element
from indexing.language import Quantity, Scale, Token, agree, scale_of
from rag.attribution.words.claims import Claims, claims_of

NAMED = 0.5
"""The share of the weight of a label that a sentence must have to name its row or column."""
UNSAID = 0.6
"""The cost of a word of a label that the sentence does not have, as a share of the word's weight."""
HEAD_ROWS = 4


@dataclass(frozen=True, slots=True)
class Slot:
    """A cell: its place in the grid and `text[start:end]` of the element."""

    row: int
    col: int
    cols: int
    start: int
    end: int
    text: str

    @property
    def claims(self) -> Claims:
        """The claims of the cell; offsets count from its start."""
        return claims_of(self.text)

    @property
    def numeric(self) -> bool:
        """True if the cell holds a value rather than words."""
        claims = self.claims
        return any(q.kind in ("number", "clock") for q in claims.numbers) and len(claims.words) <= 1


@dataclass(frozen=True, slots=True)
class TableGrid:
    """A table: its body cells, also by row, its header cells, and the label and the group heading of every row."""

    body: tuple[Slot, ...]
    rows: dict[int, tuple[Slot, ...]]
    head: tuple[Slot, ...]
    labels: dict[int, tuple[Slot, ...]]
    groups: dict[int, Slot]

    def heads(self, slot: Slot) -> tuple[Slot, ...]:
        """Return the header cells above a cell."""
        right = slot.col + slot.cols
        return tuple(h for h in self.head if h.col < right and slot.col < h.col + h.cols)

    def row(self, number: int) -> tuple[Slot, ...]:
        """Return the cells of one row below the head."""
        return self.rows.get(number, ())

    def is_label(self, slot: Slot) -> bool:
        """Return True if a cell names its row."""
        return slot in self.labels.get(slot.row, ())

    def names_of(self, slot: Slot) -> tuple[Slot, ...]:
        """Return the cells that explain a cell: its column headers, its group heading, the label of its row."""
        group = (self.groups[slot.row],) if slot.row in self.groups else ()
        return tuple(dict.fromkeys((*self.heads(slot), *group, *self.labels.get(slot.row, ()))))

    def scale(self, slot: Slot, context: Scale) -> Scale:
        """Return the scale of a cell: that of its column's head, else of its row's label, else `context`."""
        for name in (*self.heads(slot), *self.labels.get(slot.row, ())):
            own = scale_of(name.text)
            if own != Scale():
                return own
        return context


@lru_cache(maxsize=64)
def _grid(text: str, cells: tuple[tuple[int, int, int, int, int, bool], ...]) -> TableGrid:
    """Return the grid of a text's cells, each given as (row, col, columns spanned, start, end, is a header)."""
    slots = [Slot(row, col, cols, a, b, text[a:b]) for row, col, cols, a, b, _ in cells]
    heads = {row for row, _, _, _, _, header in cells if header}
    by_row: dict[int, list[Slot]] = defaultdict(list)
    for slot in slots:
        by_row[slot.row].append(slot)
    values = {s.row for s in slots if s.col > 0 and s.numeric}
    for row in sorted(by_row)[:HEAD_ROWS]:  # a head of several rows, of which the first alone was seen
        if row in heads or (values and heads and row == max(heads) + 1 and _names_columns(by_row[row])):
            heads.add(row)
    labels: dict[int, tuple[Slot, ...]] = {}
    groups: dict[int, Slot] = {}
    group: Slot | None = None
    for row in sorted(by_row.keys() - heads):
        row_slots = sorted(by_row[row], key=lambda s: s.col)
        if len(row_slots) == 1 and row_slots[0].col == 0 and not row_slots[0].numeric:
            group = row_slots[0]
        first = tuple(s for s in row_slots[:1] if s.claims.words or len(row_slots) > 1)
        labels[row] = first if first and first[0].col == 0 else ()
        if group is not None and group.row != row:
            groups[row] = group
    body = tuple(s for s in slots if s.row not in heads)
    rows = {row: tuple(every) for row, every in by_row.items() if row not in heads}
    return TableGrid(body, rows, tuple(s for s in slots if s.row in heads), labels, groups)


def _names_columns(row: Sequence[Slot]) -> bool:
    return len(row) > 1 and not any(s.numeric for s in row if s.col > 0) and any(
        q.kind == "moment" for s in row for q in s.claims.quantities
    )  # fmt: skip


def grid_of(element: Element) -> TableGrid:
    """Return the grid of a table's cells or, where it has none, of the lines and bars of its text."""
    if element.cells:
        return _grid(
            element.text, tuple((c.row, c.col, max(c.col_span, 1), c.start, c.end, c.header) for c in element.cells)
        )
    cells: list[tuple[int, int, int, int, int, bool]] = []
    for row, line in enumerate(re.finditer(r"[^\n]+", element.text)):
        pieces = re.finditer(r"[^|]+", line.group())
        for col, piece in enumerate(pieces):
            if piece.group().strip():
                start = line.start() + piece.start() + len(piece.group()) - len(piece.group().lstrip())
                cells.append((row, col, 1, start, start + len(piece.group().strip()), row == 0))
    return _grid(element.text, tuple(cells))


@dataclass(frozen=True, slots=True)
class Name:
    """A row or column (or several that share their label) that a sentence names: how well, and at which place in it."""

    lines: frozenset[int]
    words: frozenset[str]
    score: float
    share: float
    at: float


def named_rows(sentence: Claims, grid: TableGrid) -> list[Name]:
    """Return rows by how well the sentence names them, best first; rows with the same label are one `Name`."""
    by_label: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for row, labels in grid.labels.items():
        group = grid.groups.get(row)
        key = (group.text if group else "", *(s.text for s in labels))
        if labels:
            by_label[key].append(row)
    names: list[Name] = []
    for (group_text, *texts), rows in by_label.items():
        label = claims_of(" ".join(texts))
        score, share, at = _naming(sentence, label.words, label.quantities)
        if group_text:
            extra, part, _ = _naming(sentence, claims_of(group_text).words, claims_of(group_text).quantities)
            score += 0.5 * extra if part >= NAMED else 0.0
        names.append(Name(frozenset(rows), frozenset(t.stem for t in label.words), score, share, at))
    return sorted(names, key=lambda n: -n.score)


def named_columns(sentence: Claims, grid: TableGrid, without: frozenset[str] = frozenset()) -> list[Name]:
    """Return columns by how well the sentence names them, best first. Words that all heads share name none of them.

    `without` are stems of the sentence that name its row: they name a column only when nothing else does.
    """
    columns = sorted({s.col for s in grid.body if not grid.is_label(s)})
    titles = {h.row for h in grid.head if sum(o.row == h.row for o in grid.head) == 1}
    titles = titles if len(titles) < len({h.row for h in grid.head}) else set()
    heads = {
        col: [claims_of(h.text) for h in grid.head if h.col <= col < h.col + h.cols and h.row not in titles]
        for col in columns
    }
    common: set[str] = set()
    if len(columns) > 1:
        common = set.intersection(*({t.stem for c in heads[col] for t in c.naming} for col in columns))
    by_head: dict[str, list[int]] = defaultdict(list)
    for col in columns:
        by_head["\n".join(c.text for c in heads[col])].append(col)
    names: list[Name] = []
    for cols in by_head.values():
        words = [t for c in heads[cols[0]] for t in c.naming if t.stem not in common]
        marks = [q for c in heads[cols[0]] for q in c.quantities]
        if words or marks:
            score, share, at = _naming(sentence, words, marks, without)
            names.append(Name(frozenset(cols), frozenset(t.stem for t in words), score, share, at))
    if without and not any(n.share >= NAMED for n in names):
        return named_columns(sentence, grid)
    return sorted(names, key=lambda n: -n.score)


def _says_more(quantity: Quantity, mark: Quantity) -> bool:
    """Return True if a header has a part of a sentence's date ("2018" for "December 31, 2018")."""
    return quantity.kind == mark.kind == "moment" and agree(mark, quantity)


def _naming(
    sentence: Claims, words: Sequence[Token], marks: Sequence[Quantity], without: frozenset[str] = frozenset()
) -> tuple[float, float, float]:
    """Return (score, share of the label's weight in the sentence, position there in words); zeros for no label."""
    positions = {t.stem: t.at for t in sentence.tokens if t.stem not in without}
    weight = {t.stem: 0.5 if t.stop else 1.0 for t in words}
    have = {stem: w for stem, w in weight.items() if stem in positions}
    total, gain = sum(weight.values()), sum(have.values())
    places = [positions[stem] for stem in have]
    for mark in marks:
        total += 1.0
        hit = next((q for q in sentence.quantities if agree(q, mark) or _says_more(q, mark)), None)
        if hit is not None:
            gain += 1.0
            places.append(next((t.at for t in sentence.tokens if t.end > hit.start), 0.0))
    if not total:
        return 0.0, 0.0, 0.0
    return gain - UNSAID * (total - gain), gain / total, sum(places) / len(places) if places else 0.0
