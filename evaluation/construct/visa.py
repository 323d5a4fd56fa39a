"""VISA data from any documents (Ma et al. 2024, section 4): a model asks about an element, retrieval finds the others.

An element is chosen; the model is shown the inside of its box and writes a question with a short answer; the other
candidates are pages that retrieval finds for the question; a share of the questions loses the page that answers. Page
images may be cropped by chance around the box, so that a model cannot learn where boxes tend to be. The result is in
the form of `evaluation.tasks.visa`, and questions that could not be made are counted by reason.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from evaluation.construct.made import ConstructedRows
from evaluation.harness import rubric_prompt
from evaluation.metrics import words
from indexing import BBox, Collection, Element, IndexingError
from rag import ModelError
from rag.llm import ChatModel, Form, Message, complete_as, fenced

if TYPE_CHECKING:
    from PIL import Image

KINDS = {"text": "passage", "list": "passage", "table": "non-passage", "picture": "non-passage"}
"""The kinds of element asked about, and VISA's names; a passage after the first page is `beyond first page`."""
LEAST_CHARS, MOST_CHARS = 80, 2000
MOST_WORDS = 8
REPLY_TOKENS = 300
MARGIN = 0.02
"""The share of the page that is left around a box where a page is cropped."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """The numbers of the data: questions, candidates a question, the shares without answer and of cropped pages."""

    count: int = 100
    candidates: int = 3
    without_answer: float = 0.2
    cropped: float = 0.3
    width: int = 1000
    seed: int = 0


class _Asked(Form):
    question: str = Field(max_length=300)
    answer: str = Field(max_length=120)


def construct(collection: Collection, model: ChatModel, out: Path, recipe: Recipe) -> ConstructedRows:
    """Write `visa.jsonl` and `images/` into `out`. Raises the errors of `HOPELESS`, IndexingError.

    The elements are drawn by the seed from all documents; the same collection, model and recipe give the same data.
    """
    (out / "images").mkdir(parents=True, exist_ok=True)
    dice, made = random.Random(recipe.seed), ConstructedRows()  # noqa: S311  not a secret
    with (out / "visa.jsonl").open("w", encoding="utf-8") as file:
        for element in _elements(collection, dice):
            if len(made.rows) == recipe.count:
                break
            row = _row(collection, model, element, out, (recipe, dice, made))
            if row is not None:
                made.rows.append(row)
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return made


def _elements(collection: Collection, dice: random.Random) -> Iterator[Element]:
    """Yield elements that can be asked about, page after page in a random order."""
    pages = [(d.id, number) for d in collection.documents() for number in range(1, d.n_pages + 1)]
    dice.shuffle(pages)
    for doc_id, number in pages:
        fit = [
            e
            for e in collection.page_elements(doc_id, number)
            if e.kind in KINDS and LEAST_CHARS <= len(e.text) <= MOST_CHARS and e.bbox.area < 0.8
        ]
        if fit:
            yield dice.choice(fit)


def _row(
    collection: Collection,
    model: ChatModel,
    element: Element,
    out: Path,
    making: tuple[Recipe, random.Random, ConstructedRows],
) -> dict[str, Any] | None:
    """Return the question about an element with its candidates; None, and a reason counted, when there is none."""
    recipe, dice, made = making
    try:
        page = collection.draw_page(element.doc_id, element.page, recipe.width)
    except IndexingError:
        made.skipped["the page cannot be drawn"] += 1
        return None
    asked = _question(model, element, page, made)
    if asked is None:
        return None
    others = _negatives(collection, asked.question, element, recipe.candidates - 1)
    unanswerable = dice.random() < recipe.without_answer and bool(others)
    box = element.bbox
    if dice.random() < recipe.cropped:
        page, box = cropped(page, box, dice)
    number = len(made.rows)
    names = []
    for doc_id, other in others:
        names.append(f"images/{doc_id}-{other}.png")
        if not (out / names[-1]).is_file():
            collection.draw_page(doc_id, other, recipe.width).save(out / names[-1])
    oracle = None
    if not unanswerable:
        oracle = dice.randint(0, len(names))
        names.insert(oracle, f"images/q{number:05}.png")
        page.save(out / names[oracle])
    kind = KINDS[element.kind]
    return {
        "id": f"q{number:05}",
        "question": asked.question,
        "short_answer": asked.answer if oracle is not None else None,
        "candidates": names,
        "oracle": oracle,
        "bbox": [round(v, 1) for v in box.to_page(*page.size)] if oracle is not None else None,
        "image_size": list(page.size) if oracle is not None else None,
        "kind": "beyond first page" if kind == "passage" and element.page > 1 else kind,
        "source": {"element": element.id, "page": element.page, "document": element.doc_id},
    }


def _question(model: ChatModel, element: Element, page: Image.Image, made: ConstructedRows) -> _Asked | None:
    """Return the model's question about the inside of the box; None, and a reason counted, when it is unusable."""
    region = page.crop(element.bbox.to_page(*page.size))
    text = rubric_prompt("construct_question").filled(kind=element.kind, text=fenced(element.text))
    shown = (region, text) if model.capacity.images else (text,)
    try:
        asked, _ = complete_as(model, [Message("user", shown)], _Asked, REPLY_TOKENS)
    except ModelError as error:
        made.skip(error)
        return None
    reason = _unfit(asked, element)
    if reason:
        made.skipped[reason] += 1
        return None
    return asked


def _unfit(asked: _Asked, element: Element) -> str:
    """Say why a question cannot be used; empty when it can. The answer of a text must stand in it."""
    if not words(asked.question) or not words(asked.answer):
        return "nothing to ask about"
    if len(words(asked.answer)) > MOST_WORDS:
        return "the answer is too long"
    if element.kind != "picture" and not set(words(asked.answer)) <= set(words(element.text)):
        return "the answer does not stand in the box"
    return ""


def _negatives(collection: Collection, question: str, element: Element, count: int) -> list[tuple[str, int]]:
    """Return the pages other than the element's own that retrieval finds for the question, best first."""
    if count < 1:
        return []
    found = collection.search(question, limit=4 * (count + 1)).pages
    own = (element.doc_id, element.page)
    return [(p.doc_id, p.number) for p in found if (p.doc_id, p.number) != own][:count]


def cropped(page: Image.Image, box: BBox, dice: random.Random) -> tuple[Image.Image, BBox]:
    """Return a random crop of the page that holds the box with a margin, and the box in fractions of the crop."""
    low_x, low_y = dice.uniform(0, max(0.0, box.x0 - MARGIN)), dice.uniform(0, max(0.0, box.y0 - MARGIN))
    high_x, high_y = dice.uniform(min(1.0, box.x1 + MARGIN), 1), dice.uniform(min(1.0, box.y1 + MARGIN), 1)
    width, height = page.size
    edges = (int(low_x * width), int(low_y * height), -int(-high_x * width // 1), -int(-high_y * height // 1))
    x0, y0, x1, y1 = box.to_page(width, height)
    crop = page.crop(edges)
    moved = BBox.from_page(x0 - edges[0], y0 - edges[1], x1 - edges[0], y1 - edges[1], *crop.size)
    return (crop, moved) if moved is not None else (page, box)
