"""A question for a ratio of a report ("What is the current ratio in 2021?") -> the ratio, computed from its statements.

Reports seldom say it. The formula is that of the textbook (`configs/ratios.yaml`), the figures are cells of the report;
the formula, the figures and the year are named, and every cell is cited. Where the report has a row of that name, that
is the answer, and nothing is computed.
"""

from __future__ import annotations

import ast
import contextlib
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from indexing import Collection, Document
from indexing.language import ALPHA_WORD, SCALES
from rag.calculation.counts import MOST_PAGES
from rag.calculation.ratio_book import DECIMALS, Ratio, RatioAsked, RatioBook, StatementFigure, ratio_asked
from rag.calculation.statements import OWN, Line, StatementCell, lines_of
from rag.errors import FigureMissing
from rag.question import conditions_met
from rag.types import Citation, Evidence, Sentence

SMALL = 0.1
"""The ratio below which it is written in percent: two digits behind the point would say little."""
MOST_NAME = 8
"""The most words of the line that has the name of a company."""
_COMPANY = re.compile(
    r"\b(?:inc|incorporated|corp|corporation|company|co|ltd|limited|plc|llc|llp|lp|group|holdings?|ag|se|gmbh|sa|nv|"
    r"association|trust|bank)\b",
    re.IGNORECASE,
)
MOST_DOCUMENTS = 3
"""The documents, best first, in which the figures are looked for."""
MOST_SHOWN = 60
"""The most characters of a row's label in the working."""
_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "×", ast.Div: "/"}
_WAYS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def computed_ratio(
    question: str, documents: Sequence[Document], collection: Collection, book: RatioBook
) -> Sentence | None:
    """Return the sentence with the ratio or figure that a question asks for, from the document that has it; or None.

    Of several that have it the first is meant, if the question names whose. Raises CollectionDamaged.
    """
    request = ratio_asked(question, book)
    if request is None or sum(d.n_pages for d in collection.documents()) > MOST_PAGES:
        return None
    candidates = (_in_document(request, document, collection, book) for document in documents[:MOST_DOCUMENTS])
    sentences = [sentence for sentence in candidates if sentence is not None]
    # it is not guessed which document is meant
    return sentences[0] if len(sentences) == 1 or (sentences and request.rest) else None


def _in_document(question: RatioAsked, document: Document, collection: Collection, book: RatioBook) -> Sentence | None:
    """Return the sentence from one document; None if it lacks the figures, or is not of the company that is named."""
    figure = StatementFigure(OWN, question.ratio.ways)
    figure_list = [figure, *(book.figures[name] for name in _figures_of(question.ratio.formula, book))]
    lines = lines_of(figure_list, book.figures.values(), document, collection)
    lines = {name: [line for line in rows if line.of_statement] for name, rows in lines.items()}
    if question.ratio.percent:  # "Gross margin" may be an amount
        lines[OWN] = [line for line in lines.get(OWN, ()) if all("%" in c.text for c in line.cells.values())]
    years = question.years or _last_year(lines)
    if not years or not _names_belong_to(question.rest, document, lines, collection):
        return None
    figures = {**book.figures, OWN: figure}
    request = replace(question, ratio=Ratio(question.ratio.name, ast.Name(OWN)))
    for each in (request, question) if lines.get(OWN) else (question,):
        with contextlib.suppress(FigureMissing):
            return _sentence(each, Workings(figures, lines), years)
    return None


def _names_belong_to(
    names: Sequence[str], document: Document, lines: Mapping[str, Sequence[Line]], collection: Collection
) -> bool:
    """Return True if all `names` belong to a document, or to the company whose statements it has.

    Its name is above its statements, or in a short line of the first page ("Merrow Ferries, Inc."). A ticker symbol
    ("ADBE") has letters of the name, in their order. The name of a country, a product or a segment in the document does
    not count: its figures are not those of the statements.
    """
    (first,) = collection.elements_on([(document.id, 1)]) if names else ((),)
    companies = [e.text for e in first if len(e.text.split()) <= MOST_NAME and _COMPANY.search(e.text)]
    above = {line.above for rows in lines.values() for line in rows if line.is_headed}
    document_names = [document.name, document.title, *companies, *above]
    words = ALPHA_WORD.findall(" ".join((document.name, document.title, *companies)).lower())
    for name in names:
        short = name.isupper() and any(
            word[0] == name[0].lower() and _has_letters(word, name.lower()) for word in words
        )
        if conditions_met((name,), document_names).nowhere and not short:
            return False
    return True


def _has_letters(word: str, letters: str) -> bool:
    """Return True if a word has letters in this order, among others, as "adobe" has "adbe"."""
    rest = iter(word)
    return all(letter in rest for letter in letters)


def _figures_of(formula: ast.expr, book: RatioBook) -> list[str]:
    """Return the names of the figures of a formula, and of those that they may be made of."""
    used: dict[str, None] = {}
    formulas = [formula]
    while formulas:
        names = [n.id for n in ast.walk(formulas.pop()) if isinstance(n, ast.Name) and n.id in book.figures]
        formulas += [part for name in names if name not in used and (part := book.figures[name].made_of) is not None]
        used |= dict.fromkeys(names)
    return list(used)


def _last_year(lines: Mapping[str, Sequence[Line]]) -> tuple[int, ...]:
    years = [max(rows[0].cells) for rows in lines.values() if rows]
    return (max(years),) if years else ()


def _sentence(request: RatioAsked, workings: Workings, years: Sequence[int]) -> Sentence:
    """Return the sentence: the ratio, its formula and figures in brackets. Raises FigureMissing."""
    formula = request.ratio.formula
    results = [workings.evaluate(formula, year) for year in years]
    value = sum(one.value for one in results) / len(results)
    counted_by = f", in {workings.unit}s" if workings.unit and _is_amount(formula) else ""
    if isinstance(formula, ast.Name) and len(workings.used) == 1:
        figure, (_, _, cell) = workings.figures[formula.id], workings.used[0]
        answer, manner = figure_text(cell.text, paid=figure.paid), "a row of a statement of the report"
        counted_by = "" if "%" in answer else counted_by
    else:
        answer = _format_value(value, request, amount=_is_amount(formula))
        manner = "computed from figures of the report, by the formula of the textbook"
    workings_text = "; ".join(f"{year}: {one.working}" for year, one in zip(years, results, strict=True))
    mean = "the average of " if len(results) > 1 else ""
    text = f"{answer} ({mean}{request.ratio.name}, {workings_text}{counted_by})."
    return Sentence(text, _citations(workings.used), "computed", manner, short=(0, len(answer)))


def _format_value(value: float, request: RatioAsked, *, amount: bool) -> str:
    """Return an amount, or a ratio with the decimals asked for; a small ratio, or one so asked for, in percent."""
    if amount:
        return f"{value:,.10g}"
    small = abs(value) < SMALL and request.decimals <= DECIMALS
    return f"{100 * value:,.{request.decimals}f}%" if request.percent or small else f"{value:,.{request.decimals}f}"


def _is_amount(formula: ast.expr) -> bool:
    """Return True for a figure, or a sum or difference of figures, which has their unit, unlike a ratio."""
    return not any(isinstance(node, (ast.Div, ast.Mult, ast.Call)) for node in ast.walk(formula))


def _citations(used: Sequence[tuple[Line, int, StatementCell]]) -> tuple[Citation, ...]:
    """Return a citation for each table: each cell in a box of its own, its label and its year around it."""
    tables = {line.element.id: line for line, _, _ in used}
    citations = []
    for n, (key, line) in enumerate(tables.items(), 1):
        cells = [(one, year, cell) for one, year, cell in used if one.element.id == key]
        boxes = list(dict.fromkeys(cell.cell.bbox for _, _, cell in cells))
        around = list(dict.fromkeys(c.bbox for one, year, _ in cells for c in (one.label, one.heads[year])))
        first = cells[0]
        quote = line.element.text[first[0].label.start : max(first[2].cell.end, first[0].label.end)]
        evidence = Evidence(f"F{n}", line.element, line.document.name, 0.0)
        citations.append(Citation.of(evidence, quote, boxes, [box for box in around if box not in boxes]))
    return tuple(citations)


@dataclass(frozen=True, slots=True)
class Worked:
    """A value and its working, the formula with labels and figures for names; `is_sum` if it needs brackets inside."""

    value: float
    working: str
    is_sum: bool = False

    @property
    def bracketed_working(self) -> str:
        """The working as part of another one that binds closer."""
        return f"({self.working})" if self.is_sum else self.working


@dataclass(slots=True)
class Workings:
    """The evaluation of formulas: the figures, their rows, the cells `used` so far, and the `unit` of the figures."""

    figures: Mapping[str, StatementFigure]
    lines: Mapping[str, Sequence[Line]]
    used: list[tuple[Line, int, StatementCell]] = field(default_factory=list)
    unit: str = ""

    def evaluate(self, formula: ast.expr, year: int) -> Worked:
        """Return the value of a formula for a year. Raises FigureMissing."""
        match formula:
            case ast.Constant(value=int(number)):
                return Worked(float(number), str(number))
            case ast.Name(id=name):
                return self._figure(name, (year,))
            case ast.Call(func=ast.Name(id="average"), args=[ast.Name(id=name)]):
                return self._figure(name, (year, year - 1))
            case ast.Call(args=[ast.Name(id=name)]):
                return self._figure(name, (year,)) if self.lines.get(name) else Worked(0.0, "")
            case ast.BinOp():
                return self._evaluate_operation(formula, year)
        raise FigureMissing(ast.dump(formula))

    def _evaluate_operation(self, formula: ast.BinOp, year: int) -> Worked:
        """Return the value of an operation on two formulas. Raises FigureMissing for a divisor of 0 or less."""
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
        """Return a figure, or its mean over years, from its best row, else its formula. Raises FigureMissing."""
        figure, line = self.figures[name], self._row_of_figure(name, years)
        if line is None and figure.made_of is not None and len(years) == 1:
            return self.evaluate(figure.made_of, years[0])
        if line is None:
            raise FigureMissing(name)
        values, texts = self._use(figure, line, years)
        label = line.name[:MOST_SHOWN]
        working = f"{label} {texts[0]}" if len(texts) == 1 else f"the average of {label} {' and '.join(texts)}"
        return Worked(sum(values) / len(values), working)

    def _row_of_figure(self, name: str, years: Sequence[int]) -> Line | None:
        """Return the best row of a figure with all years; None without, or if rows of that name in its table differ."""
        rows = self.lines.get(name, ())
        line = next((line for line in rows if all(year in line.cells for year in years)), None)
        same = [o for o in rows if line and o.element.id == line.element.id and o.name == line.name]
        values = {tuple(o.cells[year].value for year in years if year in o.cells) for o in same}
        return line if len(values) == 1 else None  # its current and its long-term part, perhaps

    def _use(self, figure: StatementFigure, line: Line, years: Sequence[int]) -> tuple[list[float], list[str]]:
        """Return a row's values in some years, in the unit of earlier ones, and their texts; add them to `used`."""
        scale = self._scale(line)
        unit = "" if scale == 1 else f" {line.unit}"
        cells = [line.cells[year] for year in years]
        self.used += [(line, year, cell) for year, cell in zip(years, cells, strict=True)]
        values = [scale * (abs(cell.value) if figure.paid else cell.value) for cell in cells]
        return values, [figure_text(cell.text, paid=figure.paid) + unit for cell in cells]

    def _scale(self, line: Line) -> float:
        """Return the factor that converts a row's figures to the unit of the figures used before."""
        if not self.unit or not line.unit:
            self.unit = self.unit or line.unit
            return 1.0
        return SCALES[line.unit] / SCALES[self.unit]


def figure_text(text: str, *, paid: bool) -> str:
    """Return a figure as it is written; one that was paid, without sign, brackets and currency."""
    return text.strip("()-−– $€£¥") if paid else text
