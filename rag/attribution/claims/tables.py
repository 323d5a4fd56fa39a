"""A table held against a sentence: a value must stand in the row and the column that the sentence names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from indexing import Element
from rag.attribution.claims.align import NUMBER_WEIGHT, Token, meaning
from rag.attribution.claims.claims import Claims, Contrary, claims_of, position, qualifiers, span_of
from rag.attribution.claims.lexicon import LINKING, RANKING
from rag.attribution.claims.quantity import Quantity, Scale, agree, scale_of
from rag.attribution.claims.table_grid import NAMED, Name, Slot, TableGrid, grid_of, named_columns, named_rows
from rag.attribution.claims.text import ELSEWHERE, TextReading, negations, unsaid

FILLER = 0.6
"""The discount on a word that the table lacks, once a value stands where the sentence says (1: it counts nothing)."""
_RISE, _FALL = meaning("rise"), meaning("fall")
FULLY = 0.75
"""The least share of a label that names the only row or column whose value contradicts."""
TIE = 0.35
"""The difference in naming below which rows or columns are named equally well."""


def read_table(claims: Claims, element: Element, context: Sequence[Claims]) -> TextReading | None:
    """Return the reading of a table; None when it has no cells."""
    grid = grid_of(element)
    if not grid.body:
        return None
    corner = [claims_of(h.text) for h in grid.head if h.col == 0]
    around = (*context, *(claims_of(h.text) for h in grid.head))
    scale = _scale((*corner, *context))
    rows = named_rows(claims, grid)
    best_rows = _best(rows)
    labels = [claims_of(s.text) for n in best_rows if n.share > 0.99 for s in grid.labels[min(n.lines)]]
    best_columns = _best(named_columns(claims, grid, frozenset(t.stem for c in labels for t in c.words)))
    objections: list[str] = []
    doubts: list[str] = []
    proof: list[Slot] = []
    sure = False
    naming = {id(q) for q in claims.quantities if _is_name(claims, q, grid, best_rows, best_columns, around)}
    values = [q for q in claims.quantities if id(q) not in naming and not q.soft]
    got = NUMBER_WEIGHT * sum(1 for q in claims.numbers if id(q) in naming)
    for asked in values:
        rows_say = any(
            agree(asked, q) for n in best_rows for r in n.lines for s in grid.row(r) for q in s.claims.quantities
        )
        if not rows_say and _in_context(asked, around):
            got += NUMBER_WEIGHT
            continue
        slot, why, certain = _find(claims, asked, values, grid, best_rows, best_columns, scale)
        if slot is None:
            objections.append(why)
            continue
        got += NUMBER_WEIGHT
        proof.append(slot)
        sure = sure or certain
        if not certain:
            doubts.append(why)
    if not values or not proof:
        proof += _wordy_row(claims, grid, best_rows)
    said = _words(claims, grid, proof, around, objections)
    got += said
    names = {t.key for slot in proof for n in grid.names_of(slot) for t in n.claims.tokens}
    denied = tuple(t for t in claims.negations if t.key not in names)  # "never" may be the head of a column
    against: list[str] = []
    negations(replace(claims, negations=denied), _said(grid, proof), against)
    objections += map(str, against)  # their places are those of a row that is read out
    labels_of = [n for slot in proof for n in grid.labels.get(slot.row, ())]
    spans = tuple(sorted({(s.start, s.end) for s in (*proof, *labels_of)}))
    absent = _absent(claims, grid, proof, around)
    doubts += unsaid(claims, [t for t in absent if not _changed(t, values, proof)], "table")
    doubts += _of_other_columns(claims, grid, proof, context) if values else _ranked(claims, grid)
    missing = tuple(claims.said_word(t) for t in absent)
    idle = FILLER * sum(t.weight for t in absent) if sure else 0.0
    coverage = got / (claims.weight - idle) if claims.weight else 0.0
    words = said / (sum(t.weight for t in claims.words if t.name or t.key not in LINKING) or 1.0)
    return TextReading(
        coverage, min(words, 1.0), tuple(objections), tuple(doubts), missing, spans, (0, len(element.text))
    )


def _of_other_columns(claims: Claims, grid: TableGrid, proof: Sequence[Slot], context: Sequence[Claims]) -> list[str]:
    """Return a doubt about a word that qualifies another and stands only over columns that are not meant."""
    said = {t.stem for t in claims.tokens}
    row = [s for slot in proof for s in grid.row(slot.row)]
    meant = [*proof, *(s for s in row if any(t.stem in said for t in s.claims.words))]  # "and grade A" beside a number
    own = [n.claims for n in (*row, *(name for slot in meant for name in grid.names_of(slot)))]
    own += [h.claims for h in grid.head if h.col == 0]
    stems = {t.stem for c in (*own, *context) for t in c.tokens}
    heads = {t.stem for h in grid.head for t in h.claims.tokens}
    words = [t for t in claims.words if t.stem in heads - stems]
    return [f"the table says {claims.said_word(t)!r} of another column" for t in qualifiers(claims, words)[:1]]


def _changed(token: Token, values: Sequence[Quantity], proof: Sequence[Slot]) -> bool:
    """Return True for "rose" or "fell" where the table shows it: by two values in that order, or by a sign."""
    ways = {_RISE: 1.0, _FALL: -1.0}
    if token.stem not in ways:
        return False
    numbers = [q.value for q in values if q.kind == "number"]
    if len(numbers) == 2:
        return (numbers[1] - numbers[0]) * ways[token.stem] > 0
    signs = "+" if token.stem == _RISE else "-−–("
    return any(slot.text[:1] in signs for slot in proof if slot.text)


def _ranked(claims: Claims, grid: TableGrid) -> list[str]:
    """Return a doubt about a sentence without a value that ranks: no cell says which is the most."""
    there = {t.key for slot in (*grid.head, *grid.body) for t in slot.claims.tokens}
    ranks = [t for t in claims.tokens if t.key in RANKING and t.key not in there]
    return [f"no cell of the table says {claims.said_word(t)!r}" for t in ranks[:1]]


def _scale(around: Sequence[Claims]) -> Scale:
    found = (scale_of(c.text) for c in around)
    return next((s for s in found if s != Scale()), Scale())


def _best(names: Sequence[Name]) -> list[Name]:
    """Return every name that the sentence says as well as the best, or fully in words of its own."""
    said = [n for n in names if n.share >= NAMED and n.score > 0]
    wordy = [n for n in said if n.words] or said
    said = [n for n in wordy if n.score >= wordy[0].score - TIE or n.share > 0.99]
    return [n for n in said if not any(n.words < o.words and o.share > 0.99 for o in said)]


def _is_name(
    claims: Claims,
    quantity: Quantity,
    grid: TableGrid,
    rows: Sequence[Name],
    columns: Sequence[Name],
    around: Sequence[Claims],
) -> bool:
    """Return True if a quantity of the sentence names a row or column ("in 2024") rather than a value."""
    lines = {row for n in rows for row in n.lines}
    labels = [s for row in lines for s in grid.labels.get(row, ())]
    heads = [h for h in grid.head if any(h.col <= c < h.col + h.cols for n in columns for c in n.lines)]
    if any(agree(quantity, q) for s in labels for q in s.claims.quantities):
        return True
    marks = [(h.claims, q) for h in heads for q in h.claims.quantities]
    if quantity.kind == "moment" and _in_context(quantity, around):  # "31 December 2023" under "2023"
        return any(q.kind == "moment" and agree(q, quantity) for _, q in marks)
    return any(
        agree(quantity, q) and (q.kind != "number" or bool(_beside(claims, quantity) & _beside(head, q)))
        for head, q in marks
    )


def _beside(claims: Claims, quantity: Quantity) -> set[tuple[str, str]]:
    """Return the words before and after a quantity: "rung" of "Rung 3", "hop" of "2-hop"."""
    before = [t.stem for t in claims.tokens if t.end <= quantity.start][-1:]
    after = [t.stem for t in claims.tokens if t.start >= quantity.end][:1]
    return {("before", stem) for stem in before} | {("after", stem) for stem in after}


def _in_context(asked: Quantity, around: Sequence[Claims]) -> bool:
    """Return True if the caption, section or a head gives a label or date; several heads may give parts of a date."""
    every = [q for c in around for q in c.quantities if q.kind == asked.kind]
    if asked.kind != "moment":
        return asked.kind == "label" and any(agree(asked, q) for q in every)
    parts = [(name, getattr(asked, name)) for name in ("year", "quarter", "month", "day") if getattr(asked, name)]
    return all(any(getattr(q, name) == value for q in every) for name, value in parts)


def _find(
    claims: Claims,
    asked: Quantity,
    values: Sequence[Quantity],
    grid: TableGrid,
    rows: Sequence[Name],
    columns: Sequence[Name],
    scale: Scale,
) -> tuple[Slot | None, str, bool]:
    """Return (the cell that says it, why not or why in doubt, True if it is sure)."""
    said = claims.said(asked)
    same = _cells_of(asked, grid, scale)
    bare = not same and asked.unit == "%"  # "77.4%" of a table that gives accuracy as 77.4
    if bare:
        same = [s for s in _cells_of(replace(asked, unit=""), grid, scale) if _units(grid, s, scale) == {""}]
    row, col = _own(claims, asked, values, rows, nearer=False), _own(claims, asked, values, columns, nearer=True)
    if not same:
        return None, _nowhere(claims, asked, grid, _meant(asked, grid, rows, row, col, scale)), False
    in_row = [s for s in same if row and s.row in row.lines]
    if row and not in_row:
        label = " ".join(s.text for s in grid.labels[min(row.lines)])
        other = " ".join(s.text for s in grid.labels.get(same[0].row, ())) or f"row {same[0].row + 1}"
        told = f"{said} is in the row {other!r}, not in {label!r}"
        there = _meant(asked, grid, rows, row, col, scale)
        return None, Contrary.of(told, span_of(asked), (there.start, there.end)) if there else told, False
    both = [s for s in in_row or same if col and any(s.col <= c < s.col + s.cols for c in col.lines)]
    lone = [s for s in in_row if asked.unit and not _rivals(grid, s, scale)]
    if col and not both and not lone:
        wrong = (in_row or same)[0]
        head = " ".join(h.text for h in grid.heads(wrong)) or f"column {wrong.col + 1}"
        return None, f"{said} stands under {head!r}, not where the sentence says", False
    slot = (both or lone or in_row or same)[0]  # lone: "rose by 29 per cent" can only mean "Change (%)"
    doubt = f"the table gives {slot.text} without a unit" if bare else _doubt(said, slot, grid, scale, row, col)
    return slot, doubt, not doubt


def _cells_of(asked: Quantity, grid: TableGrid, scale: Scale) -> list[Slot]:
    """Return the cells that say a value, in the unit and to the scale of the table."""
    return [
        s for s in grid.body
        if not grid.is_label(s) and any(agree(asked, q, grid.scale(s, scale)) for q in s.claims.quantities)
    ]  # fmt: skip


def _doubt(said: str, slot: Slot, grid: TableGrid, scale: Scale, row: Name | None, col: Name | None) -> str:
    """Say in words what the sentence leaves open about a value."""
    if row is None:
        return f"the sentence does not say which row {said} is from"
    if col is None and any(grid.heads(s) for s in _rivals(grid, slot, scale)):
        return f"the sentence does not say which column {said} is from"
    return ""


def _rivals(grid: TableGrid, slot: Slot, scale: Scale) -> list[Slot]:
    """Return other cells of the row whose value might be meant: those of the same unit."""
    own = _units(grid, slot, scale)
    others = (s for s in grid.row(slot.row) if s != slot and not grid.is_label(s))
    return [s for s in others if own & _units(grid, s, scale)]


def _units(grid: TableGrid, slot: Slot, scale: Scale) -> set[str]:
    own = grid.scale(slot, scale).unit
    return {q.kind if q.kind in ("moment", "clock") else q.unit or own for q in slot.claims.numbers}


def _nowhere(claims: Claims, asked: Quantity, grid: TableGrid, meant: Slot | None) -> str:
    said = claims.said(asked)
    if asked.kind == "moment":
        years = [h.text for h in grid.head if any(q.kind == "moment" for q in h.claims.quantities)]
        return f"the table is about {', '.join(years[:3])}, not {said}" if years else f"{said} is not in the table"
    if meant is not None:
        told = f"{said} is not in the table, which says {meant.text}"
        return Contrary.of(told, span_of(asked), (meant.start, meant.end))
    return f"{said} is not in the table"


def _meant(
    asked: Quantity, grid: TableGrid, rows: Sequence[Name], row: Name | None, col: Name | None, scale: Scale
) -> Slot | None:
    """Return the cell that must say a value: the only one, of the same unit, in the row and column that are named."""
    if row is None or col is None or len(rows) > 1 or min(row.share, col.share) < FULLY:
        return None
    cells = [s for line in row.lines for s in grid.row(line) if not grid.is_label(s)]
    there = [s for s in cells if any(s.col <= c < s.col + s.cols for c in col.lines)]
    if len(there) != 1 or len(there[0].claims.numbers) != 1:
        return None
    unit = asked.kind if asked.kind in ("moment", "clock") else asked.unit
    return there[0] if unit in _units(grid, there[0], scale) else None


def _own(
    claims: Claims, asked: Quantity, values: Sequence[Quantity], names: Sequence[Name], *, nearer: bool
) -> Name | None:
    """Return the row or column that a value is said of: by order if there are as many as values, else the nearest."""
    if not names:
        return None
    if len(names) == 1:  # said of several values, it belongs to the nearest: "398, against 412 planned"
        nearest = min(values, key=lambda v: abs(position(claims, v.start) - names[0].at))
        return names[0] if len(values) < 2 or not nearer or nearest is asked else None
    ordered = sorted(names, key=lambda n: n.at)
    if len(ordered) == len(values):
        return ordered[[id(v) for v in values].index(id(asked))]
    at = position(claims, asked.start)
    return min(ordered, key=lambda n: (abs(n.at - at), -n.score))


def _wordy_row(claims: Claims, grid: TableGrid, rows: Sequence[Name]) -> list[Slot]:
    """Return the cells of the row that say most of a sentence without a value."""
    said = {t.stem for t in claims.words}
    lines = {row for n in rows for row in n.lines} or {s.row for s in grid.body}

    def share(row: int) -> float:
        return sum(
            t.weight for s in grid.row(row) for t in {t.stem: t for t in s.claims.tokens}.values() if t.stem in said
        )

    best = max(sorted(lines), key=share, default=None)
    if best is None or not share(best):
        return []
    return [s for s in grid.row(best) if said & {t.stem for t in s.claims.words}]


def _words(
    claims: Claims, grid: TableGrid, proof: Sequence[Slot], around: Sequence[Claims], objections: list[str]
) -> float:
    """Return the weight of the sentence's words that the rows of the proof, their heads or the context say."""
    there, near = _stems(grid, proof), {t.stem for c in around for t in c.tokens}
    strange = [t for t in claims.words if t.name and t.stem not in there | near]
    objections += [f"{claims.said_word(t)} is not in that row of the table" for t in strange]
    return sum(t.weight * (1.0 if t.stem in there else ELSEWHERE if t.stem in near else 0.0) for t in claims.words)


def _absent(claims: Claims, grid: TableGrid, proof: Sequence[Slot], around: Sequence[Claims]) -> list[Token]:
    have = _stems(grid, proof) | {t.stem for c in around for t in c.tokens}
    return [t for t in claims.words if t.stem not in have and (t.name or t.key not in LINKING)]


def _said(grid: TableGrid, proof: Sequence[Slot]) -> Claims:
    """Return the claims of the rows of the proof, as if they were read out."""
    cells = dict.fromkeys(c for slot in proof for c in grid.row(slot.row))
    return claims_of("; ".join(c.text for c in cells))


def _stems(grid: TableGrid, proof: Sequence[Slot]) -> set[str]:
    """Return the stems of the words in the rows of the proof and in the names of their cells."""
    cells = {c for slot in proof for c in (*grid.row(slot.row), *grid.names_of(slot))}
    cells |= {h for slot in proof for h in grid.head}
    return {t.stem for c in cells for t in c.claims.tokens}
