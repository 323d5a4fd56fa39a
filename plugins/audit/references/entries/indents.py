"""Indents: the left edges of a column's lines, and which of them begin an entry."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from plugins.audit.references.lines import TextLine

NEAR = 2.5
"""The points within which left edges are the same."""
LEAST, MOST = 4.0, 80.0
"""The least and the largest indent, in points."""


def first_lines_hang(lines: Sequence[TextLine]) -> list[int]:
    """Return the lines at the left edge of their columns where the others are indented; empty where none are.

    The first line of a list begins an entry: where it is an indented one, the list is set the other way round.
    """
    edges = _edges(lines)
    if lines[0].left > edges[lines[0].page, lines[0].column][0] + NEAR:
        return []
    starts = [i for i, line in enumerate(lines) if line.left < edges[line.page, line.column][1] - NEAR]
    return sorted({0, *starts}) if len(starts) > 1 and any(b - a < MOST for a, b in edges.values()) else []


def first_lines_indented(lines: Sequence[TextLine]) -> list[int]:
    """Return the lines that are indented, the first among them, where the others stand at the left edge."""
    edges = _edges(lines)
    if lines[0].left <= edges[lines[0].page, lines[0].column][0] + LEAST:
        return []
    found = [i for i, line in enumerate(lines) if line.left > edges[line.page, line.column][0] + LEAST]
    starts = [i for i in found if lines[i].left < edges[lines[i].page, lines[i].column][0] + MOST]
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
    known = [(a * NEAR, b * NEAR) for (a, b), _ in common.most_common()]
    found: dict[tuple[int, int], tuple[float, float]] = {}
    for key, lefts in columns.items():
        found[key] = pairs.get(key) or _borrowed(lefts, known)
    return found


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


def _borrowed(lefts: Sequence[float], known: Sequence[tuple[float, float]]) -> tuple[float, float]:
    usual = Counter(round(left) for left in lefts).most_common(1)[0][0]
    for edge, indent in known:
        if abs(usual - edge) <= 2 * NEAR or abs(usual - indent) <= 2 * NEAR:
            return edge, indent
    if known:  # a margin of its own, as on left and right pages: the leftmost line tells it
        return min(lefts), min(lefts) + known[0][1] - known[0][0]
    return min(lefts), float("inf")
