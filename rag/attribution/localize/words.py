"""A sentence and its proof -> tight boxes inside the element: lines of text, or cells of a table with their headers.

The spans come from checking (`rag.attribution.rules`); without any, the sentence is aligned here. Where the boxes
would hold too little of the sentence there are none: the element's own box is then all there is to show.
"""

from __future__ import annotations

from collections.abc import Sequence

from indexing import BBox, Cell, Element
from indexing.language import NUMBER_WEIGHT, agree, look_alike, tokens
from rag.attribution.words import Claims, best_quote, claims_of, grid_of, rank
from rag.types import Located
from rag.usage import NO_USAGE

CONFIDENT = 0.35
"""The least share of the sentence (by weight: numbers 3, names 2, words 1) that boxes must hold to be shown."""
BRIDGE = 60
"""The most characters between two matching pieces of a passage that are boxed with them."""

Span = tuple[int, int]


def boxes_of(element: Element, start: int, end: int) -> tuple[BBox, ...]:
    """Return boxes, in fractions of the page, around the words of `element.text[start:end]`; () if none has a box."""
    return element.words.line_boxes(start, end)


class WordLocalizer:
    """The localizer that aligns words: it needs no model, and costs nothing."""

    usage = NO_USAGE
    notes: tuple[str, ...] = ()

    def __call__(self, sentence: str, element: Element, spans: Sequence[Span] = ()) -> Located:
        """Return the boxes of a proof, as `localize` does."""
        return localize(sentence, element, spans)


BY_WORDS = WordLocalizer()
"""The localizer that is used where no other is named."""


def localize(sentence: str, element: Element, spans: Sequence[Span] = ()) -> Located:
    """Return the boxes of a proof. `spans` are (start, end) in the element's text; parts outside it are ignored."""
    size = len(element.text)
    proof = [(max(a, 0), min(b, size)) for a, b in spans if max(a, 0) < min(b, size)]
    claims = claims_of(sentence)
    if not proof:
        proof = _align(claims, element.text, noisy=element.source == "ocr")
    if element.cells:
        return _locate_cells(claims, element, proof)
    proof = _bridge_gaps(element.text, proof)
    share = _share(claims, [element.text[a:b] for a, b in proof], noisy=element.source == "ocr")
    boxes = element.words.boxes_of(proof) if share >= CONFIDENT else ()
    return Located(element.id, element.page, boxes, (), share)


def _align(claims: Claims, text: str, *, noisy: bool) -> list[Span]:
    """Return spans of the text that match the sentence: a verbatim quote, else the words of the best passage."""
    place = best_quote(text, claims.text)
    if place is not None:
        return [place]
    text_claims = claims_of(text)
    passages = rank(claims.tokens, text)[:8]
    if not passages:
        return []
    numbers_asked = claims.numbers

    def numbers(start: int, end: int) -> list[Span]:
        inside = text_claims.claims_between(start, end).quantities
        return [(q.start, q.end) for q in inside if any(agree(a, q) for a in numbers_asked)]

    best = max(passages, key=lambda p: p.score + NUMBER_WEIGHT * len(numbers(p.start, p.end)))
    spans = [(t.start, t.end) for t in best.tokens] + numbers(best.start, best.end)
    if noisy:
        keys = {look_alike(t.key) for t in claims.tokens if not t.stop}
        spans += [(t.start, t.end) for t in tokens(text) if look_alike(t.key) in keys]
    return sorted(set(spans))


def _bridge_gaps(text: str, spans: Sequence[Span]) -> list[Span]:
    """Join spans with at most BRIDGE characters of the same line between them, to box lines, not scattered words."""
    result: list[Span] = []
    for start, end in sorted(spans):
        if result and start - result[-1][1] <= BRIDGE and "\n" not in text[result[-1][1] : start]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


def _share(claims: Claims, pieces: Sequence[str], *, noisy: bool) -> float:
    """Return the share, 0 to 1, of the weight of the sentence's words and numbers that the pieces have."""
    if not claims.weight:
        return 1.0 if any(best_quote(piece, claims.text) for piece in pieces) else 0.0
    there = [claims_of(piece) for piece in pieces]
    stems = {t.stem for c in there for t in c.tokens}
    alike = {look_alike(t.key) for c in there for t in c.tokens} if noisy else set()
    weight = sum(t.weight for t in claims.words if t.stem in stems or look_alike(t.key) in alike)
    for number in claims.numbers:
        agrees = any(agree(number, q) for c in there for q in c.quantities)
        look_alikes = {look_alike(t.key) for t in claims.tokens if number.start <= t.start < number.end}
        weight += NUMBER_WEIGHT if agrees or (noisy and look_alikes <= alike) else 0.0
    return weight / claims.weight


def _locate_cells(claims: Claims, element: Element, proof: Sequence[Span]) -> Located:
    """Return the boxes of the cells of the proof; their column headers and row labels are the context."""
    grid = grid_of(element)
    slots = {(s.start, s.end): s for s in (*grid.body, *grid.head)}
    by_span = {(c.start, c.end): c for c in element.cells}
    cells_hit = [c for c in element.cells if any(a < c.end and b > c.start for a, b in proof)]
    row = any(sum(a < c.end and b > c.start for c in cells_hit) > 1 for a, b in proof)
    values = [c for c in cells_hit if not c.header and not grid.is_label(slots[c.start, c.end])]
    cells_shown = cells_hit if row or not values else values
    names = [n for c in cells_shown for n in grid.names_of(slots[c.start, c.end])]
    context = [by_span[n.start, n.end] for n in dict.fromkeys(names)]
    texts = [element.text[c.start : c.end] for c in (*cells_hit, *context)]
    share = _cell_share(claims, element, texts)
    if share < CONFIDENT or not cells_shown:
        return Located(element.id, element.page, (), (), share)
    around = tuple(c.bbox for c in context if c not in cells_shown)
    return Located(element.id, element.page, tuple(c.bbox for c in _in_order(cells_shown)), around, share)


def _cell_share(claims: Claims, element: Element, texts: Sequence[str]) -> float:
    """Return `_share` of the cells' texts, at least CONFIDENT if one has a digit: it may match in the table's scale."""
    share = _share(claims, [*texts, element.caption, *element.section[-2:]], noisy=element.source == "ocr")
    return max(share, CONFIDENT) if texts and any(c.isdigit() for piece in texts for c in piece) else share


def _in_order(cells: Sequence[Cell]) -> list[Cell]:
    return sorted(cells, key=lambda c: (c.row, c.col))
