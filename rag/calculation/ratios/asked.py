"""A question -> the ratio, or the figure of a statement, that it asks for, with its years and how it is written."""

from __future__ import annotations

import ast
import difflib
import re
from dataclasses import dataclass

from indexing.language import MODERN_YEAR, NUMBER_WORDS, STOPWORDS, WORD, lexicon_words
from rag.calculation.ratios.book import MOST_QUESTION, Ratio, RatioBook, parse_formula, plain
from rag.question import cleaned

DECIMALS, MOST_DECIMALS, MOST_YEARS = 2, 6, 10
"""The digits behind the point where a question says nothing, and the most of them; the most years of an average."""
LETTERS, ALIKE = 7, 0.88
"""The least letters of a misspelt word of the book ("advertsing"), and its least similarity (difflib's ratio) to it."""
_ASKS = re.compile(
    r"\b(?:what|calculate|compute|determine|give|find|tell|how (?:high|large|big|much|many|low|strongly|fast)|average|"
    r"mean|by)\b",
    re.IGNORECASE,
)
_YEARLY = re.compile(
    r"\b(?:year[- ]o(?:ver|n)[- ]year|yoy|annual(?:ly)?|from (?:the )?(?:previous|prior|last) year)\b", re.IGNORECASE
)
_GROWTH = re.compile(
    r"\b(?:growth(?: rate)?|grow|grew|grown|changed?|increased?|decreased?|declined?)\b", re.IGNORECASE
)
_DEFINES = re.compile(r"\W{0,9}what(?:['’]s| is| are) (?!the |its |their |our |this )", re.IGNORECASE)
_BY_SHARE = re.compile(r"\bgrowth\b|\bper ?cent(?:age)?\b|%", re.IGNORECASE)
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


@dataclass(frozen=True, slots=True)
class RatioAsked:
    """A ratio or a figure that a question asks for: of a year (none: the last), or as the mean over `years`.

    `since` is the year that growth is counted from (0: the one before); `rest` are the other words of the question, the
    names of whom it asks about; a ratio is written with so many `decimals`, in percent or not.
    """

    ratio: Ratio
    years: tuple[int, ...]
    since: int
    rest: tuple[str, ...]
    decimals: int
    percent: bool


def ratio_asked(question: str, book: RatioBook) -> RatioAsked | None:
    """Return the ratio or figure that a question asks for; None for another question.

    Nothing but years, names and words without weight may stand beside it: the ratio of a segment is another one.
    """
    text = _correct_spelling(_STATED.sub(" ", plain(cleaned(question[:MOST_QUESTION]))), book)
    if not _ASKS.search(text):
        return None
    match = _ratio_in(text, book)
    years = sorted({int(m[1] or f"20{m[2]}") for m in _YEAR.finditer(text)})
    if match is None or (len(years) > 1 and (len(years) > 2 or years[1] - years[0] >= MOST_YEARS)):
        return None
    ratio, rest = match
    if _DEFINES.match(text) and not years and not _words(rest):
        return None  # it asks for a definition
    since = 0
    if len(years) == 2 and _is_growth(ratio):
        since, years = years[0], years[1:]
    elif len(years) == 2 and _MEAN.search(text):
        years = list(range(years[0], years[1] + 1))
    elif len(years) > 1 or _MEAN.search(text):
        return None  # of which years?
    places = digits[1].lower() if (digits := _DIGITS.search(question[:MOST_QUESTION])) else ""
    decimals = DECIMALS if not places else int(places) if places.isdecimal() else NUMBER_WORDS[places]
    percent = ratio.percent or (isinstance(ratio.formula, ast.BinOp) and bool(_PERCENT.search(question)))
    return RatioAsked(ratio, tuple(years), since, _words(rest), min(decimals, MOST_DECIMALS), percent)


def _ratio_in(text: str, book: RatioBook) -> tuple[Ratio, str] | None:
    """Return the ratio that a text names, or the figure, or its growth, and the text without the words for it."""
    if ratio := book.asked_for(text):
        return ratio, text.replace(ratio.name, " ")
    figure = book.figure_in(text)
    if figure is None:
        return None
    name, called, rest = figure
    rest = _YEARLY.sub(" ", rest)
    growth = _GROWTH.findall(rest)
    if not growth:
        return Ratio(called, parse_formula(name)), rest
    if len(growth) > 1 or not _BY_SHARE.search(text):
        return None
    return Ratio(f"growth of {called}", parse_formula(f"growth({name})"), percent=True), _GROWTH.sub(" ", rest)


def _correct_spelling(text: str, book: RatioBook) -> str:
    """Return a text with the misspelt words of the book corrected; the answer shows how they were read."""

    def nearest_word(word: re.Match[str]) -> str:
        low = word[0].lower()
        known = low in book.vocabulary or low in STOPWORDS or low in _FILLING
        near = [] if known else difflib.get_close_matches(low, book.vocabulary, 1, ALIKE)
        return near[0] if near else word[0]

    return re.sub(rf"[^\W\d_]{{{LETTERS},}}", nearest_word, text)


def _is_growth(ratio: Ratio) -> bool:
    return isinstance(ratio.formula, ast.Call)


def _words(rest: str) -> tuple[str, ...]:
    """Return the words of weight."""
    words = WORD.findall(_YEAR.sub(" ", rest))
    plain_ones = (word for word in words if word.lower() not in STOPWORDS | _FILLING and not word.isdigit())
    return tuple(dict.fromkeys(word for word in plain_ones if len(word) > 1))
