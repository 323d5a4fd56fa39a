"""The elements of a rendition's pages on disk, while a run of indexing lasts: a line of JSON for each page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from indexing.types import BBox, Cell, Element, Page, ParsedPage, Words


def elements_of(pdf: Path) -> Path:
    """Return the path of the file with the elements of a rendition's PDF, which exists where they are known."""
    return pdf.with_suffix(".jsonl")


def has_elements(pdf: Path | None) -> bool:
    """Return True if the elements of a rendition's PDF are known, so that it need not be parsed."""
    return pdf is not None and elements_of(pdf).is_file()


def write_pages(path: Path, pages: Sequence[ParsedPage]) -> None:
    """Write the pages of a rendition to `path`."""
    with path.open("w", encoding="utf-8") as file:
        for parsed_page in pages:
            page = parsed_page.page
            elements = [_element_record(element) for element in parsed_page.elements]
            record = {"size": [page.width, page.height], "hidden": parsed_page.hidden, "elements": elements}
            file.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")


def read_page_of(path: Path, number: int) -> ParsedPage:
    """Return page `number` (from 1) of a file that `write_pages` wrote. Raises IndexError if it has no such page."""
    with path.open(encoding="utf-8") as file:
        for at, line in enumerate(file, 1):
            if at == number:
                record = json.loads(line)
                width, height = record["size"]
                elements = tuple(_element(one, number) for one in record["elements"])
                return ParsedPage(Page("", number, width, height), elements, hidden=record["hidden"])
    raise IndexError(f"page {number} of a rendition in {path.name}")


def _element_record(element: Element) -> dict[str, Any]:
    words = element.words
    return {
        "kind": element.kind, "text": element.text, "bbox": element.bbox.as_tuple(), "source": element.source,
        "section": element.section, "caption": element.caption, "place": element.place,
        "words": [words.spans.tolist(), [[round(v, 6) for v in box] for box in words.boxes.tolist()],
                  words.lines.tolist()],
        "cells": [[[c.row, c.col, c.row_span, c.col_span, c.start, c.end], c.bbox.as_tuple(), c.header]
                  for c in element.cells],
    }  # fmt: skip


def _element(record: dict[str, Any], page: int) -> Element:
    spans, boxes, lines = record["words"]
    words = Words(
        np.array(spans, np.int32).reshape(-1, 2),
        np.array(boxes, np.float32).reshape(-1, 4),
        np.array(lines, np.int32),
    )
    cells = tuple(
        Cell(row, col, rows, cols, start, end, BBox(*box), header)
        for (row, col, rows, cols, start, end), box, header in record["cells"]
    )
    return Element(
        "", "", page, record["kind"], record["text"], BBox(*record["bbox"]), record["source"], tuple(record["section"]),
        record["caption"], words, cells, place=record["place"],
    )  # fmt: skip
