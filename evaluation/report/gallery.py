"""The failures of a run: the question, the right answer, the given one, and the page with the boxes of both."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluation.harness import Results, ScoredQuestion
from evaluation.metrics import PageBox, mean
from evaluation.report.parts import Heading, Paragraph, Part, Picture, Table
from evaluation.tasks import boxes_of, page_box
from indexing import Collection, IndexingError, IndexingSettings

if TYPE_CHECKING:
    from PIL import Image

WIDTH = 900
"""The width in pixels of a drawn page."""
GOLD, CITED = (38, 138, 60), (196, 48, 43)
PAGES = 4
"""The most pages drawn of a failure."""
JUDGED_BY = (
    ("SAA",),
    ("SAA*", "rightly abstained"),
    ("Rec",),
    ("Box", "EM"),
    ("Citation F1",),
    ("Source F1",),
    ("Groundedness F1",),
    ("NDCG@10",),
    ("R@1",),
)
"""The figures that make a failure: the first entry that the run has; of several, the mean of those that a question has.
Where there is no answer, the first of a pair is blank, and the second says if that was seen.
"""
Place = tuple[str, int]
"""A place: a document's id and a page, from 1."""


def gallery(run: Results, out: Path, limit: int, home: Path | None) -> Iterator[Part]:
    """Yield the worst `limit` questions of a run whose score is below 1; draw their pages into `out`/failures."""
    figures = next((present for names in JUDGED_BY if (present := [name for name in names if run.values(name)])), None)
    if figures is None or limit < 1:
        return
    values = _values(run, figures)
    failures = sorted((qid for qid in values if values[qid] < 1), key=lambda qid: (values[qid], _short_hash(qid)))
    yield Heading(f"Failures of {run.name}")
    yield Paragraph(
        f"{len(failures)} of {len(values)} questions have less than 100 in {' or '.join(figures)}; here are "
        f"{min(limit, len(failures))}, the worst first, chosen at random among equals. Green: gold. Red: cited."
    )
    predictions = run.predictions(failures[:limit])
    collection, why_not = _collection(run, home)
    if why_not:
        yield Paragraph(why_not)
    try:
        for qid in failures[:limit]:
            yield from _failure(run, run.rows[qid], predictions.get(qid, {}), collection, out)
    finally:
        if collection is not None:
            collection.close()


def _failure(
    run: Results, result: ScoredQuestion, row: Mapping[str, Any], collection: Collection | None, out: Path
) -> Iterator[Part]:
    """Yield the heading, the answers and figures, and the pages with boxes of one failed question."""
    yield Heading(f"{result.qid}: {result.question}", 3)
    verdicts = ", ".join(s.get("verdict", "") for s in row.get("sentences", ())) or "–"
    facts = [
        ("gold", str(result.gold["answer"]) or "(no answer)"),
        ("said", str(row.get("answer", "")) or "(abstains)"),
        ("verdicts", verdicts),
        ("figures", ", ".join(f"{k} {100 * v:.0f}" for k, v in result.figures.items() if v is not None and k != "ms")),
        *([("error", str(row["error"]))] if "error" in row else []),
    ]
    yield Table("", ("", "what"), tuple(facts))
    if collection is None:
        return
    documents, gold, cited_boxes = result.gold["documents"], _gold_boxes(result), _cited_boxes(row)
    places = dict.fromkeys([*list(gold)[: PAGES - 1], *cited_boxes, *gold])
    for number, (doc_id, page) in enumerate(list(places)[:PAGES], 1):
        try:
            image = collection.draw_page(doc_id, page, WIDTH)
        except IndexingError as error:
            yield Paragraph(f"Page {page} cannot be drawn: {error}")
            continue
        image = draw_boxes(image, gold.get((doc_id, page), ()), cited_boxes.get((doc_id, page), ()))
        file = out / "failures" / f"{_short_hash(run.name)}-{_short_hash(result.qid)}-{number}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        image.save(file)
        of_what = "" if documents == [doc_id] else f" of {collection.document(doc_id).name}"
        yield Picture(file.relative_to(out).as_posix(), f"Page {page}{of_what}")


def _values(run: Results, figures: Sequence[str]) -> dict[str, float]:
    """Return for each question id the mean of those of `figures` that the question has."""
    each = {
        qid: [v for name in figures if (v := question.figures.get(name)) is not None]
        for qid, question in run.rows.items()
    }
    return {qid: mean(values) for qid, values in each.items() if values}


def _gold_boxes(question: ScoredQuestion) -> dict[Place, list[PageBox]]:
    """Return the gold boxes by document id and page."""
    boxes_by_place: dict[Place, list[PageBox]] = {}
    for box in sorted(map(page_box, question.gold["boxes"]), key=lambda box: box.place):
        boxes_by_place.setdefault((question.gold["documents"][box.doc - 1], box.page), []).append(box)
    return boxes_by_place


def _cited_boxes(row: Mapping[str, Any]) -> dict[Place, list[PageBox]]:
    """Return the cited boxes by document id and page, also those in documents that the question is not about."""
    boxes: dict[Place, list[PageBox]] = {}
    for box, where in zip(boxes_of(row, "citations"), row.get("cited", ()), strict=False):
        boxes.setdefault((where["document"], where["page"]), []).append(box)
    return boxes


def draw_boxes(page: Image.Image, gold: Sequence[PageBox], cited: Sequence[PageBox]) -> Image.Image:
    """Draw the gold boxes in green on a page and the cited ones in red, a little inside where they coincide."""
    from PIL import ImageDraw

    image = page.copy()
    draw = ImageDraw.Draw(image)
    for boxes, colour, inset in ((gold, GOLD, 0), (cited, CITED, 4)):
        for box in boxes:
            x0, y0, x1, y1 = (v * side for v, side in zip(box.bbox, (*image.size, *image.size), strict=True))
            if x1 - x0 > 2 * inset and y1 - y0 > 2 * inset:
                draw.rectangle((x0 + inset, y0 + inset, x1 - inset, y1 - inset), outline=colour, width=4)
    return image


def _collection(run: Results, home: Path | None) -> tuple[Collection | None, str]:
    """Return the collection of the run and "", or None and the reason why no pages can be shown."""
    place = str(run.summary.get("indexed_in", ""))
    if not place:
        return None, "No pages are shown: the predictions are another system's."
    path = Path(place)
    try:
        settings = IndexingSettings.model_validate(run.summary["settings"]["indexing"])
        return Collection.open(path.name, home or path.parent, settings), ""
    except (IndexingError, ValueError) as error:  # ValueError: settings of a Vouch that had others
        return None, f"No pages are shown: {error}"


def _short_hash(text: str) -> str:
    """Return eight hex digits of a text's hash: a reproducible random order, and part of a file name."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]
