"""The slices of a long page: where it is cut, so that each part is a page, and no line or picture is cut in two."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import zip_longest

from plugins.formats.web.page_data import WebBlock, WebPage

LEAST = 0.6
"""The share of the height of a slice that it has at least, where a better cut is looked for."""
MARGIN = 24.0
"""The CSS pixels that are kept above and below what is on the page."""
Slice = tuple[int, int]
"""The top and the bottom of a slice, in CSS pixels from the top of the document."""
_Span = tuple[float, float]


def slices_of(page: WebPage, tall: int, most: int, kept: int = 0) -> list[Slice]:
    """Return the slices of a page, at most `most` of at most `tall` CSS pixels; stretches of nothing are left out.

    Nothing below `kept` CSS pixels is taken, if that is not 0.

    A cut goes between blocks where it can, else between lines, rows and pictures; no heading is left alone at a bottom.
    """
    blocks = _joined([_kept_together(*pair) for pair in zip_longest(page.blocks, page.blocks[1:])])
    lines = _joined([span for block in page.blocks for span in _lines(block)])
    end = full = max((bottom for _, bottom in blocks), default=0.0)
    if kept:
        end = min(full, kept)
    ends = [bottom for _, bottom in lines]
    found: list[Slice] = []
    top = 0
    while top < end and len(found) < most:
        following = bisect_right(ends, top)
        if following == len(lines):
            break
        if lines[following][0] > top + tall:  # nothing is on it
            top = int(lines[following][0] - MARGIN)
            continue
        last = bool(kept) and top + tall >= kept
        room = kept - top if last else tall
        bottom = _cut(top, room, blocks, lines)
        if full <= top + room - MARGIN:
            bottom = int(min(full + MARGIN, page.height))
        found.append((top, max(bottom, top + 1)))
        if last:
            break
        top = found[-1][1]
    return found


def _cut(top: int, tall: int, blocks: Sequence[_Span], lines: Sequence[_Span]) -> int:
    """Return the lowest place for a cut below `top`: between blocks, else lines, else where the slice is full."""
    lowest, least = top + tall, top + int(LEAST * tall)
    for spans in (blocks, lines):
        over = bisect_left(spans, (lowest, 0.0)) - 1  # the last that begins above: spans do not overlap
        at: float = lowest
        if over >= 0 and spans[over][1] > lowest:  # in the middle of the gap above what does not fit
            at = (spans[over][0] + (spans[over - 1][1] if over else spans[over][0])) / 2
        if at > least:
            return int(at)
    return lowest


def _kept_together(block: WebBlock, after: WebBlock | None) -> _Span:
    """Return where a block stands: a heading with the first line of what follows it, a picture with its caption."""
    _, top, _, bottom = block.place
    if after is None or after.place[1] < bottom - 1:
        return top, bottom
    if block.kind == "heading":
        return top, after.place[1] + min(60.0, after.place[3] - after.place[1])
    together = block.figure >= 0 and block.figure == after.figure
    return top, after.place[3] if together else bottom


def _lines(block: WebBlock) -> list[_Span]:
    """Return what no cut should go through: the lines of a text, the rows of a table, a picture."""
    places = [word.place for word in block.all_words] + [cell.place for cell in block.cells if cell.row_span == 1]
    return [(place[1], place[3]) for place in ([block.place] if block.kind == "picture" else places)]


def _joined(spans: list[_Span]) -> list[_Span]:
    """Return spans from the top, those that overlap made one."""
    joined: list[_Span] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1] - 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined
