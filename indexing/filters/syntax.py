"""Parse filters into trees, in bounded time and depth; errors give the column of the fault."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from configs import did_you_mean
from indexing.errors import BadFilter
from indexing.filters.terms import (
    FIELDS,
    MISSING,
    DocumentFilter,
    FieldTest,
    FilterField,
    Junction,
    MissingTest,
    Negation,
    Operator,
    is_date,
)

MOST_CHARACTERS = 1000
"""The longest filter."""
MOST_DEPTH = 20
"""The most parentheses, and words `not`, one in another."""
_PIECE = re.compile(
    r"""\s+|(?P<mark>[()]|!=|<=|>=|[=~<>])|"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<word>[^\s()"'=~<>!]+)"""
)
_OPERATORS = ("=", "!=", "~", "<", "<=", ">", ">=")
_JOINING = ("and", "or", "not")
_EXAMPLE = "tag=minutes and date>=2024"
_TRUTH = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece of the text; `column` counts from 1, `is_quoted` is True for one that stood in quotes."""

    text: str
    column: int
    is_quoted: bool = False

    @property
    def joins(self) -> str:
        return self.text.lower() if not self.is_quoted and self.text.lower() in _JOINING else ""

    @property
    def is_word(self) -> bool:
        return self.is_quoted or not (self.text in ("", "(", ")") or self.text in _OPERATORS)


def parse_filter(text: str) -> DocumentFilter:
    """Return the tree of a filter. Raises BadFilter, which names the column and what is expected there."""
    if len(text) > MOST_CHARACTERS:
        raise BadFilter(f"the filter has {len(text):,} characters, the limit is {MOST_CHARACTERS:,}: shorten it")
    if not text.strip():
        raise BadFilter(f"the filter is empty: give one such as {_EXAMPLE!r}")
    reader = _Reader(_tokenize(text))
    tree = reader.disjunction(0)
    rest = reader.piece
    if rest.text == ")" and not rest.is_quoted:
        _fail(rest, "this parenthesis closes nothing: remove it")
    if rest.text or rest.is_quoted:
        _fail(
            rest,
            f"{rest.text!r} is not connected to what stands before it: put `and` or `or` before it, or quotes "
            "around a value of several words",
        )
    return tree


def _tokenize(text: str) -> list[_Piece]:
    """Split a filter into pieces, the last of them empty. Raises BadFilter."""
    pieces: list[_Piece] = []
    at = 0
    while at < len(text):
        match = _PIECE.match(text, at)
        if match is None:
            what = "the quote is not closed: close it" if text[at] in "\"'" else f"{text[at]!r} is not allowed here"
            _fail(_Piece(text[at], at + 1), f"{what}; put a value that contains a quote in quotes of the other kind")
        if match.lastgroup is not None:
            is_quoted = match.lastgroup in ("double", "single")
            pieces.append(_Piece(match[match.lastgroup], at + 1, is_quoted))
        at = match.end()
    return [*pieces, _Piece("", len(text) + 1)]


@dataclass(slots=True)
class _Reader:
    """The pieces, and how far they were read."""

    pieces: list[_Piece]
    at: int = 0

    @property
    def piece(self) -> _Piece:
        return self.pieces[self.at]

    def _next(self) -> _Piece:
        piece = self.piece
        self.at = min(self.at + 1, len(self.pieces) - 1)
        return piece

    def disjunction(self, depth: int) -> DocumentFilter:
        """Parse terms joined by `and` and `or`; `depth` is how deeply they are nested. Raises BadFilter."""
        terms = [self._conjunction(depth)]
        while self.piece.joins == "or":
            self._next()
            terms.append(self._conjunction(depth))
        return terms[0] if len(terms) == 1 else Junction(tuple(terms), every=False)

    def _conjunction(self, depth: int) -> DocumentFilter:
        terms = [self._term(depth)]
        while self.piece.joins == "and":
            self._next()
            terms.append(self._term(depth))
        return terms[0] if len(terms) == 1 else Junction(tuple(terms), every=True)

    def _term(self, depth: int) -> DocumentFilter:
        """Parse a comparison, one after `not`, or what is in parentheses."""
        if depth > MOST_DEPTH:
            _fail(self.piece, f"parentheses are nested more than {MOST_DEPTH} deep: write it with fewer")
        piece = self._next()
        if piece.joins == "not":
            return Negation(self._term(depth + 1))
        if piece.text == "(" and not piece.is_quoted:
            inside = self.disjunction(depth + 1)
            closing = self._next()
            if closing.text != ")" or closing.is_quoted:
                _fail(closing, f"the parenthesis of column {piece.column} is not closed: put ) here")
            return inside
        return self._comparison(piece)

    def _comparison(self, piece: _Piece) -> DocumentFilter:
        if piece.joins or piece.is_quoted or not piece.is_word:
            _fail(piece, f"a field is expected here: {', '.join(FIELDS)} or {MISSING}")
        name = piece.text.lower()
        if name == MISSING:
            return self._missing_test()
        field = FIELDS.get(name)
        if field is None:
            near = did_you_mean(name, [*FIELDS, MISSING])
            _fail(
                piece,
                f"there is no field {piece.text[:40]!r}{near or ':'} the fields are {', '.join(FIELDS)}, {MISSING}",
            )
        operator = self._next()
        if operator.is_quoted or operator.text not in field.operators:
            _fail(operator, f"after {name} one of {' '.join(field.operators)} is expected, as in {_EXAMPLE!r}")
        return self._field_test(field, operator.text)

    def _field_test(self, field: FilterField, operator: Operator) -> FieldTest:
        value = self._next()
        if not value.is_word or value.joins:
            _fail(value, f"a value is expected after {operator}; put and, or, not in quotes to use them as values")
        text = value.text.strip()
        if not text and operator not in ("=", "!="):
            _fail(value, f"{operator} cannot compare with an empty value: use = or !=")
        if field.ordered and text and operator != "~" and not is_date(text):
            _fail(value, f"{text[:40]!r} is not a date: write 2024, 2024-05 or 2024-05-17")
        return FieldTest(field, operator, text)

    def _missing_test(self) -> DocumentFilter:
        """Parse what follows the word `missing`: nothing, or a comparison with yes or no."""
        if self.piece.text not in ("=", "!=") or self.piece.is_quoted:
            return MissingTest()
        mark, value = self._next(), self._next()
        if value.text.lower() not in _TRUTH:
            _fail(value, f"{MISSING} is yes or no: write missing, or not missing")
        return MissingTest() if _TRUTH[value.text.lower()] == (mark.text == "=") else Negation(MissingTest())


def _fail(piece: _Piece, message: str) -> NoReturn:
    raise BadFilter(f"filter, column {piece.column}: {message}")
