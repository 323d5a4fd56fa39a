"""The lines of a document in reading order, column by column, without running heads and page numbers."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexing import BBox
from plugins.audit.marks import with_accents

if TYPE_CHECKING:
    from indexing import PrintedPage, PrintedWord


BINS = 200
"""The strips into which the width of a page is cut to look for the white between its columns."""
CROSSED = 0.12
"""The share of the rows on a column's edge that may cross it: titles, wide figures, formulas."""

_Placed = tuple["PrintedWord", float, float, float, float]


def lines_of_page(page: PrintedPage, first_column: int = 0) -> list[TextLine]:
    """Return the lines of a page in reading order; its columns are counted from `first_column`.

    What crosses the white between two columns (a title, a wide table) stands in a column of its own, after what is
    above it and before what is below it.
    """
    items = [(word, *word.box.to_page(page.width, page.height)) for word in page.words]
    counting = line_numbers([(word.text, x0, x1, y0) for word, x0, y0, x1, _ in items])
    rows = _rows([item for index, item in enumerate(items) if index not in counting])
    gutter = _gutter(rows, page.width)
    results: list[TextLine] = []
    column = first_column
    for part in _parts(rows, gutter):
        lines = [_line(row, page.number, column) for row in part]
        results += [line for line in lines if line]
        column += 1
    return results


def _rows(items: Sequence[_Placed]) -> list[list[_Placed]]:
    """Return the words by their height on the page, each row from left to right."""
    rows: list[list[_Placed]] = []
    middle, height = 0.0, 0.0
    plain = [item for item in items if not item[0].joined]
    for item in sorted(plain, key=lambda p: ((p[2] + p[4]) / 2, p[1])):
        here = (item[2] + item[4]) / 2
        if rows and abs(here - middle) < 0.35 * min(height, item[4] - item[2]):
            rows[-1].append(item)
            middle += (here - middle) / len(rows[-1])
        else:
            rows.append([item])
            middle = here
        height = item[4] - item[2]
    followers: dict[int, list[_Placed]] = {}
    for before, item in itertools.pairwise(items):
        if item[0].joined:
            followers.setdefault(id(before), []).append(item)
    for row in rows:
        row.sort(key=lambda p: p[1])
        row[:] = [part for item in row for part in _with_joined(item, followers)]
    return rows


def _with_joined(item: _Placed, followers: dict[int, list[_Placed]]) -> list[_Placed]:
    """Return a word with the raised ones that are joined to it, and those joined to them."""
    chain = [item]
    while following := followers.get(id(chain[-1])):
        chain.append(following[0])
    return chain


def _gutter(rows: Sequence[Sequence[_Placed]], width: float) -> float | None:
    """Return the middle of the white between two columns in points; None where the page has one column.

    It is the strip in the middle half of the text, nearest to its centre, that few rows cross while many stand on both
    of its sides.
    """
    left = min((item[1] for row in rows for item in row), default=0.0)
    right = max((item[3] for row in rows for item in row), default=0.0)
    if right - left < 0.4 * width or len(rows) < 4:
        return None
    step = (right - left) / BINS
    crossing = [0] * (BINS + 1)
    for row in rows:
        bins = {b for item in row for b in range(int((item[1] - left) / step), int((item[3] - left) / step) + 1)}
        for strip in bins:
            crossing[min(strip, BINS)] += 1
    middle = range(BINS // 4, 3 * BINS // 4)
    open_strips = [b for b in middle if crossing[b] <= CROSSED * len(rows)]
    wide = [run for run in _runs(open_strips) if len(run) * step >= 0.008 * width]
    if not wide:
        return None
    best = min(wide, key=lambda run: abs(run[0] + run[-1] - BINS))  # the white behind labels is further out
    least = min(crossing[b] for b in best)
    narrow = max(_runs([b for b in best if crossing[b] == least]), key=len)
    edge = left + step * (narrow[0] + narrow[-1] + 1) / 2
    sides = [0, 0]
    for row in rows:
        sides[0] += any(item[3] < edge for item in row)
        sides[1] += any(item[1] > edge for item in row)
    chars = sum(len(item[0].text) for row in rows for item in row if item[1] > edge)
    every = sum(len(item[0].text) for row in rows for item in row)
    enough = min(sides) >= 3 and 0.06 * every < chars < 0.94 * every
    return edge if enough and _is_aligned(rows, edge) else None


def _is_aligned(rows: Sequence[Sequence[_Placed]], edge: float) -> bool:
    """Return True if the right column has a left edge: a third of its lines start within 3 points of two places."""
    starts = Counter(round(next(i[1] for i in row if i[1] > edge) / 3) for row in rows if any(i[1] > edge for i in row))
    if not starts:
        return False
    best = sum(count for _, count in starts.most_common(3))
    return best >= max(2, sum(starts.values()) / 3)


def _runs(strips: Sequence[int]) -> list[list[int]]:
    """Return the stretches of numbers that follow one another; none for no numbers."""
    runs: list[list[int]] = []
    for strip in strips:
        if runs and strip == runs[-1][-1] + 1:
            runs[-1].append(strip)
        else:
            runs.append([strip])
    return runs


def _parts(rows: Sequence[list[_Placed]], gutter: float | None) -> list[list[list[_Placed]]]:
    """Return the rows by column: the left ones, the right ones, and those over both between what they part."""
    if gutter is None:
        return [list(rows)]
    parts: list[list[list[_Placed]]] = []
    left: list[list[_Placed]] = []
    right: list[list[_Placed]] = []
    for row in rows:
        if any(item[1] < gutter < item[3] for item in row) or _runs_over(row, gutter):
            parts += [part for part in (left, right) if part]
            left, right = [], []
            if parts and parts[-1] and _over(parts[-1][-1], gutter):
                parts[-1].append(row)
            else:
                parts.append([row])
            continue
        for side, inside in ((left, [i for i in row if i[3] <= gutter]), (right, [i for i in row if i[3] > gutter])):
            if inside:
                side.append(inside)
    return parts + [part for part in (left, right) if part]


def _over(row: Sequence[_Placed], gutter: float) -> bool:
    return row[0][1] < gutter < row[-1][3]


def _runs_over(row: Sequence[_Placed], gutter: float) -> bool:
    """Return True if words stand so near to both sides of the white that a sentence runs over it."""
    before = max((item[3] for item in row if item[3] <= gutter), default=None)
    after = min((item[1] for item in row if item[1] >= gutter), default=None)
    if before is None or after is None:
        return False
    return after - before < 0.45 * max(row[0][0].size, 1.0)


def _line(row: Sequence[_Placed], page: int, column: int) -> TextLine | None:
    text, superscripts = "", []
    for item in row:
        word = item[0]
        part = with_accents(word.text)
        text += "" if word.joined or not text else " "
        if word.raised:
            superscripts.append((len(text), len(text) + len(part)))
        text += part
    if not text.strip():
        return None
    weight = Counter[float]()
    for item in row:
        weight[round(item[0].size, 1)] += len(item[0].text)
    bold = sum(len(item[0].text) for item in row if item[0].bold) > 0.5 * len(text)
    level = [item for item in row if not item[0].raised] or list(row)
    return TextLine(
        text, page, column, row[0][1], max(i[3] for i in row), min(i[2] for i in level), max(i[4] for i in level),
        weight.most_common(1)[0][0], bold, BBox.union(item[0].box for item in row), tuple(superscripts),
    )  # fmt: skip


_PAGE_NUMBER = re.compile(
    r"[-–—|\s]{0,4}(?:\d{1,5}|[ivxlcdmIVXLCDM]{1,8}|(?:[Pp]age|S\.|[Pp]\.)\s?\d{1,4}(?:\s?(?:of|/|von|sur|de)\s?\d{1,4})?)[-–—|\s]{0,4}"
)
_NUMBER = re.compile(r"\d{1,5}")
_DIGITS = re.compile(r"\d+")
MarginWord = tuple[str, float, float, float]
"""A word with its left, right and upper edge, in points."""
OUTER = 0.125
"""The share of a page at its upper and lower edge in which running heads stand."""
MARGIN_NUMBERS = 6
"""The numbers in a margin of a page from which on they count its lines."""


def without_furniture(lines: Sequence[TextLine], heights: dict[int, float]) -> list[TextLine]:
    """Return the lines without what is printed around the text; `heights` are those of the pages, in points.

    A running head is a line of the outer eighth of a page that stands on another page too, digits aside, at the same
    height.
    """
    by_page: dict[int, list[TextLine]] = defaultdict(list)
    for line in lines:
        by_page[line.page].append(line)
    edges = {page: _edges(of_page, heights[page]) for page, of_page in by_page.items()}
    numbers = {page: last for page, of_page in by_page.items() if (last := _number_of(of_page))}
    counts = Counter(key for edge_lines in edges.values() for key in {_key(line) for line in edge_lines})
    offsets = Counter(int(line.text.strip(" -–—|")) - page for page, line in numbers.items())
    ids = {
        id(line) for page, line in numbers.items()
        if offsets[int(line.text.strip(" -–—|")) - page] > 1 or line.left > min(o.left for o in by_page[page]) + 60
    }  # fmt: skip
    for edge_lines in edges.values():
        for line in edge_lines:
            repeated = counts[_key(line)] > 1 and len(line.text) > 3
            if repeated or _PAGE_NUMBER.fullmatch(line.text.strip()):
                ids.add(id(line))
    return [line for line in lines if id(line) not in ids]


def _edges(lines: Sequence[TextLine], height: float) -> list[TextLine]:
    """Return the lines of the outer eighth of a page, at each end, that white parts from the text."""
    results: list[TextLine] = []
    for end in (1, -1):
        by_top = sorted(lines, key=lambda line: line.top)[::end]
        outer: list[TextLine] = []
        for line, inner in itertools.pairwise(by_top):
            if not (line.bottom < OUTER * height if end == 1 else line.top > (1 - OUTER) * height):
                break
            outer.append(line)
            white = inner.top - line.bottom if end == 1 else line.top - inner.bottom
            if white > 0.6 * line.height:
                results += outer
                outer = []
    return results


def _number_of(lines: Sequence[TextLine]) -> TextLine | None:
    """Return the lowest line of a page if it is a bare number, apart from the text above it."""
    by_top = sorted(lines, key=lambda line: line.top)
    if len(by_top) < 2:
        return None
    above, last = max(by_top[:-1], key=lambda line: line.bottom), by_top[-1]
    bare = _NUMBER.fullmatch(last.text.strip(" -–—|"))
    return last if bare and last.top - above.bottom > 0.25 * last.height else None


def _key(line: TextLine) -> tuple[str, int]:
    return _DIGITS.sub("#", line.text.casefold()), round(line.top / 6)


def line_numbers(words: Sequence[MarginWord]) -> set[int]:
    """Return the indices of the words that count the lines of a page in its margin.

    Words are (text, left, right, top). Such numbers go up from one to the next, end (or begin) at the same place, and
    stand left or right of everything else.
    """
    numbers = [(i, word) for i, word in enumerate(words) if word[0].isdigit() and len(word[0]) <= 4]
    indices: set[int] = set()
    for at_right in (True, False):

        def edge(word: MarginWord, at_right: bool = at_right) -> int:
            return round((word[2] if at_right else word[1]) / 2)

        places = Counter(edge(word) for _, word in numbers)
        for place, count in places.most_common(2):
            column = [(i, word) for i, word in numbers if abs(edge(word) - place) <= 1]
            if count >= MARGIN_NUMBERS and _counts(column) and _is_at_margin(column, words):
                indices.update(i for i, _ in column)
    return indices


def _counts(column: Sequence[tuple[int, MarginWord]]) -> bool:
    """Return True if the numbers rise by the same step from each to the next, down the page."""
    values = [int(word[0]) for _, word in sorted(column, key=lambda item: item[1][3])]
    steps = Counter(b - a for a, b in itertools.pairwise(values))
    step, count = steps.most_common(1)[0]
    return step in (1, 5, 10) and count >= 0.8 * (len(values) - 1)


def _is_at_margin(column: Sequence[tuple[int, MarginWord]],
           words: Sequence[MarginWord]) -> bool:  # fmt: skip
    """Return True for numbers at a margin: at most 2% of the other words lie outside of them or within 4 points."""
    mine = {i for i, _ in column}
    left, right = min(w[1] for _, w in column), max(w[2] for _, w in column)
    others = [w for i, w in enumerate(words) if i not in mine and not w[0].isdigit()]
    before = sum(w[1] < right + 4 for w in others)
    after = sum(w[2] > left - 4 for w in others)
    return min(before, after) <= 0.02 * len(others)


_ADDRESS_END = re.compile(r"(?:https?:|www\.|doi[.:]|10\.\d{4}|\barxiv:)\S{0,500}$", re.IGNORECASE)
_DOI_END = re.compile(r"\b10\.(?:\d{4,9}/\S{0,100}\.)?$")
"""The end of a line that broke a DOI at one of its stops."""
_YEAR = re.compile(r"(?:18|19|20)\d\d")
_ADDRESS_PART = re.compile(r"[\w%#?&=~+,.:/()@!$*'-]+")
_ARXIV_START = re.compile(r"arxiv\D{0,20}(\d{4})\.(\d{0,4})$", re.IGNORECASE)
"""An arXiv number that may be cut: behind the point it has four digits, five since 2015."""
_WORDS = re.compile(r"\w+(?:-\w+)*")
_HYPHENS = ("-", "\u2010", "\u00ad")


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line: its text, its page from 1 (0 where the format has none) and its column, counted through the document.

    `left`, `right`, `top` and `bottom` are points of the page, or of a page as wide as the text has characters; `size`
    is the size of most of its letters in points, `bold` says that most are. `raised` are the spans of its text that
    stand above the line. `new_block` says that the format itself starts a block here: a paragraph, an item of a list.
    """

    text: str
    page: int
    column: int
    left: float
    right: float
    top: float
    bottom: float
    size: float
    bold: bool = False
    box: BBox | None = None
    raised: tuple[tuple[int, int], ...] = ()
    new_block: bool = False
    label: str = field(default="", kw_only=True)
    """The mark that the format gives the line apart from its text: a key, or the number of a list item."""

    @property
    def height(self) -> float:
        """The height of the line in points."""
        return self.bottom - self.top


def plain_lines(text: str) -> list[TextLine]:
    """Return the lines of a plain text, indents and empty lines as geometry. Linear in the text."""
    lines: list[TextLine] = []
    top, empty = 0.0, True
    for raw in with_accents(text).split("\n"):
        line = raw.expandtabs(4).rstrip()
        content = line.lstrip()
        if not content:
            top, empty = top + 12.0, True
            continue
        left = 5.0 * (len(line) - len(content))
        lines.append(TextLine(content, 0, 0, left, left + 5.0 * len(content), top, top + 10.0, 10.0, new_block=empty))
        top, empty = top + 12.0, False
    return lines


def block_lines(blocks: list[tuple[str, bool, str]]) -> list[TextLine]:
    """Return lines for (text, bold, label) of blocks that the format itself tells apart; breaks inside stay lines."""
    results: list[TextLine] = []
    top = 0.0
    for text, bold, label in blocks:
        top += 12.0
        for number, part in enumerate(filter(None, (" ".join(p.split()) for p in with_accents(text).split("\n")))):
            results.append(
                TextLine(part, 0, 0, 0.0, 5.0 * len(part), top, top + 10.0, 10.0, bold, new_block=not number,
                         label="" if number else label)
            )  # fmt: skip
            top += 12.0
    return results


def known_words(lines: Sequence[str]) -> frozenset[str]:
    """Return the words and compounds that stand whole inside the lines, in lower case: they tell which hyphens stay."""
    result: set[str] = set()
    for line in lines:
        words = _WORDS.findall(line.casefold())
        result.update(words[:-1] if line.rstrip().endswith(_HYPHENS) else words)
    return frozenset(result)


def join_lines(lines: Sequence[str], vocabulary: frozenset[str] = frozenset()) -> str:
    """Return the lines as one text. A broken word loses its hyphen, unless the compound is in `vocabulary`.

    An address goes on without a blank where the line breaks after one of its signs, or where the next line begins with
    what can only be its rest.
    """
    text = ""
    for line in map(str.strip, lines):
        if not line:
            continue
        if not text:
            text = line
        elif text.endswith("\u00ad"):
            text = text[:-1] + line
        elif _goes_on(text, line):
            text += line
        elif text.endswith(_HYPHENS) and len(text) > 1 and text[-2].isalnum():
            text = _join_hyphen(text, line, vocabulary)
        else:
            text += f" {line}"
    return text


def _join_hyphen(text: str, line: str, vocabulary: frozenset[str]) -> str:
    head, tail = (_WORDS.findall(text[-60:-1]) or [""])[-1], (_WORDS.findall(line[:60]) or [""])[0]
    whole, compound = f"{head}{tail}".casefold(), f"{head}-{tail}".casefold()
    part = f"{head.rpartition('-')[2]}{tail}".casefold()
    broken = line[0].islower() and text[-2].isalpha()
    if (text[-2].islower() and line[0].isupper()) or not broken or (compound in vocabulary and whole not in vocabulary):
        return text + line
    if "-" in head and part not in vocabulary and len(tail) > 2:
        return text + line
    return text[:-1] + line


def _goes_on(text: str, line: str) -> bool:
    """Return True if a text ends in an address that `line` continues."""
    address = _ADDRESS_END.search(text[-520:])
    if address is None:
        return False
    first = line.split(maxsplit=1)[0]
    if not _ADDRESS_PART.match(first) or first.startswith(("(", "http")):
        return False
    last = text[-1]
    of_doi = _DOI_END.search(address[0]) and first[0].isdigit() and not _YEAR.fullmatch(first.rstrip(".,;)"))
    if last in "/_=?&#%-" or of_doi:
        return True
    if last == ".":
        return first[0].islower() or (first[0].isdigit() and "." in address[0][8:-1] and any(c in first for c in "/-_"))
    if last in ",;)]":
        return False
    has_sign = any(c in first.rstrip(".,;") for c in "/_=%") or (first[0] in "./?=&#-_%" and len(first) > 1)
    return (
        has_sign
        or (any(c.isdigit() for c in first) and any(c.isalpha() for c in first) and len(first) > 5)
        or _is_rest(address[0], first)
    )


def _is_rest(address: str, first: str) -> bool:
    """Return True for the digits that end a DOI or an arXiv number ("10.18653/v1/D17-" and "1168")."""
    bare = first.rstrip(".,;")
    if (number := _ARXIV_START.search(address)) and bare.isdigit():
        return len(number[2]) + len(bare) == (5 if number[1] >= "1501" else 4)
    return bare.isdigit() and len(bare) >= 4 and not 1800 <= int(bare) <= 2100 and "10." in address and "/" in address
