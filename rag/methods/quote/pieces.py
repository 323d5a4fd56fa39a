"""Split an element into the parts that can be quoted: sentences, table rows with their heads, phrases of a picture."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from operator import itemgetter
from statistics import median

from indexing import RAISED_DIGITS, BBox, Cell, Element
from indexing.language import ALPHA_WORD, sentence_spans, stem
from rag.methods.quote.form import plain_words

MOST_COLUMNS = 8
"""The cells that are read with their heads, at most; a longer row is quoted as it stands."""
MOST_HEAD_WORDS = 5
"""The words of a head over a column of words, at most; layout models take the first row of a list for one."""


@dataclass(frozen=True, slots=True)
class ReadRow:
    """A row read with its column headers: the text, the boxes of the cells that are read, and of their headers."""

    text: str
    boxes: tuple[BBox, ...]
    heads: tuple[BBox, ...]


def read_row(element: Element, start: int, end: int, question: str) -> ReadRow | None:
    """Return the row at `element.text[start:end]` with its label and column headers.

    The first cells, and cells whose words are in the question, are the label. Of the other columns, those whose headers
    share the most words with the question are read. None if the span is not a single row, if a value has no header, or
    if a header may be the first row of a list.
    """
    rows = {c.row for c in element.cells if c.start < end and c.end > start and not c.header}
    if len(rows) != 1:
        return None
    row = rows.pop()
    own = [c for c in element.cells if c.row <= row < c.row + c.row_span and not c.header and _has_text(element, c)]
    own.sort(key=lambda c: c.col)
    heads = {c: _heads(element, c) for c in own}
    first = next((n for n, c in enumerate(own) if n and _is_number(_text(element, c))), 1)
    labels, values = own[:first], own[first:]
    if not values or len(values) > MOST_COLUMNS or not all(map(heads.__getitem__, values)):
        return None
    if any(_alike(_text(element, c), _text(element, h)) for c in labels for h in heads[c]):
        return None  # "4.1" over "4.2", or one string in quotation marks over another: its head is a row, too
    question_words = {stem(word) for word in plain_words(question)}
    question_cells = [c for c in values if _is_in_question(_text(element, c), question_words)]
    if len(question_cells) < len(values):  # what the question says itself names the row; the rest is what it asks for
        labels, values = [*labels, *question_cells], [c for c in values if c not in question_cells]
    overlap = {
        c: len(question_words & {stem(w) for h in heads[c] for w in plain_words(_text(element, h))}) for c in values
    }
    most = max(overlap.values())
    columns = [c for c in values if overlap[c] == most]
    if not all(_is_named(element, c, heads[c]) for c in columns):
        return None
    label = ", ".join(_text(element, c) for c in labels)
    text = "; ".join(f"{' '.join(_text(element, h) for h in heads[c])}: {_text(element, c)}" for c in columns)
    head_boxes = dict.fromkeys(h.bbox for c in columns for h in heads[c])
    return ReadRow(f"{label} | {text}", tuple(c.bbox for c in (*labels, *columns)), tuple(head_boxes))


def _is_named(element: Element, cell: Cell, heads: Sequence[Cell]) -> bool:
    """Return True if header cells name a cell: over a column of words they are shorter than the cells below."""
    column = [c for c in element.cells if c.col == cell.col and not c.header and _has_text(element, c)]
    texts = [_text(element, c) for c in column]
    if 2 * sum(map(_is_number, texts)) >= len(texts):
        return True
    words = sum(len(_text(element, head).split()) for head in heads)
    return words <= min(MOST_HEAD_WORDS, median(len(text.split()) for text in texts) - 1)


def _text(element: Element, cell: Cell) -> str:
    return " ".join(element.text[cell.start : cell.end].split())


def _is_in_question(text: str, question_words: set[str]) -> bool:
    """Return True if at least half of the words of a cell, by their stems, are in the question."""
    own = {stem(word) for word in plain_words(text)}
    return bool(own) and 2 * len(own & question_words) >= len(own)


def _alike(label: str, head: str) -> bool:
    """Return True if a header is written like a cell below it: both are numbers, or begin with the same sign."""
    sign = label[:1] == head[:1] and not label[:1].isalnum()
    return (_is_number(label) and _is_number(head)) or (bool(label and head) and sign)


def _is_number(text: str) -> bool:
    return 2 * sum(c.isdigit() for c in text) >= sum(c.isalnum() for c in text)


def _has_text(element: Element, cell: Cell) -> bool:
    return any(c.isalnum() for c in element.text[cell.start : cell.end])


def _heads(element: Element, cell: Cell) -> Sequence[Cell]:
    """Return the header cells over a cell, from the top."""
    over = [c for c in element.cells if c.header and c.col <= cell.col < c.col + c.col_span and c.row < cell.row]
    return sorted((c for c in over if _has_text(element, c)), key=lambda c: c.row)


LABEL_WORDS, LABEL_SHARE = 4, 0.75
"""The least words of a picture's text, and their share of its tokens; text with less is labels or ticks of an axis."""
FIGURE_WORDS = 2
"""The least words of it that say what a single figure counts."""
STACK_WORDS = 20
"""The most words of phrases below one another that are quoted as one."""
TICK_GAP = 3.0
"""The widest gap, in letters of its own, between words of a picture that are a phrase (not ticks, not a legend)."""
NAME = 4
"""The least letters of a name by which a short label of a picture is found: "St" stands in too many."""
SENTENCE_WORDS = 3
"""The least words of a quote that names no value; fewer ("WARNING.", "Thanks") answer nothing."""
_LEADERS = re.compile(r"(?:\.\s?){5,}+")
_PAGE_OR_END = re.compile(r"\s*+(?:\|\s*+)?+(?:(\d{1,4}+)(?:,\s\d{1,4}+)*+(?!\S)\s*+(?:\Z|[^\W\d]|[.\\]|\d{1,3}\.)|\Z)")
"""The page, or pages, that dots lead to in a table of contents; the end, a title or more dots follow, and no figure."""
SUBJECT_WORDS = 40
"""The most words of a sentence that is quoted with the one after it, which has a pronoun for its subject."""
_PRONOUN = re.compile(
    r"(?:It(?! (?:is|was) (?:worth|\w+ (?:to|that))\b)|They|He|She|"
    r"(?:This|These|That|Those) (?:is|are|was|were|has|have|had|can|could|will|would|may|might|must|should|does|do|"
    r"means?|includes?)) "
)
"""A pronoun that a sentence begins with and that stands for something said before it."""
Span = tuple[Element, int, int]
"""A piece of an element: its text from one character to another."""
_ARROWS = re.compile(r"[>\u203a\u00bb\u25b6\u25ba]\s{1,2}(?=[^\W\d_]|[>\u203a\u00bb\u25b6\u25ba])")
"""An arrow before an item of a list; before a number it says which are meant ("> 5 mm")."""
BULLETS = "\u2022\u2023\u25aa\u25cf\u25cb\u25e6\u2043\u00b7\u2013\u2014*+-"
"""The signs that begin an item of a list."""


def pieces(element: Element, *, contents: bool = False) -> list[tuple[int, int]]:
    """Return (start, end) of the parts of an element that can be quoted: sentences, table rows, a picture's text.

    Lines of a table of contents, with dots before the page, are left out unless `contents` is True; so is an entire
    table with rising page numbers if its head or half of its rows are such lines.
    """
    spans, text = _all_pieces(element), element.text
    if contents or element.kind == "group":
        return spans
    matches = [(m.span(), after) for m in _LEADERS.finditer(text) if (after := _PAGE_OR_END.match(text, m.end()))]
    pages = [int(after[1]) for _, after in matches if after[1]]
    leaders = [span for span, _ in matches if element.kind != "table" or pages == sorted(pages)]
    leaders.append((len(text), len(text) + 1))
    next_of = [leaders[bisect(leaders, a, key=itemgetter(1))] for a, _ in spans]
    quotable = [span for span, (start, _) in zip(spans, next_of, strict=True) if span[1] <= start]
    if element.kind == "table":
        starts_with_leader = bool(spans) and leaders[0][0] < spans[0][0]
        return quotable if len(quotable) > len(spans) / 2 and not starts_with_leader else []
    return quotable


def _all_pieces(element: Element) -> list[tuple[int, int]]:
    """Return (start, end) of an element's sentences, table rows or phrases of a picture, with tables of contents."""
    text = element.text
    if element.kind == "table" or element.cells:
        header = max((c.end for c in element.cells if c.header), default=0)
        rows = [m.span() for m in re.finditer(r"[^\n]+", text) if any(c.isalnum() for c in m.group())]
        return [row for row in rows if row[0] >= header] or rows
    if element.kind == "picture":
        phrases = _phrases(element)
        stack_spans = [span for stack in _stacks(phrases) for span in _of_stack(stack, text)]
        spans = [(a, b) for a, b in stack_spans if speaks(text[a:b]) or _is_count(text[a:b])]
        return spans or [(a, b) for a, b in _in_threes(phrases) if speaks(text[a:b])]
    whole = [(0, len(text))] if element.kind == "formula" else sentence_spans(text)
    return [(after_bullet(text, a, b), b) for a, b in whole if _says_something(text[a:b])]


def after_bullet(text: str, start: int, end: int) -> int:
    """Return the start of a piece's text after a bullet, dash, arrow, private-use character or raised note number."""
    at = start
    while at < end and text[at] in RAISED_DIGITS:
        at += 1
    if at > start and not (text[at : at + 1].isspace() or text[at : at + 2].isalpha()):
        return start  # "²³⁵U" begins with its own
    while at < end and (
        text[at].isspace()
        or "\ue000" <= text[at] <= "\uf8ff"
        or (text[at] in BULLETS and text[at + 1 : at + 2].isspace())
        or _ARROWS.match(text, at)
    ):
        at += 1
    return at if at < end else start


def with_subject(text: str, before: tuple[int, int] | None, start: int) -> int:
    """Return the start of the sentence `before` if the one at `start` begins with a pronoun, else `start`.

    A sentence that begins on another page or column, with a small letter, is not put before it.
    """
    if before is None or not _PRONOUN.match(text, start) or text[before[0]].islower():
        return start
    return before[0] if len(text[before[0] : start].split()) <= SUBJECT_WORDS else start


def _says_something(text: str) -> bool:
    """Return True if a piece has enough words to say something, or names a thing and its value."""
    head, colon, value = text.partition(":")
    if colon and any(c.isalpha() for c in head) and any(c.isalnum() for c in value):
        return True
    words = text.split()
    return len(words) >= SENTENCE_WORDS or (len(words) > 1 and any(c.isdigit() for c in text))


def speaks(text: str) -> bool:
    """Return True if a caption or a piece of a picture is made of words rather than of labels and ticks."""
    words, tokens, _ = _numbers_of(text)
    return words >= max(LABEL_WORDS, LABEL_SHARE * tokens)


def named_labels(element: Element, names: Collection[str]) -> list[tuple[int, int]]:
    """Return the short labels of a picture that contain one of the names and other words."""
    lower_names = {name.lower() for name in names if len(name) >= NAME}
    labels = []
    for stack in _stacks(_phrases(element)) if lower_names and element.kind == "picture" else ():
        words = [word.lower() for word in ALPHA_WORD.findall(element.text[stack[0].start : stack[-1].end])]
        more = [word for word in words if word not in lower_names and len(word) >= NAME - 1]
        if lower_names.intersection(words) and more and len(words) <= STACK_WORDS:
            labels.append((stack[0].start, stack[-1].end))
    return labels


def _is_count(text: str) -> bool:
    """Return True if a piece of a picture is one figure with what it counts: "4,350 boats in all"."""
    words, tokens, figures = _numbers_of(text)
    return figures == 1 and words >= FIGURE_WORDS and words + figures == tokens


def _numbers_of(text: str) -> tuple[int, int, int]:
    """Return the numbers of words of two letters or more, of tokens with a letter or digit, of tokens with a digit."""
    tokens = [token for token in text.split() if any(c.isalnum() for c in token)]
    return len(re.findall(r"[^\W\d_]{2,}", text)), len(tokens), sum(any(c.isdigit() for c in t) for t in tokens)


def _of_stack(stack: Sequence[_Phrase], text: str) -> list[tuple[int, int]]:
    """Return the span of a stack of at most STACK_WORDS words, else those of its phrases, three at a time."""
    start, end = stack[0].start, stack[-1].end
    return [(start, end)] if len(text[start:end].split()) <= STACK_WORDS else _in_threes(stack)


def _in_threes(phrases: Sequence[_Phrase]) -> list[tuple[int, int]]:
    """Return the spans of phrases, three at a time, each three beginning with the last of those before."""
    last = len(phrases) - 1
    firsts = range(0, max(last, 1), 2) if phrases else ()
    return [(phrases[i].start, phrases[min(i + 2, last)].end) for i in firsts]


@dataclass(slots=True)
class _Phrase:
    """Words of a picture close together in a line: `text[start:end]`, and their box in fractions of the page."""

    start: int
    end: int
    box: tuple[float, float, float, float]


def _phrases(element: Element) -> list[_Phrase]:
    """Return the phrases of a picture's text: words of one line without a gap wider than TICK_GAP letters."""
    words = element.words
    phrases: list[_Phrase] = []
    before = -1
    for (start, end), line, box in zip(words.spans.tolist(), words.lines.tolist(), words.boxes.tolist(), strict=True):
        x0, y0, x1, y1 = box
        own = phrases[-1].box if phrases else box
        if line == before and x0 - own[2] <= TICK_GAP * (x1 - x0) / (end - start):
            phrases[-1].end, phrases[-1].box = end, (own[0], min(own[1], y0), x1, max(own[3], y1))
        else:
            phrases.append(_Phrase(start, end, (x0, y0, x1, y1)))
        before = line
    return phrases


def _stacks(phrases: Sequence[_Phrase]) -> list[list[_Phrase]]:
    """Return runs of phrases that are one below the other without a gap, such as a large number over its noun."""
    stacks: list[list[_Phrase]] = []
    for phrase in phrases:
        upper, lower = stacks[-1][-1].box if stacks else phrase.box, phrase.box
        height = min(upper[3] - upper[1], lower[3] - lower[1])
        below = -height <= lower[1] - upper[3] <= height
        if stacks and below and lower[0] < upper[2] and upper[0] < lower[2]:
            stacks[-1].append(phrase)
        else:
            stacks.append([phrase])
    return stacks
