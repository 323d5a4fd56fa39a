"""A formula and the rows of a report -> its value for a year, with the working in words and the cells used."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from indexing.language import SCALES
from rag.calculation.ratios.book import StatementFigure
from rag.calculation.ratios.statements import Line, StatementCell
from rag.errors import FigureMissing

MOST_SHOWN = 60
"""The most characters of a row's label in the working."""
_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "×", ast.Div: "/"}
_WAYS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


@dataclass(frozen=True, slots=True)
class Worked:
    """A value, with its working: labels and figures in the place of names; a sum is put in brackets within more."""

    value: float
    working: str
    is_sum: bool = False

    @property
    def bracketed_working(self) -> str:
        """The working as part of another one that binds closer."""
        return f"({self.working})" if self.is_sum else self.working


@dataclass(slots=True)
class Workings:
    """A way to work formulas out: the figures, their rows, and what was `used` of these so far.

    `unit` is what the figures are counted by, and `since` the year that growth is counted from, by default the last.
    """

    figures: Mapping[str, StatementFigure]
    lines: Mapping[str, Sequence[Line]]
    used: list[tuple[Line, int, StatementCell]] = field(default_factory=list)
    unit: str = ""
    since: int = 0

    def evaluate(self, formula: ast.expr, year: int) -> Worked:
        """Return the value of a formula for a year. Raises FigureMissing."""
        match formula:
            case ast.Constant(value=int(number)):
                return Worked(float(number), str(number))
            case ast.Name(id=name):
                return self._figure(name, (year,))
            case ast.Call(func=ast.Name(id="average"), args=[ast.Name(id=name)]):
                return self._figure(name, (year, year - 1))
            case ast.Call(func=ast.Name(id="growth"), args=[ast.Name(id=name)]):
                return self._growth(name, year, self.since or year - 1)
            case ast.Call(args=[ast.Name(id=name)]):
                return self._figure(name, (year,)) if self.lines.get(name) else Worked(0.0, "")
            case ast.BinOp():
                return self._of_two(formula, year)
        raise FigureMissing(ast.dump(formula))

    def _of_two(self, formula: ast.BinOp, year: int) -> Worked:
        one, other = self.evaluate(formula.left, year), self.evaluate(formula.right, year)
        if not other.working:
            return one
        if isinstance(formula.op, ast.Div) and other.value <= 0:  # the ratio to a loss says nothing
            raise FigureMissing(other.working)
        value = _WAYS[type(formula.op)](one.value, other.value)
        is_sum = isinstance(formula.op, (ast.Add, ast.Sub))
        left = one.working if is_sum else one.bracketed_working
        right = other.working if isinstance(formula.op, ast.Add) else other.bracketed_working
        return Worked(value, f"{left} {_SIGNS[type(formula.op)]} {right}", is_sum)

    def _figure(self, name: str, years: tuple[int, ...]) -> Worked:
        """Return a figure, or the mean of it over years, from the best row that has them all."""
        figure, line = self.figures[name], self._row(name, years)
        if line is None and figure.made_of is not None and len(years) == 1:
            return self.evaluate(figure.made_of, years[0])
        if line is None:
            raise FigureMissing(name)
        values, texts = self._use(figure, line, years)
        label = line.name[:MOST_SHOWN]
        working = f"{label} {texts[0]}" if len(texts) == 1 else f"the average of {label} {' and '.join(texts)}"
        return Worked(sum(values) / len(values), working)

    def _growth(self, name: str, year: int, since: int) -> Worked:
        """Return by which share of it a figure has grown since another year; one row must have both."""
        line = self._row(name, (year, since))
        if line is None:
            raise FigureMissing(name)
        (now, then), (text, before) = self._use(self.figures[name], line, (year, since))
        if then <= 0:  # from a loss nothing grows by a share of it
            raise FigureMissing(name)
        return Worked(now / then - 1, f"{line.name[:MOST_SHOWN]} ({text} - {before}) / {before}")

    def _row(self, name: str, years: Sequence[int]) -> Line | None:
        """Return the best row of a figure that has the years; none where two rows of its table are called so."""
        rows = self.lines.get(name, ())
        line = next((line for line in rows if all(year in line.cells for year in years)), None)
        same = [o for o in rows if line and o.element.id == line.element.id and o.name == line.name]
        values = {tuple(o.cells[year].value for year in years if year in o.cells) for o in same}
        return line if len(values) == 1 else None  # its current and its long-term part, perhaps

    def _use(self, figure: StatementFigure, line: Line, years: Sequence[int]) -> tuple[list[float], list[str]]:
        """Return the values of a row in some years, in the unit of those before, and how they are written."""
        scale = self._scale(line)
        unit = "" if scale == 1 or line.counted_by else f" {line.unit}"
        cells = [line.cells[year] for year in years]
        self.used += [(line, year, cell) for year, cell in zip(years, cells, strict=True)]
        values = [scale * (abs(cell.value) if figure.paid else cell.value) for cell in cells]
        return values, [figure_text(cell.text, paid=figure.paid) + unit for cell in cells]

    def _scale(self, line: Line) -> float:
        """Return by what a row's figures are multiplied to count as those before them do."""
        if not self.unit or not line.unit:
            self.unit = self.unit or line.unit
            return 1.0
        return SCALES[line.unit] / SCALES[self.unit]


def figure_text(text: str, *, paid: bool) -> str:
    """Return a figure as it is written, without the brackets around what was paid."""
    return text.strip("()-−– $€£¥") if paid else text
