"""The pages of a paper on which its entries stand, ready for the viewer: a box for each entry, by its verdict."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from indexing import BBox
from rag import Citation
from ui.web.viewer import CitedPage

if TYPE_CHECKING:
    from indexing import FilePages
    from plugins.audit.auditing import Audit, AuditedReference
    from plugins.audit.references import EntryPlace

MOST_PAGES = 200
"""The most pages with entries that are shown: 2,000 entries stand on sixty."""
_SKETCH_WIDTH = 160
_BADGE = 0.03
"""The room that a number takes to the left of its entry, as a share of the page's width."""


def sheets(drawer: FilePages, known_as: str, path: Path, audit: Audit) -> tuple[CitedPage, ...]:
    """Return the pages in their order. None for a bibliography that stands on no page. Raises FileError."""
    placed: dict[int, list[tuple[AuditedReference, EntryPlace]]] = {}
    for audited in audit.references:
        for place in audited.reference.places:
            if place.boxes:
                placed.setdefault(place.page, []).append((audited, place))
    if not placed:
        return ()
    total = drawer.count(path)
    return tuple(
        _sheet(drawer, known_as, path, audit.paper, page, placed[page], total)
        for page in sorted(placed)[:MOST_PAGES]
        if page <= total
    )


def _sheet(
    drawer: FilePages,
    known_as: str,
    path: Path,
    name: str,
    page: int,
    placed: list[tuple[AuditedReference, EntryPlace]],
    total: int,
) -> CitedPage:
    sketch = drawer.draw(path, page, _SKETCH_WIDTH)
    merged: dict[int, tuple[AuditedReference, tuple[BBox, ...]]] = {}
    for audited, place in placed:
        number = audited.reference.number
        before = merged[number][1] if number in merged else ()
        merged[number] = (audited, (*before, *place.boxes))
    items = [(number, _citation(audited, boxes, name, page)) for number, (audited, boxes) in merged.items()]
    return CitedPage(
        known_as,
        name,
        page,
        total,
        f"vouch/paper/{known_as}/{page}.webp",
        sketch.width,
        sketch.height,
        items,
        {number: (max(0.0, citation.boxes[0].x0 - _BADGE), citation.boxes[0].y0) for number, citation in items},
        {number: citation.quote for number, citation in items},
        kinds={number: audited.status for number, (audited, _) in merged.items()},
    )


def _citation(audited: AuditedReference, boxes: tuple[BBox, ...], name: str, page: int) -> Citation:
    """Return an entry in the form in which the viewer marks places."""
    cited = audited.reference
    known_as = f"entry {cited.number}"
    return Citation(known_as, known_as, "", name, page, "entry", boxes[0], boxes, cited.text)
