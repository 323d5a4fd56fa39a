"""Furniture: running heads, page numbers and line numbers in the margin, taken out of the lines of a document."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from plugins.audit.references.lines.text_line import TextLine

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
