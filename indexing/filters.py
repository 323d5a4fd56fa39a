"""Parse and evaluate filters over document metadata, such as `tag=minutes and date>=2024`, in bounded time."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal, NoReturn, TypeAlias

from configs import did_you_mean
from indexing.errors import BadFilter, NothingFits
from indexing.types import Document

Operator = Literal["=", "!=", "~", "<", "<=", ">", ">="]
Values = Callable[[Document], tuple[str, ...]]
_DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")
_FIRST, _LAST = "-01-01", "-12-31"


@dataclass(frozen=True, slots=True)
class FilterField:
    """A field: its `values` in a document, none if unknown; `ordered` if dates are compared.

    `fits` compares a value with a word of the filter, both normalized by `plain`.
    """

    name: str
    values: Values
    fits: Callable[[str, str], bool]
    ordered: bool = False

    @property
    def operators(self) -> tuple[Operator, ...]:
        """The comparisons that it takes."""
        return ("=", "!=", "~", "<", "<=", ">", ">=") if self.ordered else ("=", "!=", "~")


def plain(text: str) -> str:
    """Return a text normalized for comparison: case-folded, in Unicode form NFC."""
    return unicodedata.normalize("NFC", text).casefold().strip()


def is_date(text: str) -> bool:
    """Return True for a year, a year and a month, or a day, as ISO 8601 writes them."""
    return _DATE.fullmatch(text) is not None


def span_of(date: str) -> tuple[str, str]:
    """Return the first and last day that a date can stand for; "2024-02" ends with a 31st, which sorts right."""
    return date + _FIRST[len(date) - 4 :], date + _LAST[len(date) - 4 :]


def in_order(value: str, operator: Operator, filter_date: str) -> bool:
    """Return True if the date of a document, whichever day it stands for, compares so with the date of the filter.

    >>> in_order("2024-05", ">=", "2024"), in_order("2024", ">=", "2024-05"), in_order("2024", "=", "2024-05")
    (True, False, False)
    """
    (first, last), (from_, to) = span_of(value), span_of(filter_date)
    match operator:
        case "<":
            return last < from_
        case "<=":
            return last <= to
        case ">":
            return first > to
        case ">=":
            return first >= from_
        case _:
            return from_ <= first and last <= to


def _dates(document: Document) -> tuple[str, ...]:
    date = document.metadata.date[:10]
    return (date,) if is_date(date) else ()


def _as_values(value: str) -> tuple[str, ...]:
    return (value,) if value else ()


def _authors(document: Document) -> tuple[str, ...]:
    author = document.metadata.author
    persons = tuple(each.strip() for each in author.split(";") if each.strip())
    return persons if len(persons) < 2 else (author, *persons)


def _is_below(value: str, folder: str) -> bool:
    """Return True if `value` is the folder, or below it at any depth."""
    folder = folder.strip("/")
    return value == folder or value.startswith(f"{folder}/")


def _same(value: str, target: str) -> bool:
    return value == target


def _same_suffix(value: str, target: str) -> bool:
    return value == target.removeprefix(".")


def suffix_of(document: Document) -> str:
    """Return the kind of a document's file: its extension in lower case, without the dot."""
    return PurePosixPath(document.name).suffix.lower().removeprefix(".")


FIELDS: dict[str, FilterField] = {
    each.name: each
    for each in (
        FilterField("tag", lambda d: d.metadata.tags, _same),
        FilterField("date", _dates, _same, ordered=True),
        FilterField("author", _authors, _same),
        FilterField("language", lambda d: _as_values(d.metadata.language), _same),
        FilterField("folder", lambda d: _as_values(d.metadata.folder), _is_below),
        FilterField("name", lambda d: (d.name,), _same),
        FilterField("title", lambda d: _as_values(d.title), _same),
        FilterField("kind", lambda d: _as_values(suffix_of(d)), _same_suffix),
    )
}
"""The fields by their names."""
MISSING = "missing"
"""The word that stands for a comparison of its own: the file of the document is gone."""


@dataclass(frozen=True, slots=True)
class FieldTest:
    """A comparison of a field with a value; "" matches a document without a value.

    A document with several values fits `=` and `~` by any of them, and `!=` by none; without a value it fits `!=`.
    """

    field: FilterField
    operator: Operator
    value: str

    def fits(self, document: Document) -> bool:
        """Return True if the comparison is true of the document."""
        values = self.field.values(document)
        if self.operator == "!=":
            return not self._any(values, "=")
        return self._any(values, self.operator)

    def _any(self, values: tuple[str, ...], operator: Operator) -> bool:
        """Return True if one of the values fits by `operator`; for the value "" of the filter, if there are none."""
        if not self.value:
            return operator == "=" and not values
        if operator == "~":
            return any(plain(self.value) in plain(each) for each in values)
        if self.field.ordered:
            return any(in_order(each, operator, self.value) for each in values)
        return any(self.field.fits(plain(each), plain(self.value)) for each in values)

    def fields(self) -> Iterable[str]:
        """Yield the name of the field."""
        yield self.field.name


@dataclass(frozen=True, slots=True)
class MissingTest:
    """A test for documents whose file is missing from its folder."""

    def fits(self, document: Document) -> bool:
        """Return True if it is missing."""
        return document.metadata.missing

    def fields(self) -> Iterable[str]:
        """Yield nothing: no value is compared."""
        return ()


@dataclass(frozen=True, slots=True)
class Negation:
    """A part that must not match."""

    part: DocumentFilter

    def fits(self, document: Document) -> bool:
        """Return True if the part does not match."""
        return not self.part.fits(document)

    def fields(self) -> Iterable[str]:
        """Yield the fields of the part."""
        return self.part.fields()


@dataclass(frozen=True, slots=True)
class Junction:
    """Parts of which all must match (`every`), or any."""

    parts: tuple[DocumentFilter, ...]
    every: bool

    def fits(self, document: Document) -> bool:
        """Return True if they match."""
        results = (part.fits(document) for part in self.parts)
        return all(results) if self.every else any(results)

    def fields(self) -> Iterable[str]:
        """Yield the fields of the parts."""
        for part in self.parts:
            yield from part.fields()


DocumentFilter: TypeAlias = FieldTest | MissingTest | Negation | Junction
"""A filter: `fits` says which documents match, and `fields` names the fields that it compares."""


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


Counts = tuple[tuple[str, int], ...]
MAX_SHOWN_VALUES = 6
"""The most values of a field that an error lists."""


@dataclass(frozen=True, slots=True)
class Facets:
    """The tags, years, kinds of files and languages of documents, each with the number of documents that have it.

    The commonest come first, years the latest first.
    """

    tags: Counts = ()
    years: Counts = ()
    kinds: Counts = ()
    languages: Counts = ()


def facets_of(documents: Sequence[Document]) -> Facets:
    """Return the facets of documents."""
    years = Counter(d.metadata.date[:4] for d in documents if d.metadata.date[:4].isdigit())
    return Facets(
        _count_values(tag for d in documents for tag in d.metadata.tags),
        tuple(sorted(years.items(), reverse=True)),
        _count_values(suffix for d in documents if (suffix := suffix_of(d))),
        _count_values(d.metadata.language for d in documents if d.metadata.language),
    )


def describe_values(documents: Sequence[Document], names: Iterable[str]) -> str:
    """Return a text such as `tag is one of minutes, budget; date is 2024`: the existing values of some fields.

    It also names fields in which no document has a value.
    """
    descriptions: list[str] = []
    for name in dict.fromkeys(names):
        counts = Counter(value for d in documents for value in FIELDS[name].values(d))
        values = [value if len(value) <= 40 else f"{value[:39]}…" for value, _ in counts.most_common(MAX_SHOWN_VALUES)]
        if not values:
            descriptions.append(f"no document has a {name}")
        else:
            more = f" and {len(counts) - len(values)} more" if len(counts) > len(values) else ""
            descriptions.append(f"{name} is {'one of ' if len(counts) > 1 else ''}{', '.join(values)}{more}")
    return "; ".join(descriptions)


def _count_values(values: Iterable[str]) -> Counts:
    return tuple(sorted(Counter(values).items(), key=lambda pair: (-pair[1], pair[0])))


def fitting_documents(documents: Sequence[Document], where: str, collection: str) -> tuple[Document, ...]:
    """Return the documents that match a filter. Raises BadFilter, and NothingFits, which lists the existing values.

    `collection` is the name for the message.
    """
    tree = parse_filter(where)
    fitting = tuple(d for d in documents if tree.fits(d))
    if not fitting:
        values = describe_values(documents, tree.fields()) if documents else "it holds no documents yet"
        raise NothingFits(
            f"no document of collection {collection!r} matches the filter "
            f"{where.strip()!r}{f' ({values})' if values else ''}: use another filter, or none"
        )
    return fitting
