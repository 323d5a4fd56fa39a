"""The lines of a bibliography -> its entries, by labels, hanging indents, gaps, blocks or the words."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from plugins.audit.references.headings import STYLES, UNNAMED, LabelStyle, begins, ends, flaw_of, label_of
from plugins.audit.references.lines import TextLine

NEAR = 2.5
"""The points within which left edges are the same."""
LEAST, MOST = 4.0, 80.0
"""The least and the largest indent, in points."""
_ADDRESS_END = re.compile(r"(?:https?://|www\.|10\.\d{4,9}/)\S{1,500}$", re.IGNORECASE)
_ADDRESS_REST = re.compile(r"[-/_=&#%]\w")
"""The sign with which a line goes on that an address runs into: no entry begins so."""
Starts = list[int]
"""The indices of the lines with which entries begin."""


def first_lines_hang(lines: Sequence[TextLine]) -> list[int]:
    """Return the lines at the left edge of their columns where the others are indented; empty where none are.

    The first line of a list begins an entry: where it is an indented one, the list is set the other way round. A line
    beyond the indent begins one too if it begins with a year: a rule was drawn before it.
    """
    edges = _edges(lines)
    if lines[0].left > edges[lines[0].page, lines[0].column][0] + NEAR:
        return []
    starts = [
        i
        for i, line in enumerate(lines)
        if line.left < (indent := edges[line.page, line.column][1]) - NEAR
        or (line.left > indent + LEAST and UNNAMED.match(line.text) and ends(lines[i - 1].text))
    ]
    return sorted({0, *starts}) if len(starts) > 1 and any(b - a < MOST for a, b in edges.values()) else []


def first_lines_indented(lines: Sequence[TextLine]) -> list[int]:
    """Return the lines that are indented, the first among them, where the others stand at the left edge."""
    edges = _edges(lines)
    if lines[0].left <= edges[lines[0].page, lines[0].column][0] + LEAST:
        return []
    indices = [i for i, line in enumerate(lines) if line.left > edges[line.page, line.column][0] + LEAST]
    starts = [i for i in indices if lines[i].left < edges[lines[i].page, lines[i].column][0] + MOST]
    return sorted({0, *starts}) if len(starts) > 1 else []


def _edges(lines: Sequence[TextLine]) -> dict[tuple[int, int], tuple[float, float]]:
    """Return, for each column, the left edge and the indent of its lines.

    A column that has only one of the two takes the other from those whose edges are its own: it may hold nothing but
    the middle of one long entry. The indent is infinite where nothing tells it.
    """
    columns: dict[tuple[int, int], list[float]] = defaultdict(list)
    for line in lines:
        columns[line.page, line.column].append(line.left)
    pairs = {key: pair for key, lefts in columns.items() if (pair := _pair(lefts))}
    common = Counter((round(a / NEAR), round(b / NEAR)) for a, b in pairs.values())
    usual_pairs = [(a * NEAR, b * NEAR) for (a, b), _ in common.most_common()]
    result: dict[tuple[int, int], tuple[float, float]] = {}
    for key, lefts in columns.items():
        result[key] = pairs.get(key) or _usual_indents(lefts, usual_pairs)
    return result


def _pair(lefts: Sequence[float]) -> tuple[float, float] | None:
    """Return the two edges at which most lines of a column begin, if they are an indent apart."""
    groups: list[list[float]] = []
    for left in sorted(lefts):
        if groups and left - groups[-1][-1] <= NEAR:
            groups[-1].append(left)
        else:
            groups.append([left])
    large = sorted(sorted(groups, key=len, reverse=True)[:2])
    if len(large) < 2:
        return None
    edge, indent = (sum(group) / len(group) for group in large)
    enough = len(large[0]) + len(large[1]) >= 0.6 * len(lefts)
    return (edge, indent) if enough and LEAST <= indent - edge <= MOST else None


def _usual_indents(lefts: Sequence[float], usual_pairs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    usual = Counter(round(left) for left in lefts).most_common(1)[0][0]
    for edge, indent in usual_pairs:
        if abs(usual - edge) <= 2 * NEAR or abs(usual - indent) <= 2 * NEAR:
            return edge, indent
    if usual_pairs:  # a margin of its own, as on left and right pages: the leftmost line tells it
        return min(lefts), min(lefts) + usual_pairs[0][1] - usual_pairs[0][0]
    return min(lefts), float("inf")


def entry_lines(lines: Sequence[TextLine]) -> list[tuple[str, list[TextLine]]]:
    """Return each entry's label and lines. What stands before the first label of a labelled list is left out.

    The ways of telling entries apart are all tried, and the one is taken whose entries look most like entries.
    """
    if not lines:
        return []
    label_ways = [(style, starts) for style in STYLES if len(starts := _label_starts(lines, style)) > 1]
    label_ways.sort(key=lambda pair: -len(pair[1]))
    if label_ways and _is_whole(lines, label_ways[0][1]):
        return _split(lines, label_ways[0][1], label_ways[0][0])
    ways: list[tuple[float, Starts, LabelStyle | None]] = []
    for style, starts in label_ways:
        ways.append((_score(lines, starts) + 0.15, starts, style))
    for bonus, way in WAYS:
        if starts := way(lines):
            ways.append((_score(lines, starts) + bonus, starts, None))
    _, best, label_style = max(ways, key=lambda pair: pair[0])
    return _split(lines, best, label_style)


def _split(lines: Sequence[TextLine], starts: Starts, style: LabelStyle | None) -> list[tuple[str, list[TextLine]]]:
    entries: list[tuple[str, list[TextLine]]] = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        own = list(lines[start:end])
        if entries and _ADDRESS_END.search(lines[start - 1].text) and _ADDRESS_REST.match(own[0].text):
            entries[-1][1].extend(own)
            continue
        label = own[0].label or (label_of(own[0], style) if style else "")
        entries.append((label, own))
    return entries


def _label_starts(lines: Sequence[TextLine], style: LabelStyle) -> Starts:
    """Return the lines whose labels of a style count up; of labels with letters, all that begin a line.

    They count from 1, or from the number of the first line: a chapter's list may go on with the one before.
    """
    numbers = [(i, number) for i, line in enumerate(lines) if (number := style.number(line)) is not None]
    if not style.counts:
        return [i for i, _ in numbers]
    where: dict[int, list[int]] = defaultdict(list)
    for i, number in numbers:
        where[number].append(i)
    starts: Starts = []
    last = 0
    for i, number in numbers:
        first = not starts and (number == 1 or (i == 0 and _follows(where, number + 1, i)))
        again = bool(starts) and number == 1 and last > 2 and _follows(where, 2, i)
        next_one = bool(starts) and (
            number == last + 1 or (last < number <= last + 3 and not _follows(where, last + 1, i))
        )
        if first or next_one or again:
            starts.append(i)
            last = number
    return starts


def _follows(where: dict[int, list[int]], number: int, after: int) -> bool:
    places = where.get(number, [])
    return bisect_right(places, after) < len(places)


def _is_whole(lines: Sequence[TextLine], starts: Starts) -> bool:
    """Return True if labels tell the entries without doubt: from the top on, and no stretch as long as five others."""
    lengths = [b - a for a, b in zip(starts, [*starts[1:], len(lines)], strict=True)]
    usual = sorted(lengths)[len(lengths) // 2]
    return len(starts) > 2 and starts[0] <= 3 and max(lengths) <= max(30, 8 * usual) and usual <= 15


def by_blocks(lines: Sequence[TextLine]) -> Starts:
    """Return the starts of the blocks that the format itself tells: paragraphs, items, empty lines."""
    starts = [i for i, line in enumerate(lines) if line.new_block]
    return sorted({0, *starts}) if len(starts) > 1 else []


def by_gaps(lines: Sequence[TextLine]) -> Starts:
    """Return the lines above which there is more white than between others; the words decide at the top of columns."""
    steps = [
        b.top - a.top
        for a, b in itertools.pairwise(lines)
        if (a.page, a.column) == (b.page, b.column) and b.top > a.top
    ]  # fmt: skip
    if len(steps) < 3:
        return []
    usual = sorted(steps)[len(steps) // 4]
    starts = [0]
    for i, (above, line) in enumerate(itertools.pairwise(lines), 1):
        if (above.page, above.column) == (line.page, line.column):
            wide = line.top - above.top > 1.22 * usual
            if wide:
                starts.append(i)
        elif begins(line.text) and ends(above.text):
            starts.append(i)
    return starts if len(starts) > 1 else []


def by_words(lines: Sequence[TextLine]) -> Starts:
    """Return the lines that begin like an entry after one that ends like one."""
    starts = [0]
    for i, (above, line) in enumerate(itertools.pairwise(lines), 1):
        if begins(line.text) and ends(above.text):
            starts.append(i)
    return starts


def by_lines(lines: Sequence[TextLine]) -> Starts:
    """Return every line: a pasted list with one entry a line."""
    return list(range(len(lines)))


WAYS: tuple[tuple[float, Callable[[Sequence[TextLine]], Starts]], ...] = (
    (0.35, first_lines_hang),
    (0.1, by_blocks),
    (0.06, by_gaps),
    (0.25, first_lines_indented),
    (0.0, by_words),
    (-0.05, by_lines),
)
"""The ways of telling entries apart without labels, and how far each is trusted beyond the look of its entries."""


def _score(lines: Sequence[TextLine], starts: Starts) -> float:
    """Return how much the entries look like entries: 1 where each has a year, begins and ends like one and is whole."""
    bounds = list(zip(starts, [*starts[1:], len(lines)], strict=True))
    lengths = Counter(end - start for start, end in bounds)
    usual = max(1, sorted(lengths.elements())[len(bounds) // 2])
    flaws = 0.0
    for start, end in bounds:
        flaws += flaw_of([line.text for line in lines[start:end]], usual)
    return 1.0 - flaws / len(bounds)
