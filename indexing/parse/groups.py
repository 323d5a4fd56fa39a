"""Elements of a page -> captions tied to their figures, and groups: unions that people mark, and cite, as one.

A layout model splits finer than people do: it parts a chart from its title and source line, a list into its items, a
heading from its paragraph, a slide into its lines. A group offers the union beside the parts. Its box is exact like any
other, since it is made of exact boxes. It joins them by three rules about documents:

1. a figure or table belongs to its caption, its unit, the title above it and the source and notes below it;
2. the items of a list belong together, and to the line that introduces them; what follows a heading belongs to it;
3. white space parts what is not together, the widest first (the recursive XY-cut of Nagy and Seth, 1984).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from indexing.parse.headings import states_unit
from indexing.types import BBox, Element

REACH = 0.05
"""The distance, as a share of the page, beyond which a caption, title or note does not belong to a figure."""
SAME = 0.9
"""The IoU with an element or another group above which a group offers nothing new."""
EQUAL_GAPS = 0.002
"""The difference (a tenth of a line) below which two gaps count as equal, and both split a block."""
CROSSING = 0.01
"""The overlap up to which boxes that reach into one another can still be cut apart."""

_FIGURES = ("table", "picture")
_LABEL = re.compile(
    r"(?P<table>tabelle|tableau|table|tab\.|tabla|tabella|tabela|quadro|cuadro)"
    r"|fig(?:ure|ura|\.)?|abb(?:ildung|\.)|chart|graph(?:ique)?|gr[aá]fico|exhibit|diagram|schem[ae]|illustration|map"
    r"|plate|image|photo|box|panel",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\s*(?:[A-Z]?\d+(?:[.\-–]\d+)*[a-z]?|[IVXL]+\b|[A-Z]\b)\s*(?P<stop>[.:|)–—-]?)\s*")
_NOTE = re.compile(
    r"(?:sources?|notes?|quellen?|anmerkung(?:en)?|fuentes?|notas?|fontes?|remarques?)\s*[:.]", re.IGNORECASE
)

Boxes = NDArray[np.float64]
Members = tuple[int, ...]


def with_groups(elements: Sequence[Element]) -> tuple[Element, ...]:
    """Return the elements of a page in order, captions tied to figures, then groups, at most as many as elements."""
    leaves = [e for e in elements if e.kind != "group"]
    if len(leaves) < 2:
        return tuple(leaves)
    boxes = np.array([e.bbox.as_tuple() for e in leaves])
    ties = _captions(leaves, boxes)
    tied = _attach_captions(leaves, ties)
    unions = chain(_figures(tied, boxes, ties), _lists(tied, boxes), _sections(tied), _blocks(tied, boxes))
    return (*tied, *_groups(tied, boxes, unions))


def with_groups_apart(sides: Sequence[Sequence[Element]]) -> tuple[Element, ...]:
    """Return the elements of facing pages as `with_groups` does, then all groups, none of which joins the pages."""
    every = [element for side in sides for element in with_groups(side)]
    groups = [e for e in every if e.kind == "group"]
    numbered_groups = (replace(g, id=f"{g.doc_id}-{g.page}-g{n}") for n, g in enumerate(groups, 1))
    return (*(e for e in every if e.kind != "group"), *numbered_groups)


def _groups(elements: Sequence[Element], boxes: Boxes, unions: Iterator[Members]) -> Iterator[Element]:
    """Yield a group for each of `unions` (indices of members) whose box differs from all elements and groups before."""
    first, member_boxes, count = elements[0], np.zeros((2 * len(boxes), 4)), 0
    member_boxes[: len(boxes)] = boxes
    for members in unions:
        if len(members) < 2 or count == len(boxes):
            continue
        box = _bounding_boxes(boxes[list(members)])
        if (_iou(member_boxes[: len(boxes) + count], box) > SAME).any():
            continue
        member_boxes[len(boxes) + count] = box
        count += 1
        parts = [elements[i] for i in members]
        yield Element(
            id=f"{first.doc_id}-{first.page}-g{count}",
            doc_id=first.doc_id,
            page=first.page,
            kind="group",
            text="\n".join(part.text for part in parts if part.text),
            bbox=BBox.union(part.bbox for part in parts),
            source=parts[0].source,
            section=parts[0].section,
            parts=tuple(part.id for part in parts),
        )


# ---------------------------------------------------------------------------------------------- captions and figures


def _caption_kind(text: str) -> str | None:
    """Return the kind that a caption names, "table" or "picture"; None when `text` does not start like a caption.

    "Figure 3 shows" starts a paragraph, "Figure 3 Sales" and "Figure 3." start a caption.
    """
    word = _LABEL.match(text)
    number = _NUMBER.match(text, word.end()) if word else None
    if word is None or number is None:
        return None
    rest = text[number.end() :]
    if rest and not number["stop"] and rest[0].islower():
        return None
    return "table" if word["table"] else "picture"


def _captions(elements: Sequence[Element], boxes: Boxes) -> dict[int, int]:
    """Map each caption to its figure, by index: the nearest, of the kind that the caption names if one is near."""
    figures = [i for i, e in enumerate(elements) if e.kind in _FIGURES]
    ties: dict[int, int] = {}
    for i, element in enumerate(elements):
        kind = "table" if states_unit(element.text) else _caption_kind(element.text)
        if element.kind != "caption" and (kind is None or element.kind not in ("text", "heading", "footnote")):
            continue
        near = [
            (kind is not None and elements[f].kind != kind, _distance(boxes[i], boxes[f]), f)
            for f in figures
            if _distance(boxes[i], boxes[f]) <= REACH and _faces(boxes[i], boxes[f])
        ]
        if near:
            ties[i] = min(near)[2]
    return ties


def _attach_captions(elements: Sequence[Element], ties: dict[int, int]) -> list[Element]:
    """Return the elements, those in `ties` as captions, and each figure with the text of its captions."""
    texts: dict[int, list[str]] = {}
    for caption, figure in ties.items():
        texts.setdefault(figure, []).append(elements[caption].text)
    return [
        replace(e, kind="caption") if i in ties else replace(e, caption=" ".join(texts[i])) if i in texts else e
        for i, e in enumerate(elements)
    ]


def _figures(elements: Sequence[Element], boxes: Boxes, ties: dict[int, int]) -> Iterator[Members]:
    """Yield the indices of each figure with its captions; then also with the title above and the notes below it."""
    for f, figure in enumerate(elements):
        if figure.kind not in _FIGURES:
            continue
        members = {f, *(caption for caption, tied in ties.items() if tied == f)}
        yield tuple(sorted(members))
        for i in sorted(range(len(elements)), key=lambda i: _distance(boxes[i], boxes[f])):
            union, box = _bounding_boxes(boxes[sorted(members)]), boxes[i]
            if i in members or i in ties or not _faces(box, union) or _distance(box, union) > REACH:
                continue
            title = elements[i].kind == "heading" and box[3] <= union[1] + CROSSING and i < f
            note = _NOTE.match(elements[i].text) and box[1] >= union[3] - CROSSING and elements[i].kind not in _FIGURES
            if title or note:
                members.add(i)
        yield tuple(sorted(members))


# ------------------------------------------------------------------------------------------------ lists and sections


def _lists(elements: Sequence[Element], boxes: Boxes) -> Iterator[Members]:
    """Yield the indices of each run of list items that go down the page; then also with the text right above it."""
    runs: list[list[int]] = []
    for i, element in enumerate(elements):
        if element.kind != "list":
            continue
        if runs and runs[-1][-1] == i - 1 and boxes[i][1] >= boxes[i - 1][1]:
            runs[-1].append(i)
        else:
            runs.append([i])
    for run in runs:
        yield tuple(run)
        above = run[0] - 1
        if (
            above >= 0
            and elements[above].kind in ("text", "heading")
            and _distance(boxes[above], boxes[run[0]]) <= REACH
        ):
            yield (above, *run)


def _sections(elements: Sequence[Element]) -> Iterator[Members]:
    """Yield the indices of each heading and of the elements up to the next one, without page headers and footers."""
    section: list[int] = []
    for i, element in enumerate(elements):
        if element.kind == "heading":
            yield tuple(section)
            section = [i]
        elif section and element.kind not in ("header", "footer"):
            section.append(i)
    yield tuple(section)


# ----------------------------------------------------------------------------------------------- blocks of white space


def _blocks(elements: Sequence[Element], boxes: Boxes) -> Iterator[Members]:
    """Yield the indices of every block of the page's XY-cut tree, the page itself first.

    Pictures that others lie on are the background: they would join blocks that white space separates.
    """
    ground = {i for i, e in enumerate(elements) if e.kind == "picture" and (_coverage(boxes, boxes[i]) > 0.5).sum() > 2}
    blocks = [np.array([i for i in range(len(elements)) if i not in ground], int)]
    while blocks:
        block = blocks.pop(0)
        if len(block) < 2:
            continue
        yield tuple(sorted(block.tolist()))
        blocks += [block[piece] for piece in _split_at_gaps(boxes[block])]


def _split_at_gaps(boxes: Boxes) -> list[NDArray[np.int64]]:
    """Return the indices of boxes, split at the widest gap in x or y and those as wide; empty if all boxes overlap."""
    best, pieces = -CROSSING, []
    for axis in (0, 1):
        order = np.argsort(boxes[:, axis], kind="stable")
        ends = np.maximum.accumulate(boxes[order, axis + 2])
        gaps = boxes[order[1:], axis] - ends[:-1]
        if gaps.max() > best:
            best = float(gaps.max())
            pieces = np.split(order, np.flatnonzero(gaps >= best - EQUAL_GAPS) + 1)
    return pieces


# ---------------------------------------------------------------------------------------------------------- geometry


def _bounding_boxes(boxes: Boxes) -> Boxes:
    return np.concatenate([boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)])


def _areas(boxes: Boxes) -> Boxes:
    areas: Boxes = np.maximum(boxes[..., 2:] - boxes[..., :2], 0.0).prod(axis=-1)
    return areas


def _overlap(boxes: Boxes, box: Boxes) -> Boxes:
    """Return the area that each of `boxes` (n, 4) shares with `box` (4,)."""
    return _areas(np.hstack([np.maximum(boxes[:, :2], box[:2]), np.minimum(boxes[:, 2:], box[2:])]))


def _coverage(boxes: Boxes, box: Boxes) -> Boxes:
    """Return the share of each of `boxes` that `box` covers."""
    return np.asarray(_overlap(boxes, box) / _areas(boxes), np.float64)


def _iou(boxes: Boxes, box: Boxes) -> Boxes:
    both = _overlap(boxes, box)
    return np.asarray(both / (_areas(boxes) + _areas(box) - both), np.float64)


def _distance(one: Boxes, other: Boxes) -> float:
    """Return the gap between two boxes, 0 where they touch, as a share of the page."""
    apart = np.maximum(np.maximum(one[:2] - other[2:], other[:2] - one[2:]), 0.0)
    return float(np.hypot(*apart))


def _faces(one: Boxes, other: Boxes) -> bool:
    """Return True if two boxes overlap in x or in y by at least half of the shorter side."""
    shared = np.minimum(one[2:], other[2:]) - np.maximum(one[:2], other[:2])
    return bool((shared >= 0.5 * np.minimum(one[2:] - one[:2], other[2:] - other[:2])).any())
