"""A claim matched with a table: its values must stand in the row and under the head that it names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from indexing import Element
from indexing.language import Quantity, Scale, agree, scale_of
from rag.attribution.rules.claim_match import Item
from rag.attribution.rules.prose import Difference, TextReading, read_text
from rag.attribution.words import (
    NAMED,
    Claims,
    Name,
    Slot,
    TableGrid,
    claims_of,
    grid_of,
    lexicon,
    named_columns,
    named_rows,
    position,
    qualifiers,
)

FULLY = 0.75
"""The least share of a label that names the only row or column whose value contradicts."""
WORDY = 6
"""The words from which a cell is read as a text."""
TIE = 0.35
"""The difference in naming below which rows or columns are named equally well."""


def read_table(
    claims: Claims, items: Sequence[Item], element: Element, around: Sequence[Claims], topic: Claims
) -> TextReading:
    """Return the reading of a claim in a table: its items in the rows and columns it names, and contradicting cells.

    `around` are the claims of the headings and the caption. Words of the question, `topic`, name rows and columns too.
    """
    grid = grid_of(element)
    if not grid.body:
        return read_text(claims, items, claims_of(element.text), around)
    return _Table(claims, items, element, grid, around, topic).read()


class _Table:
    """A table and the rows and columns that a claim names."""

    def __init__(
        self,
        claims: Claims,
        items: Sequence[Item],
        element: Element,
        grid: TableGrid,
        around: Sequence[Claims],
        topic: Claims,
    ) -> None:
        self.claims, self.items, self.element, self.grid = claims, items, element, grid
        heads = [h.claims for h in grid.head]
        self.context, self.around = around, (*around, *heads)
        self.scale = next((s for c in (*(h.claims for h in grid.head if h.col == 0), *around)
                           if (s := scale_of(c.text)) != Scale()), Scale())  # fmt: skip
        self.rows = _best(named_rows(claims, grid)) or _best(named_rows(topic, grid))
        labels = [s.claims for n in self.rows if n.share > 0.99 for s in grid.labels[min(n.lines)]]
        label_stems = frozenset(t.stem for c in labels for t in c.words)
        self.columns = _best(named_columns(claims, grid, label_stems)) or _best(named_columns(topic, grid, label_stems))
        self.reading = TextReading()

    def read(self) -> TextReading:
        """Match the claim's values by row and column, then its words by row; return the reading."""
        quantities = [(n, i.quantity) for n, i in enumerate(self.items) if i.quantity is not None]
        values = [(n, q) for n, q in quantities if not self._is_label(q)]
        here = [q for _, q in values if self._cells_with(q)]
        proof: list[Slot] = []
        for n, quantity in quantities:
            if (n, quantity) not in values:
                self.reading.around.add(n)
                continue
            slot = self._find_cell(n, quantity, here if quantity in here else [q for _, q in values])
            proof += [slot] if slot is not None else []
        self._match_words(proof, {n for n, _ in quantities}, number=bool(values))
        self._match_superlatives(proof)
        return self.reading

    def _is_label(self, quantity: Quantity) -> bool:
        """Return True if a quantity is no value but names a row or column ("in 2024"), or is said around the table."""
        labels = [s for n in self.rows for row in n.lines for s in self.grid.labels.get(row, ())]
        heads = [h for h in self.grid.head if any(h.col <= c < h.col + h.cols for n in self.columns for c in n.lines)]
        if any(agree(quantity, q) for s in labels for q in s.claims.quantities):
            return True
        if any(agree(quantity, q) for h in heads for q in h.claims.quantities):
            return True
        every = [q for c in self.around for q in c.quantities if q.kind == quantity.kind]
        if quantity.kind == "label" or (quantity.unit and quantity.kind == "number"):
            return any(agree(quantity, q) for q in every)
        here = any(agree(quantity, q) for s in self.grid.body for q in s.claims.quantities)
        parts = [v for v in ("year", "quarter", "month", "day") if getattr(quantity, v)]
        agrees = all(any(getattr(q, v) == getattr(quantity, v) for q in every) for v in parts)
        return quantity.kind == "moment" and not here and agrees

    def _find_cell(self, n: int, number: Quantity, values: Sequence[Quantity]) -> Slot | None:
        """Return the cell with a value in the row and column that the claim names; else None, and add a doubt."""
        row, col = (
            self._name_of_value(number, values, self.rows, nearer=False),
            self._name_of_value(number, values, self.columns, nearer=True),
        )
        same = self._cells_with(number)
        if not same and number.unit:  # "77.4%" of a table that gives accuracy as 77.4, "12.5 V" where V stands aside
            plain = self._cells_with(replace(number, unit=""))
            same = [s for s in plain if self._units(s) == {""} and (number.unit == "%" or self._has_unit(n, s))]
        text = self.items[n].text
        if not same:
            self._add_difference(n, number, row, col)
            return None
        in_row = [s for s in same if row is None or s.row in row.lines]
        if not in_row:
            self._add_difference(n, number, row, col)
            self.reading.doubts.append(f"{text} is in the row {self._label(same[0])!r}")
            self.reading.places[n] = (same[0].start, same[0].end)
            return None
        both = [s for s in in_row if col and any(s.col <= c < s.col + s.cols for c in col.lines)]
        lone = [s for s in in_row if number.unit and not self._rivals(s)]
        slot = (both or lone or in_row)[0]
        self.reading.places[n] = (slot.start, slot.end)
        if col and not both and not lone:
            self._add_difference(n, number, row, col)
            head = " ".join(h.text for h in self.grid.heads(slot)) or f"column {slot.col + 1}"
            self.reading.doubts.append(f"{text} stands under {head!r}")
        elif row is None and len(self.grid.rows) > 1:
            self.reading.doubts.append(f"the sentence does not say which row {text} is from")
        elif col is None and any(self.grid.heads(s) for s in self._rivals(slot)):
            self.reading.doubts.append(f"the sentence does not say which column {text} is from")
        return slot

    def _has_unit(self, n: int, slot: Slot) -> bool:
        """Return True if the unit of item `n` is in the row of a cell or in the texts around the table."""
        unit = {t.stem for t in claims_of(self.items[n].text).tokens if not t.key[0].isdigit()}
        near = [s.claims for s in self.grid.row(slot.row)] + list(self.around)
        return bool(unit) and unit <= {t.stem for c in near for t in c.tokens}

    def _label(self, slot: Slot) -> str:
        return " ".join(s.text for s in self.grid.labels.get(slot.row, ())) or f"row {slot.row + 1}"

    def _cells_with(self, number: Quantity) -> list[Slot]:
        """Return the cells whose value agrees with a quantity, in the unit and scale of the table."""
        return [
            s for s in self.grid.body if not self.grid.is_label(s)
            and any(agree(number, q, self.grid.scale(s, self.scale)) and (not number.bound or q.bound)
                    for q in s.claims.quantities)
        ]  # fmt: skip

    def _units(self, slot: Slot) -> set[str]:
        """Return the units of a cell's numbers, its own or the table's; of dates and times, the kind."""
        own = self.grid.scale(slot, self.scale).unit
        return {q.kind if q.kind in ("moment", "clock") else q.unit or own for q in slot.claims.numbers}

    def _rivals(self, slot: Slot) -> list[Slot]:
        """Return other cells of the row whose value might be meant: those of the same unit."""
        own = self._units(slot)
        others = (s for s in self.grid.row(slot.row) if s != slot and not self.grid.is_label(s))
        return [s for s in others if own & self._units(s)]

    def _add_difference(self, n: int, number: Quantity, row: Name | None, col: Name | None) -> None:
        """Add a difference if the named row and column have a single cell, with another value of the same unit."""
        if row is None or col is None or len(self.rows) > 1 or min(row.share, col.share) < FULLY:
            return
        there = [s for line in row.lines for s in self.grid.row(line) if not self.grid.is_label(s)
                 and any(s.col <= c < s.col + s.cols for c in col.lines)]  # fmt: skip
        unit = number.kind if number.kind in ("moment", "clock") else number.unit
        if len(there) != 1 or len(there[0].claims.numbers) != 1 or unit not in self._units(there[0]):
            return
        slot, item = there[0], self.items[n]
        if any(
            i.quantity is not number and agree(i.quantity, q)
            for i in self.items
            if i.quantity
            for q in slot.claims.quantities
        ):
            return
        dates = [q for c in (*(s.claims for s in self.grid.names_of(slot)), claims_of(self.element.caption))
                 for q in c.quantities if q.kind == "moment"]  # fmt: skip
        if all(any(q.kind == "moment" and agree(q, d) for q in self.claims.quantities) for d in dates):
            reason, place = f"the table says {slot.text}, not {item.text}", (slot.start, slot.end)
            self.reading.differences.append(Difference(reason, (item.start, item.end), place, place))

    def _name_of_value(
        self, number: Quantity, values: Sequence[Quantity], names: Sequence[Name], *, nearer: bool
    ) -> Name | None:
        """Return the row or column of a value: by order if there are as many names as values, else the nearest."""
        if not names:
            return None
        at = position(self.claims, number.start)
        if len(names) == 1:  # said of several values, it belongs to the nearest: "398, against 412 planned"
            nearest = min(values, key=lambda v: abs(position(self.claims, v.start) - names[0].at))
            return names[0] if len(values) < 2 or not nearer or nearest is number else None
        in_order = sorted(names, key=lambda n: n.at)
        if len(in_order) == len(values):
            return in_order[[id(v) for v in values].index(id(number))]
        return min(in_order, key=lambda n: (abs(n.at - at), -n.score))

    def _match_words(self, proof: Sequence[Slot], skip: set[int], *, number: bool) -> None:
        """Match the words outside `skip` with the rows of the proof or, without one, the row that has most of them."""
        open_items = [(n, i) for n, i in enumerate(self.items) if n not in skip]
        rows = {s.row for s in proof} or self._wordiest([i for _, i in open_items])
        slots = [s for row in sorted(rows) for s in self.grid.row(row)]
        slots += [self.grid.groups[row] for row in rows if row in self.grid.groups]
        heads = {t.stem for h in self.grid.head for t in h.claims.tokens}
        wordy = not number or any(len(s.claims.words) > WORDY for s in slots)
        if wordy and len(rows) == 1 and slots:
            row = self.grid.row(min(rows))
            part = claims_of(self.element.text).claims_between(min(s.start for s in row), max(s.end for s in row))
            reading = read_text(self.claims, self.items, part, (*self.around, *(s.claims for s in slots)))
            self.reading.places |= {n: span for n, span in reading.places.items() if n not in skip}
            self.reading.around |= reading.around
            self.reading.doubts += reading.doubts
            self.reading.match = reading.match
            return
        stems = {t.stem: (s.start + t.start, s.start + t.end) for s in slots for t in s.claims.tokens}
        near = {t.stem for c in self.around for t in c.tokens}
        own = {t.stem for s in proof for h in self.grid.heads(s) for t in h.claims.tokens}
        own |= {t.stem for h in self.grid.head if h.col == 0 for t in h.claims.tokens}
        strange = heads - own - {t.stem for c in self.context for t in c.tokens} if proof else set()
        for n, item in open_items:
            if item.token.name and item.token.stem in strange and item.token.stem not in stems:
                continue
            if item.token.stem in stems:
                self.reading.places[n] = stems[item.token.stem]
            elif item.token.stem in near:
                self.reading.around.add(n)
        other = [i.token for n, i in open_items if n in self.reading.around and i.token.stem in heads - own]
        other = [t for t in other if t.key not in ("ended", "ending")]  # "year ended December 31"
        for token in qualifiers(self.claims, other)[:1] if proof else ():
            self.reading.doubts.append(f"the table says {self.claims.said_word(token)!r} of another column")
        self._match_negations(slots)
        there = {t.key for c in (claims_of(self.element.text), *self.around) for t in c.tokens}
        ties = [
            t for t in self.claims.tokens if t.key in ("against", "without", "before", "after") and t.key not in there
        ]
        if ties and len(proof) < 2:
            self.reading.doubts.append(f"the table does not say {ties[0].key!r}")

    def _match_negations(self, slots: Sequence[Slot]) -> None:
        """Add doubts about negations that the claim has and the cells lack, or the other way round."""
        negations = {t.key for s in slots for t in s.claims.negations} | {
            t.key for h in self.grid.head for t in h.claims.tokens
        }
        for token in self.claims.negations:
            if token.key not in negations:
                self.reading.doubts.append(f"the table does not say {self.claims.phrase(token)!r}")
        words = {i.token.stem for i in self.items}
        for slot in slots:
            clash = [t for t in slot.claims.negations if words & {w.stem for w in slot.claims.words}]
            if clash and not self.claims.negations:
                self.reading.doubts.append(f"the table says {slot.claims.phrase(clash[0])!r}")

    def _wordiest(self, items: Sequence[Item]) -> set[int]:
        """Return the row, as a set, that has most of the weight of some items; empty if no row has any."""
        stems = {i.token.stem: i.weight for i in items}
        lines = {row for n in self.rows for row in n.lines} or set(self.grid.rows)
        shares = {
            row: sum(stems.get(stem, 0.0) for stem in {t.stem for s in self.grid.row(row) for t in s.claims.tokens})
            for row in sorted(lines)
        }
        best = max(shares, key=lambda row: shares[row], default=None)
        return {best} if best is not None and shares[best] else set()

    def _match_superlatives(self, proof: Sequence[Slot]) -> None:
        """Match "the most" and the like if a value is the extreme of its column, else add a doubt; match signs, too."""
        for n, item in enumerate(self.items):
            key = item.token.key
            signs = "+" if key in lexicon.INCREASE_WORDS else "-−–(" if key in lexicon.DECREASE_WORDS else ""
            if (
                item.quantity is None
                and n not in self.reading.places
                and any(s.text[:1] in signs for s in proof if s.text and signs)
            ):
                self.reading.places[n] = (proof[0].start, proof[0].end)
            if item.quantity is not None or key not in lexicon.SUPERLATIVES or n in self.reading.places:
                continue
            if len(proof) == 1 and _extreme(self.grid, proof[0], 1 if key in lexicon.INCREASE_WORDS else -1):
                self.reading.places[n] = (proof[0].start, proof[0].end)
            elif not any(key in {t.key for t in c.tokens} for c in self.around):
                self.reading.doubts.append(f"no cell of the table says {item.text!r}")


def _extreme(grid: TableGrid, slot: Slot, way: int) -> bool:
    """Return True if the value of a cell is the greatest (`way` 1) or least (-1) of its column of three or more."""
    every = [s.claims.numbers[0].value for s in grid.body if s.col == slot.col and len(s.claims.numbers) == 1]
    own = slot.claims.numbers
    return len(own) == 1 and len(every) > 2 and own[0].value * way == max(v * way for v in every)


def _best(names: Sequence[Name]) -> list[Name]:
    """Return the names that the sentence mentions about as well as the best one, or completely."""
    candidates = [n for n in names if n.share >= NAMED and n.score > 0]
    wordy = [n for n in candidates if n.words] or candidates
    candidates = [n for n in wordy if n.score >= wordy[0].score - TIE or n.share > 0.99]
    return [n for n in candidates if not any(n.words < o.words and o.share > 0.99 for o in candidates)]
