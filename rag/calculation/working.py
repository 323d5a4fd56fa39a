"""A chosen program -> its working in words ("120 - 87 = 33, from ..."), and the cells that it used."""

from __future__ import annotations

from collections.abc import Sequence

from rag.calculation.match import Matched
from rag.calculation.program import Program, amounts, column
from rag.calculation.sheet import Entry

MOST_NAMED = 6
"""The most rows that are named one by one."""
MOST_TERMS = 12
"""The most terms of a sum that are written out."""
_LEVELS = {
    **dict.fromkeys(("greatest", "maximum"), "the highest"),
    **dict.fromkeys(("least", "minimum"), "the lowest"),
    **{name: f"the {name}" for name in ("first", "last", "most frequent", "least frequent")},
}
_PLACES = ("", "second ", "third ", "fourth ", "fifth ")


def used(matched: Matched, program: Program) -> tuple[Entry, ...]:
    """Return the cells that an answer rests on: its operands, what was compared, and where the conditions are met."""
    sheet = matched.sheet
    found = list(program.operands)
    compares = program.operation.split()[0] in ("greatest", "least", "maximum", "minimum", "range")
    if compares and program.measured >= 0:
        found += column(sheet, program.rows.rows, program.measured)
    for rows in (program.rows, program.other):
        if rows is not None and len(rows.rows) < len(sheet.rows):
            found += [e for at in sorted(rows.columns) for e in column(sheet, rows.rows, at)]
    return tuple(sorted({(e.row, e.col): e for e in found}.values(), key=lambda e: (e.row, e.col)))


def names(matched: Matched, cells: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return the cells that explain others: the heads above them and the first cells of their rows."""
    places = {(e.row, e.col) for e in cells}
    found: dict[tuple[int, int], Entry] = {}
    for row in matched.sheet.rows:
        for at, entry in enumerate(row):
            if entry is not None and (entry.row, entry.col) in places:
                first = (row[0],) if row[0] is not None else ()
                found |= {(e.row, e.col): e for e in (*matched.sheet.heads[at].cells, *first)}
    return tuple(e for place, e in found.items() if place not in places)


def working(matched: Matched, program: Program) -> str:
    """Return how the answer came about, in words and figures that can be read aloud; no full stop at its end."""
    operation = program.operation
    if operation in ("count", "count kinds"):
        return _counted(matched, program)
    if program.value is not None and operation not in ("maximum", "minimum"):
        return f"{_sum(program)}{_from(matched, program)}"
    if operation in ("the greater", "the lesser"):
        return _compared(matched, program)
    size = len(program.rows.rows)
    if operation.split()[0] in ("greatest", "least", "maximum", "minimum"):
        place = int(operation.split()[1]) if operation[-1].isdigit() else 1
        level = _LEVELS[operation.split()[0]].replace("the ", f"the {_PLACES[place - 1]}")
        head = matched.sheet.heads[program.measured].text
        shown = ", ".join(dict.fromkeys(e.text for e in program.operands if _in(matched, e, program.measured)))
        return f"{shown} is {level} {head} of {size} rows" if head else f"{shown} is {level} of {size} rows"
    if operation in _LEVELS:
        return f"{_LEVELS[operation]} of {size} rows"
    return f"{operation}, {_names(matched, program)}" if _names(matched, program) else operation


def said_of(program: Program) -> tuple[str, ...]:
    """Return the answer as it is shown: a result has the currency, the percent sign and the commas of its cells."""
    if program.value is None or program.operation in (
        "count",
        "count kinds",
        "difference of counts",
        "maximum",
        "minimum",
    ):
        return program.answer
    (plain,) = program.answer
    units = {e.value.unit for e in program.operands if e.value is not None}
    whole, point, rest = plain.lstrip("-").partition(".")
    if any("," in e.text for e in program.operands):
        whole = f"{int(whole):,}"
    text = ("-" if plain.startswith("-") else "") + whole + point + rest
    if program.operation.startswith("percent") or program.operation == "share":
        return (f"{text}%",)
    if program.operation.startswith("ratio") or len(units) != 1:
        return (text,)
    unit = units.pop()
    if unit in ("$", "€", "£", "¥"):
        return (text.replace("-", f"-{unit}") if text.startswith("-") else unit + text,)
    return (f"{text}%" if unit == "%" else text,)


def _in(matched: Matched, entry: Entry, at: int) -> bool:
    return any(row[at] is entry for row in matched.sheet.rows)


def _counted(matched: Matched, program: Program) -> str:
    what = (
        "rows"
        if program.operation == "count"
        else f"different entries of {matched.sheet.heads[program.shown].text}".rstrip()
    )
    if program.operation == "count":
        labels = [row[0].text for r in program.rows.rows if (row := matched.sheet.rows[r])[0] is not None]
    else:
        labels = [e.text for e in program.operands]
    return f"counted {what}: {_some(labels)}"


def _some(labels: Sequence[str]) -> str:
    different = list(dict.fromkeys(labels))
    more = len(different) - MOST_NAMED
    return ", ".join(different[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _sum(program: Program) -> str:
    """Return the sum itself: the figures as the cells have them, and the result."""
    figures = [e.text if e.value is not None else "" for e in program.operands]
    operation, result = program.operation, said_of(program)[0]
    if operation in ("sum", "average"):
        more = len(figures) - MOST_TERMS
        terms = " + ".join(_bracketed(f) for f in figures[:MOST_TERMS]) + (f" + {more} more" if more > 0 else "")
        return f"{terms} = {result}" if operation == "sum" else f"({terms}) / {len(figures)} = {result}"
    if operation == "difference of counts":
        here, there = len(program.rows.rows), len(program.other.rows) if program.other else 0
        return f"{max(here, there)} rows - {min(here, there)} rows = {result}"
    first, second = (_bracketed(f) for f in figures[:2])
    if operation in ("apart", "range") and program.operands[0].value and program.operands[1].value:
        u, v = amounts(program.operands[:2])
        first, second = (first, second) if u >= v else (second, first)
    if operation == "share" or operation.endswith(" of"):
        return f"{first} / {second} = {result}"
    if operation.startswith("percent"):
        return f"({first} - {second}) / {second} = {result}"
    return f"{first} / {second} = {result}" if operation.startswith("ratio") else f"{first} - {second} = {result}"


def _bracketed(figure: str) -> str:
    return f"({figure})" if figure.startswith(("-", "−")) else figure


def _from(matched: Matched, program: Program) -> str:
    rows = _names(matched, program)
    head = matched.sheet.heads[program.measured].text if program.measured >= 0 else ""
    kind = ("row", "rows") if not matched.sheet.turned else ("column", "columns")
    across = kind[0] != "row"
    said = f", from the {kind[1]} {rows}" if rows else ""
    if head:
        said += f", {'row' if across else 'column'} {head}"
    return said


def _names(matched: Matched, program: Program) -> str:
    """Return the names of the rows that the operands stand in."""
    places = [(e.row, e.col) for e in program.operands]
    labels = [
        row[0].text
        for place in places
        for row in matched.sheet.rows
        if row[0] is not None and any(e is not None and (e.row, e.col) == place for e in row)
    ]
    return _some(labels)


def _compared(matched: Matched, program: Program) -> str:
    head = matched.sheet.heads[program.measured].text
    cells = program.operands[1:]
    own = [row for row in matched.sheet.rows if any(e in cells for e in row)]
    pairs = [(row[0], row[program.measured]) for row in own]
    said = [f"{label.text if label else ''} {value.text}".strip() for label, value in pairs if value is not None]
    return f"{head}: {', '.join(said)}" if head else ", ".join(said)
