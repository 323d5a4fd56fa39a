"""Statements: the values that sentences and table cells state, each with the words of what it is a value of.

"41% of household waste was recycled in 2023" states 41 percent of {household, waste, recycle} in 2023. A table's cell
has the words of its row's label, of its group and of the heads above it. Words that only tie a value to its thing are
left out; all else that a sentence says is part of what the value is of.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from indexing import Document, Element, without_struck
from indexing.language import (
    NUMBER_WORDS,
    UNITS,
    YEAR,
    Quantity,
    Scale,
    Token,
    fold,
    lexicon_words,
    meaning,
    scale_of,
    sentence_spans,
)
from rag.attribution.words import Claims, TableGrid, claims_of, grid_of, lexicon

READ = frozenset(("text", "list", "table", "caption", "footnote"))
"""The kinds of elements that are read: what the numbers of a drawing are of cannot be told from its words."""
MOST_CHARS, MOST_NUMBERS, MOST_CELLS = 400, 6, 1_000
"""The most characters and numbers of a sentence that is read (words bind loosely in a longer one); cells of a table."""
LEAST_WORDS = 2
"""The least words of a subject, where a name counts as two; one says too little of what the value is of."""
HEADINGS = 3
"""The headings above an element, the nearest, that may say what it is about."""
MOST_NAMES = 4
"""The most words of the name of a person."""
Period = tuple[int, int, int, int]
"""A year, quarter, month and day, 0 where it does not say (`indexing.language.Quantity`)."""
_JOINED = re.compile(
    r"\s?(?:[-\u2013\u2014~/x\u00d7]|to|till|until|through|bis|à|out of|of|and|or)\s?(?:the\s)?", re.IGNORECASE
)
_IDENTIFIER = re.compile(r"\d{6,}")
"""A number that nobody would count to without a sign between its thousands."""
_LEADERS = re.compile(r"(?:\.\s?){5}")
_YEAR = re.compile(rf"(?<!\d){YEAR}(?!\d)")
_STATES = re.compile(rf"\d|\b(?:{'|'.join(NUMBER_WORDS)}|is|are|was|ist|war|est)\b", re.IGNORECASE)
"""What a sentence has that states a value."""


def _stems(*entries: str) -> frozenset[str]:
    return frozenset(meaning(word) for entry in entries for word in lexicon_words(entry))


_EMPTY = _stems("linking_verbs", "value_words", "connectives", "titles")
_CHANGES = _stems("change_words")
_EVENTS = _stems("single_events")
_UNSETTLED = frozenset(lexicon_words("provisional_words"))
_POINTING = frozenset(lexicon_words("pointing_words"))
_TIMES = frozenset(("s", "day", "month"))
"""The units in which lengths of time are measured."""
_OPENING = frozenset(lexicon_words("opening_pronouns"))
_TURNING = lexicon.REQUIRED_PREPOSITIONS | (lexicon.DIRECTION_WORDS - {"all", "both"})
_INDEFINITE = frozenset(("a", "an", "another", "ein", "eine", "un", "une"))
_FROM, _THAN = frozenset(("from", "von")), frozenset(("than", "als"))
"""The words before that side of two which could not be the other."""
_COPULAS = frozenset(("is", "are", "was", "were", "ist", "sind", "war", "waren", "est", "sont", "était"))
_VERBS = _COPULAS | {"to", "by", *lexicon.LINKING_VERBS, *lexicon_words("value_words", "de", "fr")}
"""The words before a number that counts, whatever comes after it."""


@dataclass(frozen=True, slots=True)
class Around:
    """The context above an element: the stems, times and scale of its headings and its caption.

    `title` are the stems and numbers of the caption or, without one, of the nearest heading; `is_lone` is True where
    that heading is the only one, as the title of a document is.
    """

    words: frozenset[str]
    title: frozenset[str]
    is_lone: bool
    periods: frozenset[Period]
    scale: Scale


@dataclass(frozen=True, slots=True, eq=False)
class StatedValue:
    """A value that a place states: `element.text[start:end]`, in the sentence or cell `element.text[slice(*within)]`.

    `value` has the scale of its table applied; a name is a label, whose unit is the name. `subject` are the stems of
    what it is a value of, of which `names` are names. `periods` are the times that it is of, by the sentence or, where
    that names none, by what stands above it; none of a date. `others` are the other numbers of the sentence, `beside`
    is the stem of the word that follows the value: it tells the numbers of a sentence apart.
    """

    element: Element
    document: Document
    start: int
    end: int
    within: tuple[int, int]
    value: Quantity
    subject: frozenset[str]
    names: frozenset[str]
    around: Around
    periods: frozenset[Period]
    others: tuple[Quantity, ...] = ()
    beside: str = ""

    @property
    def wording(self) -> str:
        """The value as the text words it, in one line."""
        return " ".join(self.element.text[self.start : self.end].split()).rstrip(".")

    @property
    def sentence(self) -> str:
        """The sentence, or the cell."""
        return self.element.text[slice(*self.within)]

    @property
    def statement(self) -> str:
        """The sentence or, for a cell, the row that it is in."""
        if not self.in_table:
            return self.sentence
        before, after = self.element.text[: self.within[0]], self.element.text[self.within[0] :]
        return before.rpartition("\n")[2] + after.partition("\n")[0]

    @property
    def in_table(self) -> bool:
        """True for a cell."""
        return bool(self.element.cells) or self.element.kind == "table"


def statements_of(element: Element, document: Document) -> list[StatedValue]:
    """Return the statements of an element; none of a kind that is not read, or of a text that is partly struck out."""
    if element.kind not in READ or without_struck(element.text) != element.text:
        return []
    if element.cells or element.kind == "table":
        return list(_of_table(element, document))
    return [one for span in sentence_spans(element.text) for one in _of_sentence(element, document, span)]


def _of_sentence(element: Element, document: Document, span: tuple[int, int]) -> Iterator[StatedValue]:
    """Yield the values of a sentence that stands alone: it asks nothing, and refers to no other sentence."""
    text = element.text[slice(*span)]
    if len(text) > MOST_CHARS or text.endswith(("?", ":")) or not _STATES.search(text) or _LEADERS.search(text):
        return
    claims = claims_of(text)
    if not _stands_alone(claims):
        return
    around, own, turning = _around(element), _periods((claims,)), _qualifiers(claims)

    def value_of(
        value: Quantity, words: Iterable[Token], periods: frozenset[Period], *others: Quantity
    ) -> list[StatedValue]:
        """Return the statement of a value; [] if too few words say what it is of, or a change has no date."""
        subject, names = _subject(words)
        changes = not periods and value.unit not in _TIMES and subject & _CHANGES  # the time of the change is unknown
        if len(subject) + len(names) < LEAST_WORDS or changes:
            return []
        start, end = span[0] + value.start, span[0] + value.end
        after = next((t.stem for t in claims.words if t.start >= value.end), "")
        return [
            StatedValue(
                element, document, start, end, span, value, subject | turning, names, around, periods, others, after
            )
        ]  # fmt: skip

    numbers = [q for q in claims.quantities if q.kind != "moment" and not _is_mark(text, q)]
    words = claims.words
    moments = [q for q in claims.quantities if q.kind == "moment"]
    is_definite = claims.tokens[0].key not in _INDEFINITE
    if not numbers and len(moments) == 1 and is_definite and _EVENTS & {t.stem for t in words}:
        yield from value_of(moments[0], words, frozenset())
    for name, rest in _office_holders(claims):
        yield from value_of(name, rest, own or around.periods)
    if len(numbers) > MOST_NUMBERS or not _is_statement(claims):
        return
    for value in numbers:
        if _is_exact(text, claims.quantities, value) and _counts(claims, value):
            yield from value_of(value, words, own or around.periods, *(q for q in numbers if q is not value))


def _qualifiers(claims: Claims) -> frozenset[str]:
    """Return the words that narrow down what a value is of: "not", "before", "most", "from Norway"."""
    every = claims.tokens
    after = [(t.key, next((o for o in every[n + 1 : n + 3] if not o.stop), None)) for n, t in enumerate(every)]
    sides = (f"{key} {o.stem}" for key, o in after if o and (key in _THAN or (key in _FROM and o.name)))
    return frozenset((*sides, *(t.key for t in every if t.key in _TURNING or t in claims.negations)))


def _stands_alone(claims: Claims) -> bool:
    """Return True unless a sentence points at another one or at the time of writing, or its values are not settled."""
    tokens = claims.tokens
    times = {t.start for t, after in pairwise(tokens) if UNITS.get(after.key, ("",))[0] in _TIMES}
    return not any(
        t.key in _POINTING or t.key in _UNSETTLED or (n < 3 and t.key in _OPENING)
        or (t.key in ("last", "next", "past") and t.start in times)
        for n, t in enumerate(tokens)
    )  # fmt: skip


def _is_statement(claims: Claims) -> bool:
    """Return True if a text states something: it ends like a sentence, or has a verb or a colon."""
    return claims.text.endswith((".", "!")) or ": " in claims.text or any(
        t.key in _COPULAS or t.key in lexicon.LINKING_VERBS or (t.key.endswith("ed") and not t.name)
        for t in claims.tokens
    )  # fmt: skip


def _counts(claims: Claims, value: Quantity) -> bool:
    """Return True for a number that counts or measures; False for one that names a thing ("Port 2", "page 341")."""
    if value.kind != "number" or value.unit or value.scaled or value.place < 1:
        return True
    if _IDENTIFIER.fullmatch(claims.wording(value)):
        return False
    text, before = claims.text, next((t for t in reversed(claims.tokens) if t.end <= value.start), None)
    after = next((t for t in claims.tokens if t.start >= value.end), None)
    counts = after is not None and (
        after.key in _COPULAS or (text[value.end : after.start] == " " and not after.stop and not after.name)
    )
    if before is None:
        return counts
    gap = text[before.end : value.start].strip()
    verb = before.key in _VERBS or before.key.endswith("ed")
    noun = not (before.stop or verb or gap or (before.key.endswith("s") and counts and not before.name))
    return not noun and (counts or verb or ":" in gap)


def _is_mark(text: str, value: Quantity) -> bool:
    """Return True for a citation mark, a number alone in brackets, or one that opens a sentence as a heading's does."""
    around = text[max(value.start - 1, 0) : value.start] + text[value.end : value.end + 1]
    opens = not text[: value.start].strip("( ") and text[value.end :].lstrip(") .")[:1].isupper()
    return (
        around == "()"
        or (opens and not value.unit and not value.scaled)
        or (value.kind == "label" and value.unit == "[")
    )


def _office_holders(claims: Claims) -> Iterator[tuple[Quantity, list[Token]]]:
    """Yield the name in "the chair of the board is Anna Falk", or the other way round, with the words of the rest."""
    tokens = claims.tokens
    at = [n for n, t in enumerate(tokens) if t.key in _COPULAS]
    if len(at) != 1 or claims.quantities or claims.negations or "," in claims.text:
        return
    for side, rest in ((tokens[: at[0]], tokens[at[0] + 1 :]), (tokens[at[0] + 1 :], tokens[: at[0]])):
        alone = [t for t in side if t.stem not in _EMPTY]
        proper = 1 < len(alone) <= MOST_NAMES and all(claims.text[t.start].isupper() and t.key.isalpha() for t in alone)
        if proper and len(alone) >= len(side) - 1 and rest and rest[0].key in ("the", "der", "die", "das", "le", "la"):
            name = " ".join(fold(t.key) for t in alone)
            yield Quantity("label", alone[0].start, alone[-1].end, unit=name), [t for t in rest if not t.stop]
            return


def _of_table(element: Element, document: Document) -> Iterator[StatedValue]:
    """Yield the cells with one number, under a column header or beside a label, in rows whose label is unique."""
    if len(element.cells) > MOST_CELLS or len(element.text) > MOST_CELLS * 50:
        return
    grid, around = grid_of(element), _around(element)
    labels = {row: _label(grid, row) for row in grid.rows}
    counts = Counter(labels.values())
    unique = {row for row, label in labels.items() if label[-1] and counts[label] == 1}
    for slot in grid.body:
        numbers = slot.claims.numbers if slot.numeric else ()
        if slot.row not in unique or grid.is_label(slot) or len(numbers) != 1:
            continue
        claims = [claims_of(part.text) for part in grid.names_of(slot)]
        value = _scale(numbers[0], grid.scale(slot, around.scale))
        subject, names = _subject(t for c in claims for t in c.words)
        turning = frozenset().union(*map(_qualifiers, claims))
        is_settled = not {t.key for c in claims for t in c.tokens} & _UNSETTLED
        has_header = bool(grid.heads(slot)) or len(grid.row(slot.row)) == 2
        if value and subject and has_header and is_settled and _is_exact(slot.text, slot.claims.quantities, numbers[0]):
            yield StatedValue(
                element, document, slot.start + numbers[0].start, slot.start + numbers[0].end, (slot.start, slot.end),
                value, subject | turning, names, around, _periods((slot.claims, *claims)) or around.periods,
                tuple(q for c in claims for q in c.numbers if q.kind != "moment"),
            )  # fmt: skip


def _label(grid: TableGrid, row: int) -> tuple[str, str]:
    group = grid.groups.get(row)
    return (group.text if group else "", " ".join(s.text for s in grid.labels.get(row, ())).casefold())


def _scale(value: Quantity, scale: Scale) -> Quantity | None:
    """Return a cell's number under the scale of its table; None where both name a unit, and not the same."""
    if value.kind != "number" or value.scaled or value.unit == "%":
        return value
    if value.unit and scale.unit and value.unit != scale.unit:
        return None
    factor = 1.0 if scale.unit == "%" else scale.factor
    return replace(value, value=value.value * factor, place=value.place * factor, unit=value.unit or scale.unit)


def _subject(words: Iterable[Token]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the stems of the words that say what a value is of, and those of them that are names."""
    tokens = [t for t in words if t.stem not in _EMPTY]
    return frozenset(t.stem for t in tokens), frozenset(t.stem for t in tokens if t.name)


def _around(element: Element) -> Around:
    """Return the context of an element, from its caption and its nearest headings."""
    claims = [claims_of(text) for text in (element.caption, *element.section[-HEADINGS:]) if text]
    scales = [scale for c in claims if (scale := scale_of(c.text)) != Scale()]
    words, _ = _subject(t for c in claims for t in c.words)
    nearest = claims[0 if element.caption else -1] if claims else claims_of("")
    title = _subject(nearest.words)[0] | {f"{q.value:g}" for q in nearest.numbers if q.kind == "number"}
    is_lone = not element.caption and len(element.section) <= 1
    return Around(words, title, is_lone, _periods(claims), scales[0] if scales else Scale())


def _periods(claims: Iterable[Claims]) -> frozenset[Period]:
    return frozenset((q.year, q.quarter, q.month, q.day) for c in claims for q in c.quantities if q.kind == "moment")


def _is_exact(text: str, every: Sequence[Quantity], value: Quantity) -> bool:
    """Return True for a value that is not approximate, not a bound, and not one end of a range or a change."""
    if value.kind not in ("number", "clock") or value.hedged or value.soft or value.bound or value.unit == "th":
        return False
    if text[value.end : value.end + 1] == "+" or set(text[max(value.start - 2, 0) : value.start]) & set("<>≤≥~≈"):
        return False
    pairs = ((a, b) for a, b in pairwise(every) if value in (a, b))
    return not any(_JOINED.fullmatch(text[a.end : b.start]) for a, b in pairs if "label" not in (a.kind, b.kind))


def year_of(document: Document) -> int:
    """Return the only year in a document's title and name or, without one, that of its metadata; 0 if unclear."""
    years = {*_YEAR.findall(f"{document.title} {document.name}")}
    if len(years) == 1:
        return int(years.pop())
    match = _YEAR.match(document.metadata.date)
    return int(match[0]) if match and not years else 0
