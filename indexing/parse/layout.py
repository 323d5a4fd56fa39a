"""A page -> elements with boxes: PyMuPDF's layout model on the text layer, or on recognised text where there is none.

The layout model sees nothing on a page without text, so a page image is laid out as its shadow
(`indexing.parse.scan.ocr_layer`), which carries the recognised words.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import pymupdf
import pymupdf.layout  # registers the layout model with pymupdf

from configs import embeds_pages
from indexing.parse.document import page_label
from indexing.parse.font_maps import is_disguised, with_bullets
from indexing.parse.groups import with_groups_apart
from indexing.parse.headings import may_be_heading, with_true_headings
from indexing.parse.orientation import PAGE, Frame, text_frame
from indexing.parse.print_verification import name_ligatures, seen_regions
from indexing.parse.scan import (
    LINE,
    Box4,
    Word,
    bounding_box,
    by_line,
    facing_pages,
    is_blank,
    is_decoration,
    merged_figures,
    ocr_layer_of,
    raster_images,
    read_page,
    read_upright,
    regions_of,
    share,
    visual_regions,
    whole_image,
)
from indexing.parse.tables import LayoutGrid, table_text
from indexing.parse.text import count_unusable, has_little_text, running_text, spellings
from indexing.parse.text_layer import WORD_FLAGS, layer_words, visible, with_struck_marked
from indexing.settings import IndexingSettings
from indexing.types import BBox, Cell, Element, Kind, Page, ParsedPage, Region, Source, Words

logging.getLogger("pymupdf").setLevel(logging.ERROR)

KINDS: dict[str, Kind] = {
    "text": "text",
    "title": "heading",
    "section-header": "heading",
    "list-item": "list",
    "table": "table",
    "picture": "picture",
    "caption": "caption",
    "formula": "formula",
    "footnote": "footnote",
    "page-header": "header",
    "page-footer": "footer",
}
"""The layout model's labels and ours."""

MIN_PICTURE = 0.012
"""The share of the page below which pictures are not read and, if the model missed them, not made elements."""
MAX_PICTURE, FEW_WORDS = 0.9, 5
"""The share of a page with more words than that above which an image is the page itself; others are read by OCR."""
MAX_PICTURES = 12
SAME = 0.5
"""The overlap from which two elements that say the same are one."""
HEAVY_BYTES = 2_000_000
"""The most bytes of drawing instructions; a page with more is laid out from its image, as maps take minutes."""

Group = dict[str, Any]
"""A group that the layout model found: label, box, text pieces, grid."""


@dataclass(frozen=True, slots=True)
class _Content:
    """The content of a page, in points of its upright frame; `drawn` are the regions that only its pixels show."""

    frame: Frame
    words: list[Word]
    regions: list[Group]
    source: Source
    picture_words: list[Word]
    pictures: list[Box4]
    drawn: list[Box4]
    hidden: int = 0


def parse_page(page: pymupdf.Page, doc_id: str, settings: IndexingSettings, caption: str | None = None) -> ParsedPage:
    """Return the elements of a page in reading order, then its groups.

    The page of an image file, which has a `caption`, begins with the picture as an element, even if OCR reads nothing
    on it. Sections come later (`indexing.parse.sections`).
    """
    record = Page(doc_id, page.number + 1, page.rect.width, page.rect.height, page.rotation, page_label(page))
    image = page_png(page, settings.page_pixels) if embeds_pages(settings.visual) else b""
    contents = _read_scan(page, settings) if needs_ocr(page, settings) else [_read_layer(page, settings)]
    elements = with_groups_apart(_elements(contents, record))
    page.set_rotation(record.rotation)  # text_frame removes it, and boxes refer to the upright page
    regions = _ocr_regions(page, contents, elements, settings)
    if caption is not None:
        elements = (whole_image(record, caption), *(e for e in elements if e.text or e.bbox != PAGE))
    return ParsedPage(record, elements, regions, image, sum(content.hidden for content in contents))


def _elements(contents: Sequence[_Content], record: Page) -> list[list[Element]]:
    """Return the elements of a page, or of each of the facing pages on it, numbered through.

    Headers and footers become text where the page has no other text.
    """
    sides = [_drafts(content) for content in contents]
    if not any(d.text for drafts in sides for d in drafts if d.kind not in ("header", "footer")):
        sides = [[replace(d, kind="text") if d.text else d for d in drafts] for drafts in sides]
    doc_id, page, numbers = record.doc_id, record.number, count(1)
    return [
        [
            Element(f"{doc_id}-{page}-{next(numbers)}", doc_id, page, d.kind, d.text, d.bbox, content.source,
                    words=d.words, cells=d.cells)
            for d in drafts
        ]
        for content, drafts in zip(contents, sides, strict=True)
    ]  # fmt: skip


def _ocr_regions(
    page: pymupdf.Page, contents: Sequence[_Content], elements: Sequence[Element], settings: IndexingSettings
) -> tuple[Region, ...]:
    """Return the paragraphs that OCR reads on a page, or read before only; none unless `visual` is "ocr_regions"."""
    if settings.visual != "ocr_regions":
        return ()
    if settings.reads_pages:
        return seen_regions(page, elements, settings.ocr_pixels)
    return tuple(
        region
        for content in contents
        for region in regions_of(content.words if content.source == "ocr" else content.picture_words, content.frame.box)
    )


def needs_ocr(page: pymupdf.Page, settings: IndexingSettings) -> bool:
    """Return True if OCR has to read the page: as the settings say, or because it has no usable text layer."""
    if settings.ocr != "auto":
        return settings.ocr == "always"
    text = "".join(page.get_text(flags=WORD_FLAGS).split())
    return has_little_text(text) and (count_unusable(text) > 0 or not _text_alone(page))


def _text_alone(page: pymupdf.Page) -> bool:
    """Return True if a page shows no picture, drawing, note or form, but at most its text layer."""
    if page.first_annot or page.first_widget:
        return False
    return all(kind in ("fill-text", "stroke-text") for kind, _ in page.get_bboxlog())


def _read_layer(page: pymupdf.Page, settings: IndexingSettings) -> _Content:
    """Return the visible part of the text layer, and the layout; pictures without words are read by OCR."""
    rotation = page.rotation
    heavy = len(page.read_contents()) > HEAVY_BYTES
    name_ligatures(page)
    frame = text_frame(page)
    words, hidden = visible(frame.page, with_bullets(frame.page, layer_words(frame.page)))
    little = hidden and has_little_text("".join(w.text for w in words))
    if settings.ocr == "auto" and (little or is_disguised(frame.page, words)):
        page.set_rotation(rotation)
        ocr_words = read_page(page, settings.ocr_pixels)
        if ocr_words:
            return replace(_read_image(page, settings, ocr_words), hidden=hidden)
        frame = text_frame(page)
    words = with_struck_marked(frame.page, words)
    if heavy:
        frame = ocr_layer_of(frame.page, words, frame.turns)
    pictures = [] if heavy else raster_images(frame.page, MIN_PICTURE, MAX_PICTURE if len(words) > FEW_WORDS else 1)
    wordless = [p for p in pictures if sum(w.within(p) for w in words) <= FEW_WORDS][:MAX_PICTURES]
    picture_words: list[Word] = []
    if settings.ocr == "auto":
        for number, box in enumerate(wordless):
            ocr_words = read_page(frame.page, settings.ocr_pixels, pymupdf.Rect(box))
            picture_words += [Word(w.x0, w.y0, w.x1, w.y1, w.text, -1 - 1000 * number - w.line) for w in ocr_words]
    drawings = _drawn_regions(frame.page, words, frames=False)
    regions = _regions(frame.page)
    if not heavy:
        regions = with_true_headings(frame.page, regions)
    return _Content(frame, words, regions, "layer", picture_words, pictures, drawings, hidden)


def _read_scan(page: pymupdf.Page, settings: IndexingSettings) -> list[_Content]:
    """Return the content of a page as OCR reads it; of each of two facing pages by itself, in reading order."""
    sides, turns = facing_pages(page, settings.ocr_pixels), 0
    if not sides:
        content = _read_image(page, settings)
        turns = content.frame.turns
        if content.source == "ocr" and turns % 2:  # the page lay on its side
            sides = facing_pages(page, settings.ocr_pixels, turns)
        if not sides:
            return [content]
    contents = []
    for side, part in sides:
        content = _read_image(side, settings)
        frame = replace(content.frame, turns=(content.frame.turns + turns) % 4, part=part)
        contents.append(replace(content, frame=frame))
    if all(content.frame.turns == (turns + 2) % 4 for content in contents):  # the spread lay on its head
        contents.reverse()
    return contents


def _read_image(page: pymupdf.Page, settings: IndexingSettings, words: list[Word] | None = None) -> _Content:
    """Return the content of a page image: `words`, read by OCR unless given, and the layout of its copy with them."""
    words = read_page(page, settings.ocr_pixels) if words is None else words
    if not words and page.get_text(flags=WORD_FLAGS).strip():  # a text layer of a word or two is better than nothing
        return _read_layer(page, settings)
    page, words, quarters = read_upright(page, words, settings.ocr_pixels)
    frame = ocr_layer_of(page, words, -quarters % 4)
    if not words:
        return _Content(frame, [], [], "ocr", [], [] if is_blank(frame.page) else [tuple(frame.page.rect)], [])
    return _Content(frame, words, _regions(frame.page), "ocr", [], [], _drawn_regions(frame.page, words, frames=True))


def _regions(page: pymupdf.Page) -> list[Group]:
    """Return the layout model's groups of a page: label, box, boxes of text pieces, and the grid of a table."""
    page.get_layout(return_raw=True)
    return list(page.layout_information or [])


@dataclass(frozen=True, slots=True)
class _Draft:
    kind: Kind
    bbox: BBox
    text: str
    words: Words
    cells: tuple[Cell, ...] = ()


def _drafts(content: _Content) -> list[_Draft]:
    """Return the drafts of a page in the order of the model; those of words and pictures that it left out follow."""
    regions = content.regions
    owners = [_owner(word, regions) for word in content.words]
    if content.source == "ocr":
        owners = _owners_by_line(content.words, owners)
        regions = [_enlarge(region, content.words, owners, index) for index, region in enumerate(regions)]
    lexicon = spellings(content.words + content.picture_words)
    picture_boxes, missed_boxes = _picture_boxes(content, regions)
    boxes = [box for box in (*picture_boxes.values(), *missed_boxes) if box]
    dropped_ids = [n for n, r in enumerate(regions) if r["class_name"] == "picture" and not picture_boxes.get(n)]
    dropped_words = [w for w, owner in zip(content.words, owners, strict=True) if owner in dropped_ids]
    drafts: list[_Draft] = []
    for index, region in enumerate(regions):
        words = [w for w, owner in zip(content.words, owners, strict=True) if owner == index]
        if region["class_name"] == "picture":
            if picture_box := picture_boxes.get(index):
                drafts += _picture_drafts(picture_box, [*words, *dropped_words], content, lexicon)
            continue
        if region["class_name"] == "table":
            words += [w for w in content.picture_words if w.within(region["group_bbox"])]
        drafts += _region_drafts(region, words, content.frame, lexicon)
    for box in missed_boxes:
        drafts += _picture_drafts(box, dropped_words, content, lexicon)
    unplaced_words = [
        word
        for word, owner in zip(content.words, owners, strict=True)
        if owner is None or (owner in dropped_ids and not any(word.within(box) for box in boxes))
    ]
    for line in by_line(unplaced_words):
        drafts += _region_drafts({"class_name": "text", "group_bbox": bounding_box(line)}, line, content.frame, lexicon)
    return _without_repeats(drafts)


def _without_repeats(drafts: Sequence[_Draft]) -> list[_Draft]:
    """Return drafts without bare signs, such as bullets and rules, and without repeats of a text in the same place."""
    unique: list[_Draft] = []
    for draft in drafts:
        has_content = draft.kind in ("picture", "table", "formula") or any(map(str.isalnum, draft.text))
        twins = (d for d in unique if d.text == draft.text and d.text)
        if has_content and not any(
            d.bbox.overlap(draft.bbox) > SAME * min(d.bbox.area, draft.bbox.area) for d in twins
        ):
            unique.append(draft)
    return unique


def _picture_boxes(content: _Content, regions: Sequence[Group]) -> tuple[dict[int, Box4 | None], list[Box4]]:
    """Return the boxes of the model's pictures by region, None for a part of another, and those of pictures it missed.

    On a page image the model sees only words, so regions that only pixels show replace those of its pictures in them.
    """
    kinds = [(n, r["class_name"], tuple(r["group_bbox"][:4])) for n, r in enumerate(regions)]
    seen_boxes = content.drawn if content.source == "ocr" else []
    models = {n: box for n, kind, box in kinds if kind == "picture" and not _mostly_in(box, seen_boxes)}
    text = [box for _, kind, box in kinds if kind not in ("picture", "table", "caption")]
    tables = [box for _, kind, box in kinds if kind == "table"]
    rasters, drawings = ([b for b in boxes if not _mostly_in(b, tables)] for boxes in (content.pictures, content.drawn))
    boxes, missed_boxes = merged_figures(list(models.values()), rasters, drawings, text)
    return dict(zip(models, boxes, strict=True)), missed_boxes


def _picture_drafts(box: Box4, words: Sequence[Word], content: _Content, lexicon: frozenset[str]) -> list[_Draft]:
    """Return the draft of a picture with the words in it, of `words` or recognised ones; empty for decoration."""
    page = content.frame.page.rect
    is_drawn, word_set = any(share(other, box) > 0.5 for other in content.drawn), set(words)
    picture_words = [w for w in content.words if (is_drawn or w in word_set) and w.within(box)]
    picture_words += [w for w in content.picture_words if w.within(box)]
    if not picture_words and is_decoration(content.frame.page, box):
        return []
    kind = "text" if min((box[2] - box[0]) / page.width, (box[3] - box[1]) / page.height) < LINE else "picture"
    return _region_drafts({"class_name": kind, "group_bbox": box}, picture_words, content.frame, lexicon)


def _owners_by_line(words: Sequence[Word], owners: Sequence[int | None]) -> list[int | None]:
    """Return the region of each word, where a word without one gets that of its recognised line."""
    of_line = {word.line: owner for word, owner in zip(words, owners, strict=True) if owner is not None}
    return [of_line.get(w.line) if owner is None else owner for w, owner in zip(words, owners, strict=True)]


def _enlarge(region: Group, words: Sequence[Word], owners: Sequence[int | None], index: int) -> Group:
    """Return the region enlarged to its recognised words, as the sizes in the invisible layer only come near theirs."""
    x0, y0, x1, y1 = region["group_bbox"][:4]
    own = [word for word, owner in zip(words, owners, strict=True) if owner == index]
    return {**region, "group_bbox": bounding_box([Word(x0, y0, x1, y1, "", 0), *own])}


def _drawn_regions(page: pymupdf.Page, words: Sequence[Word], *, frames: bool) -> list[Box4]:
    """Return pictures, charts and panels that only pixels show: vector drawings, or any of them on a page image."""
    return visual_regions(page, [(w.x0, w.y0, w.x1, w.y1) for w in words], MIN_PICTURE, frames=frames)


def _region_drafts(region: Group, words: list[Word], frame: Frame, lexicon: frozenset[str]) -> list[_Draft]:
    """Return the draft of a region; empty when it is off the page, or is text without words."""
    kind = KINDS.get(region["class_name"], "text")
    bbox = frame.box(*region["group_bbox"][:4])
    if bbox is None or (kind not in ("picture", "table") and not words):
        return []
    grid = _grid(region) if kind == "table" else None
    if grid and words:
        return [_Draft(kind, bbox, *table_text(words, grid, frame, lexicon))]
    text, places = running_text(words, frame, lexicon)
    if kind == "heading" and not may_be_heading(text):
        kind = "text"
    return [_Draft(kind, bbox, text, places)]


def _grid(region: Group) -> LayoutGrid | None:
    """Return the table grid that the model attached; its lines are relative to the region's box."""
    lines, cells = region.get("table_grid"), region.get("table_cells")
    if lines is None or not cells:
        return None
    left = region["group_bbox"][0]
    fragments = tuple(
        (tuple(region["bboxes"][c.bbox_idx]), (c.row_start, c.col_start, c.row_span, c.col_span)) for c in cells
    )
    return LayoutGrid(tuple(left + x for x in lines.v_lines), fragments)


def _owner(word: Word, regions: Sequence[Group]) -> int | None:
    """Return the index of the region with a text piece around the middle of a word; else of the smallest around it."""
    around: list[tuple[float, int]] = []
    for index, region in enumerate(regions):
        box = region["group_bbox"]
        if not word.within(box):
            continue
        if any(word.within(piece) for piece in region["bboxes"]):
            return index
        around.append(((box[2] - box[0]) * (box[3] - box[1]), index))
    return min(around)[1] if around else None


def _mostly_in(inner: Box4, boxes: Sequence[Box4]) -> bool:
    return any(share(inner, box) > 0.5 for box in boxes)


def page_png(page: pymupdf.Page, longer_side: int) -> bytes:
    """Draw the displayed page as PNG in RGB, its longer side `longer_side` pixels."""
    zoom = longer_side / max(page.rect.width, page.rect.height)
    pixels = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), colorspace=pymupdf.csRGB, alpha=False)
    png: bytes = pixels.tobytes("png")
    return png
