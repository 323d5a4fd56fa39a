"""The benchmark BBox-DocVQA (Yu et al. 2025, arXiv 2511.15090, later SciEGQA): the regions of papers that answer.

Data: a folder with `BBox_DocVQA_Bench.jsonl` as published, a question a line: `{"query" or "question", "answer",
"category", "doc_name", "evidence_page": [pages from 1], "bbox": [[[x0, y0, x1, y1] in pixels, ...] of each of these
pages]}`, and the page images `category/doc_name/doc_name_PAGE.png`, from the data or from --documents.

Every page image is a document of one page. Each question is asked in two settings (--by setting): `page given` searches
the pages with evidence alone, as the paper shows these to a model; `page not given` all page images of the paper that
are there. IoU, IoU@.5 and IoU@.7 are of the boxes that an answer cites, by the published scoring code, where several
boxes on a page cost nothing; `IoU first` is of the first box alone. `type` is one page and one box (SPSBB), one page
and several boxes (SPMBB), or several pages (MPMBB).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from evaluation import metrics
from evaluation.metrics import PageBox, iou, mean
from evaluation.tasks import (
    Figures,
    Gold,
    GoldQuestion,
    GoldReader,
    box,
    boxes_of,
    file_id,
    found_in,
    of,
    page_number,
    rows_of,
    text_of,
)
from plugins.research.tasks.items import pixel_size

NAME = "bbox-docvqa"
SAYS = "find the regions of scientific papers that answer a question (BBox-DocVQA)"
SCOPE = "document"
GROUPINGS = ("setting", "type", "category")
MACRO = None
TABLE = ("IoU", "IoU@.5", "IoU@.7")
FILES = ("BBox_DocVQA_Bench.jsonl", "bbox-docvqa.jsonl")
GIVEN, NOT_GIVEN = "page given", "page not given"
Pages = Callable[[str], dict[int, Path]]
"""A function that returns the page images of a paper, `category/doc_name`, by their numbers. Raises ValueError."""
_NUMBER = re.compile(r"_(\d+)\.png\Z")


def load(data: Path, documents: Path | None, material: Path, limit_docs: int | None) -> Gold:  # noqa: ARG001  nothing to be made
    """Read the questions; `documents` is the folder of the page images, by default that of the data."""
    file = found_in(data, FILES)
    text, digest = text_of(file)
    reader, folder = GoldReader(), documents or file.parent
    pages: Pages = cache(lambda paper: _pages(folder, paper))
    reader.each(rows_of(file, text), lambda where, row: _add_question(reader, where, row, pages))
    return reader.gold(file, digest, limit_docs)


def _pages(folder: Path, paper: str) -> dict[int, Path]:
    """Return the page images of a paper by number, from 1. Raises ValueError for a path outside of the folder."""
    if Path(paper).is_absolute() or ".." in Path(paper).parts:
        raise ValueError(f"its paper {paper!r} is not in {folder}")
    pages = {int(match[1]): path for path in (folder / paper).glob("*.png") if (match := _NUMBER.search(path.name))}
    return dict(sorted(pages.items()))


def _add_question(reader: GoldReader, where: str, row: Any, pages: Pages) -> None:
    """Add a question to the reader, once for each setting. Raises ValueError for an invalid row."""
    text, category, name = of(row, "query", str, "question"), of(row, "category", str), of(row, "doc_name", str)
    numbers = [page_number(n) for n in of(row, "evidence_page", list)]
    boxes = of(row, "bbox", list)
    files = pages(f"{category}/{name}")
    if missing := [n for n in numbers if n not in files]:
        raise ValueError(f"the image of page {missing[0]} of {category}/{name} is missing")
    if len(boxes) != len(numbers):
        raise ValueError(f"has {len(numbers)} evidence pages, and boxes of {len(boxes)}")
    fractions = [(n, box(b, pixel_size(files[n]))) for n, of_page in zip(numbers, boxes, strict=True) for b in of_page]
    if not fractions:
        raise ValueError("has no box: there is nothing to score it with")
    kind = "MPMBB" if len(set(numbers)) > 1 else "SPMBB" if len(fractions) > 1 else "SPSBB"
    number = where.rpartition(" ")[2]
    for setting, numbers_searched in ((GIVEN, sorted(set(numbers))), (NOT_GIVEN, list(files))):
        ids = tuple(file_id(files[n]) for n in numbers_searched)
        gold = tuple(PageBox(1, values, numbers_searched.index(n) + 1) for n, values in fractions)
        groups = {"setting": (setting,), "type": (kind,), "category": (category,)}
        qid = f"{number} {setting}"
        question = GoldQuestion(qid, text, str(of(row, "answer", object)), ids, frozenset({1}), gold, groups)
        reader.take(where, question, dict(zip(ids, (files[n] for n in numbers_searched), strict=True)))


def region_iou(gold: Sequence[PageBox], cited: Sequence[PageBox]) -> float | None:
    """Return IoU, the mean over all pages that have a gold or a cited box; None without gold.

    On a page it is the mean over its gold boxes of the best IoU with a box cited there; 0 without a gold box. So more
    boxes on a right page cost nothing, and one on another page costs much.

    >>> page = (0.0, 0.0, 1.0, 1.0)
    >>> region_iou([PageBox(1, page)], [PageBox(1, (0.0, 0.0, 1.0, 0.5))])
    0.5
    >>> region_iou([PageBox(1, page)], [PageBox(1, page), PageBox(2, page)])
    0.5
    """
    if not gold:
        return None
    means = []
    for place in dict.fromkeys(one.place for one in (*gold, *cited)):
        boxes = [one.bbox for one in cited if one.place == place]
        best = [max((iou(one.bbox, other) for other in boxes), default=0.0) for one in gold if one.place == place]
        means.append(mean(best) if best else 0.0)
    return mean(means)


def figures(question: GoldQuestion, predicted: Mapping[str, Any], grades: Mapping[str, float] | None = None) -> Figures:  # noqa: ARG001  no judge
    """Return IoU of the cited boxes and how often it is .5 and .7, of the first box alone, and Ans* by string match."""
    cited_boxes = boxes_of(predicted, "citations")
    value = region_iou(question.boxes, cited_boxes)
    return {
        "IoU": value,
        "IoU@.5": None if value is None else float(value >= metrics.MEETS),
        "IoU@.7": None if value is None else float(value >= 0.7),
        "IoU first": region_iou(question.boxes, cited_boxes[:1]),
        "Ans*": metrics.containment(question.answer, predicted.get("answer", "")),
        "abstained": float(bool(predicted.get("abstained"))),
        "ms": predicted.get("latency_ms"),
    }
