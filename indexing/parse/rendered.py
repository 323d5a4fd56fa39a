"""The page of a rendition -> elements with ids: those known from its source, and what OCR reads in its pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pymupdf

from configs import embeds_pages
from indexing.conversion import joined_place
from indexing.parse.groups import with_groups
from indexing.parse.layout import MAX_PICTURES, MIN_PICTURE, page_png
from indexing.parse.orientation import text_frame
from indexing.parse.print_verification import seen_regions
from indexing.parse.scan import Word, read_page, regions_of
from indexing.parse.text import running_text, spellings
from indexing.settings import IndexingSettings
from indexing.types import Element, Page, ParsedPage, Region


def place_page(page: pymupdf.Page, stored_page: ParsedPage, doc_id: str, settings: IndexingSettings) -> ParsedPage:
    """Return a page of a rendition as `parse_page` would, from its elements without ids in `stored_page`.

    Pictures without words are read by OCR, unless the settings say never. Sections are those of the source.
    """
    record = Page(doc_id, page.number + 1, page.rect.width, page.rect.height)
    image = page_png(page, settings.page_pixels) if embeds_pages(settings.visual) else b""
    elements: list[Element] = []
    words: list[Word] = []
    for number, element in enumerate(stored_page.elements, 1):
        item = replace(element, id=f"{doc_id}-{record.number}-{number}", doc_id=doc_id, page=record.number)
        is_wordless = item.kind == "picture" and not item.text and item.bbox.area >= MIN_PICTURE
        if is_wordless and settings.ocr != "never" and len(words) < MAX_PICTURES * 100:
            item, ocr_words = _read_picture(page, item, settings)
            words += [Word(w.x0, w.y0, w.x1, w.y1, w.text, 1000 * number + w.line) for w in ocr_words]
        elements.append(item)
    regions: tuple[Region, ...] = ()
    if settings.visual == "ocr_regions":
        to_box = text_frame(page).box
        regions = (
            seen_regions(page, elements, settings.ocr_pixels) if settings.reads_pages else regions_of(words, to_box)
        )
    return ParsedPage(record, tuple(_with_groups(elements)), regions, image, stored_page.hidden)


def _with_groups(elements: Sequence[Element]) -> Iterator[Element]:
    """Yield elements, then groups, each group with the section of its first member and the places of all members."""
    by_id = {element.id: element for element in elements}
    for element in with_groups(elements):
        members = [by_id[part] for part in element.parts if part in by_id]
        if members:
            place = joined_place(member.place for member in members)
            yield replace(element, section=members[0].section, place=place)
        else:
            yield element


def _read_picture(page: pymupdf.Page, element: Element, settings: IndexingSettings) -> tuple[Element, list[Word]]:
    """Return a picture with the words that OCR reads in it, and these words in points of the page."""
    area = pymupdf.Rect(*element.bbox.to_page(page.rect.width, page.rect.height))
    ocr_words = read_page(page, settings.ocr_pixels, area)
    text, words = running_text(ocr_words, text_frame(page), spellings(ocr_words))
    return replace(element, text=text, words=words), ocr_words
