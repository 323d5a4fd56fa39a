"""The book of ratios (`configs/ratios.yaml` or your own), and what a question asks for by it.

It holds the figures of statements, what questions call them, and the formulas of ratios.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from indexing.language import MODERN_YEAR, NUMBER_WORDS, STOPWORDS, WORD, lexicon_words
from rag.errors import ProfileError
from rag.question import without_form_instructions
from rag.settings import lookup_file

SHIPPED = "ratios.yaml"
MOST_QUESTION = 300
"""The most characters of a question that is looked at."""
DECIMALS, MOST_DECIMALS, MOST_YEARS = 2, 6, 10
"""The digits behind the point where a question says nothing, and the most of them; the most years of an average."""
_ASKS = re.compile(
    r"\b(?:what|calculate|compute|determine|give|find|tell|how (?:high|large|big|much|many|low|strongly|fast)|average|"
    r"mean|by)\b",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(?:growth|grow|grew|grown|chang(?:e|es|ed)|increas(?:e|es|ed)|decreas(?:e|es|ed)|declin(?:e|es|ed))\b",
    re.IGNORECASE,
)
_DEFINES = re.compile(r"\W{0,9}what(?:['’]s| is| are) (?!the |its |their |our |this )", re.IGNORECASE)
_STATED = re.compile(
    r"\b(?:based on|according to|from|in|on|per) (?:the |its |their )?(?:consolidated )?"
    r"(?:cash flow statements?|statements? of (?:income|operations|earnings|cash flows?|financial position)|"
    r"income statements?|balance sheets?)",
    re.IGNORECASE,
)
_FILLING = frozenset(lexicon_words("statement_words"))
_YEAR = re.compile(rf"(?<!\d)(?:FY|F|CY)?\s?['’]?({MODERN_YEAR})(?!\d)|\bFY\s?['’]?(\d\d)(?!\d)", re.IGNORECASE)
_MEAN = re.compile(r"\b(?:average|mean)\b", re.IGNORECASE)
_PERCENT = re.compile(r"\bper ?cent(?:age)?s?\b|%", re.IGNORECASE)
_DIGITS = re.compile(rf"\b({'|'.join(NUMBER_WORDS)}|\d)[ -]decimals?\b", re.IGNORECASE)
_FUNCTIONS = frozenset(("average", "optional"))
_PART = r"(?:\s(?:expenses?|costs?|amount|figure))?"


@dataclass(frozen=True, slots=True)
class StatementFigure:
    """A figure: the labels of its row, the usual ones first, and how it is made of others where it has no row.

    Of what was `paid` the size alone counts; a `balance` is that of a day, other figures are those of a year.
    """

    name: str
    labels: tuple[str, ...]
    made_of: ast.expr | None = None
    paid: bool = False
    balance: bool = False


@dataclass(frozen=True, slots=True)
class Ratio:
    """A ratio as a question calls it, its formula, whether it is a percentage, and all ways to write a named one."""

    name: str
    formula: ast.expr
    percent: bool = False
    ways: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RatioBook:
    """The figures by their names, and patterns of what questions call ratios and figures, the longest first."""

    figures: Mapping[str, StatementFigure]
    ratios: tuple[tuple[re.Pattern[str], Ratio], ...]
    pairs: tuple[re.Pattern[str], ...]
    name_pattern: re.Pattern[str]
    words: Mapping[str, str]

    def asked_for(self, question: str) -> Ratio | None:
        """Return the one ratio that a question names, by its name or as "X to Y ratio"; None for none or several."""
        question = plain(question)
        matches = []
        for m in (m for pattern in self.pairs for m in pattern.finditer(question)):
            margin = "b" not in m.groupdict()
            above, below = self.words[_key(m["a"])], "revenue" if margin else self.words[_key(m["b"])]
            matches.append(
                (m.span(), Ratio(m[0], parse_formula(f"{above} / {below}"), margin or "percent" in m[0].lower()))
            )
        matches += [
            (m.span(), replace(ratio, name=m[0])) for pattern, ratio in self.ratios for m in pattern.finditer(question)
        ]
        longest = [
            (span, ratio)
            for span, ratio in matches
            if not any(o != span and o[0] <= span[0] and span[1] <= o[1] for o, _ in matches)
        ]
        ratios = dict(longest)
        return next(iter(ratios.values())) if len(ratios) == 1 else None

    def figure_in(self, question: str) -> tuple[str, str, str] | None:
        """Return the name of the figure that a question names first, its words, and the other words; or None."""
        question = plain(question)
        match = self.name_pattern.search(question)
        return (self.words[_key(match["a"])], match[0], self.name_pattern.sub(" ", question, 1)) if match else None


def plain(question: str) -> str:
    """Return the first MOST_QUESTION characters of a question, on one line, with spaces for _ and %."""
    return " ".join(re.sub(r"[_%]", " ", question[:MOST_QUESTION].replace("’", "'")).split())


@dataclass(frozen=True, slots=True)
class RatioAsked:
    """A ratio or a figure that a question asks for: of a year (none: the last), or as the mean over `years`.

    `rest` are the other words of the question, the names of whom it asks about; a ratio is written with so many
    `decimals`, in percent or not.
    """

    ratio: Ratio
    years: tuple[int, ...]
    rest: tuple[str, ...]
    decimals: int
    percent: bool


def ratio_asked(question: str, book: RatioBook) -> RatioAsked | None:
    """Return the ratio or figure that a question asks for; None for another question.

    Other words become `rest`, names that must belong to the document: the ratio of a segment is another one.
    """
    text = _STATED.sub(" ", plain(without_form_instructions(question[:MOST_QUESTION])))
    if not _ASKS.search(text):
        return None
    match = _ratio_in(text, book)
    years = sorted({int(m[1] or f"20{m[2]}") for m in _YEAR.finditer(text)})
    if match is None or (len(years) > 1 and (len(years) > 2 or years[1] - years[0] >= MOST_YEARS)):
        return None
    ratio, rest = match
    if _DEFINES.match(text) and not years and not _words(rest):
        return None  # it asks for a definition
    if len(years) == 2 and _MEAN.search(text):
        years = list(range(years[0], years[1] + 1))
    elif len(years) > 1 or _MEAN.search(text):
        return None  # of which years?
    places = digits[1].lower() if (digits := _DIGITS.search(question[:MOST_QUESTION])) else ""
    decimals = DECIMALS if not places else int(places) if places.isdecimal() else NUMBER_WORDS[places]
    percent = ratio.percent or (isinstance(ratio.formula, ast.BinOp) and bool(_PERCENT.search(question)))
    return RatioAsked(ratio, tuple(years), _words(rest), min(decimals, MOST_DECIMALS), percent)


def _ratio_in(text: str, book: RatioBook) -> tuple[Ratio, str] | None:
    """Return the ratio or the figure that a text names, and the other words of the text; None without one."""
    if ratio := book.asked_for(text):
        return ratio, text.replace(ratio.name, " ")
    figure = book.figure_in(text)
    if figure is None:
        return None
    name, ratio_name, rest = figure
    if _CHANGE.search(rest):
        return None  # how much more or less it is than before is no figure of a statement
    return Ratio(ratio_name, parse_formula(name)), rest


def _words(rest: str) -> tuple[str, ...]:
    """Return the words, each once, without years, numbers, stop words and common words of statements."""
    words = WORD.findall(_YEAR.sub(" ", rest))
    plain_ones = (word for word in words if word.lower() not in STOPWORDS | _FILLING and not word.isdigit())
    return tuple(dict.fromkeys(word for word in plain_ones if len(word) > 1))


def load_ratios(path: str = "") -> RatioBook:
    """Load the book that ships in `configs/`, or one of your own, by path. Raises ProfileError."""
    return _load_book(path)


@lru_cache(maxsize=8)
def _load_book(path: str) -> RatioBook:
    name, text = lookup_file(SHIPPED, path, "rag.ratios")
    try:
        return _book(text)
    except (AttributeError, TypeError, KeyError, ValueError, SyntaxError) as error:
        raise ProfileError(f"{name}: {error!s:.160}: write it as configs/{SHIPPED} does") from None


def _book(values: Any) -> RatioBook:
    """Return the book of the values of its YAML file. Raises KeyError, ValueError and others for malformed ones."""
    paid_names = frozenset(values.get("paid", ()))
    figures = {}
    for name, row in (*values["flows"].items(), *values["balances"].items()):
        labels, _, made_of = row.partition("=")
        formula = parse_formula(made_of) if made_of else None
        figures[name] = StatementFigure(name, _options(labels), formula, name in paid_names, name in values["balances"])
    words = {_key(label): figure.name for figure in figures.values() for label in figure.labels}
    words |= {_key(way): figure for ways, figure in values.get("words", {}).items() for way in _options(ways)}
    words |= {name.replace("_", " "): name for name in figures}
    ratios = []
    for ways, formula in values["ratios"].items():
        tree = parse_formula(formula.removesuffix("%"))
        ratios += [(_pattern(way), Ratio(way, tree, formula.endswith("%"), _options(ways))) for way in _options(ways)]
    formulas = [*(ratio.formula for _, ratio in ratios), *(f.made_of for f in figures.values() if f.made_of)]
    known_names = {node.id for formula in formulas for node in ast.walk(formula) if isinstance(node, ast.Name)}
    if unknown_names := (known_names | set(words.values())) - _FUNCTIONS - set(figures):
        raise ValueError(f"there is no figure named {', '.join(sorted(unknown_names))}")
    some = "|".join(re.escape(way).replace(r"\ ", r"[\s-]") for way in sorted(words, key=len, reverse=True))
    a, b = rf"(?<!\w)(?:total )?(?P<a>{some}){_PART}", rf"(?:total )?(?P<b>{some}){_PART}(?!\w)"
    share = r"(?:as )?an? (?:percent(?:age)?|share|proportion) of"
    pairs = (rf"{a} to {b} ratios?", rf"ratio of {a} to {b}", rf"{a} {share} {b}", rf"{a} margins?(?!\w)")
    patterns = [re.compile(pair, re.IGNORECASE) for pair in (*pairs, rf"{a}(?!\w)")]
    return RatioBook(figures, tuple(ratios), tuple(patterns[:-1]), patterns[-1], words)


def parse_formula(formula: str) -> ast.expr:
    """Return a formula as a syntax tree. Raises SyntaxError or ValueError for any other text."""
    tree = ast.parse(formula.strip(), mode="eval").body
    if not all(map(_is_known, ast.walk(tree))):
        raise ValueError(f"{formula.strip()!r} is not a formula made of figures, + - * / and average() or optional()")
    return tree


def _is_known(node: ast.AST) -> bool:
    """Return True for a node that a formula may have."""
    if isinstance(node, ast.Call):
        is_function = isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS
        return is_function and len(node.args) == 1 and isinstance(node.args[0], ast.Name) and not node.keywords
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int)
    return isinstance(node, (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Load, ast.Name, ast.BinOp))


def _options(text: str) -> tuple[str, ...]:
    """Return the alternatives in a text that are separated by "|"."""
    return tuple(way.strip() for way in text.split("|") if way.strip())


def _pattern(way: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(way)}(?!\w)".replace(r"\ ", r"[\s-]"), re.IGNORECASE)


def _key(way: str) -> str:
    """Return a label in lower case, with one space for each run of spaces and hyphens."""
    return re.sub(r"[\s-]+", " ", way.lower())
