"""The failures of a run: what was asked, what is right, what was said, and the page with the boxes of both."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluation.metrics import PageBox
from evaluation.report_parts import Heading, Paragraph, Part, Picture, Table
from evaluation.results import Results, Scored
from evaluation.rows import boxes_of, page_box
from indexing import Collection, IndexingError, IndexingSettings

if TYPE_CHECKING:
    from PIL import Image

WIDTH = 900
"""Pixels of a drawn page."""
GOLD, CITED = (38, 138, 60), (196, 48, 43)
JUDGED_BY = ("SAA", "SAA*", "Rec", "Box", "EM", "Citation F1", "Source F1", "Groundedness F1", "NDCG@10", "R@1")
"""What makes a failure: the first of these that the run has."""


def gallery(run: Results, out: Path, limit: int, home: Path | None) -> Iterator[Part]:
    """The worst `limit` questions of a run that did not succeed whole, with their pages drawn into `out`/failures."""
    figure = next((name for name in JUDGED_BY if run.values(name)), None)
    if figure is None or limit < 1:
        return
    values = run.values(figure)
    failed = sorted((qid for qid in values if values[qid] < 1), key=lambda qid: (values[qid], _order(qid)))
    yield Heading(f"Failures of {run.name}")
    yield Paragraph(
        f"{len(failed)} of {len(values)} questions have less than 100 in {figure}; here are {min(limit, len(failed))}, "
        "the worst first, chosen among equals by chance. Green: gold. Red: cited."
    )
    predicted = run.predictions(failed[:limit])
    collection, why_not = _collection(run, home)
    if why_not:
        yield Paragraph(why_not)
    try:
        for qid in failed[:limit]:
            yield from _failure(run, run.scored[qid], predicted.get(qid, {}), collection, out)
    finally:
        if collection is not None:
            collection.close()


def _failure(
    run: Results, scored: Scored, row: Mapping[str, Any], collection: Collection | None, out: Path
) -> Iterator[Part]:
    yield Heading(f"{scored.qid}: {scored.question}", 3)
    verdicts = ", ".join(s.get("verdict", "") for s in row.get("sentences", ())) or "–"
    facts = [
        ("gold", str(scored.gold["answer"]) or "(no answer)"),
        ("said", str(row.get("answer", "")) or "(abstains)"),
        ("verdicts", verdicts),
        ("figures", ", ".join(f"{k} {100 * v:.0f}" for k, v in scored.figures.items() if v is not None and k != "ms")),
        *([("error", str(row["error"]))] if "error" in row else []),
    ]
    yield Table("", ("", "what"), tuple(facts))
    gold = [page_box(box) for box in scored.gold["boxes"]]
    cited = [box for box in boxes_of(row, "citations") if box.page > 0]
    if collection is None:
        return
    for number, (doc, page) in enumerate(sorted({b.place for b in (*gold, *cited)})[:4], 1):
        documents = scored.gold["documents"]
        if not 0 < doc <= len(documents):
            continue
        try:
            image = collection.draw_page(documents[doc - 1], page, WIDTH)
        except IndexingError as error:
            yield Paragraph(f"Page {page} cannot be drawn: {error}")
            continue
        image = drawn(image, [b for b in gold if b.place == (doc, page)], [b for b in cited if b.place == (doc, page)])
        file = out / "failures" / f"{_order(run.name)}-{_order(scored.qid)}-{number}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        image.save(file)
        yield Picture(file.relative_to(out).as_posix(), f"Page {page}" + (f" of document {doc}" if doc > 1 else ""))


def drawn(page: Image.Image, gold: Sequence[PageBox], cited: Sequence[PageBox]) -> Image.Image:
    """The page with the gold boxes in green and the cited ones in red, a little inside where they coincide."""
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
    """The collection that the run was asked of, if it is still there; else why pages are not shown."""
    place = str(run.summary.get("indexed_in", ""))
    if not place:
        return None, "No pages are shown: the predictions are another system's."
    path = Path(place)
    try:
        settings = IndexingSettings.model_validate(run.summary["settings"]["indexing"])
        return Collection.open(path.name, home or path.parent, settings), ""
    except (IndexingError, ValueError) as error:  # ValueError: settings of a Vouch that had others
        return None, f"No pages are shown: {error}"


def _order(text: str) -> str:
    """A name of eight hex digits, the same every time."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]
