"""VISA data from any documents (Ma et al. 2024, section 4): a model asks about an element, retrieval finds the others.

An element is chosen; the model is shown its whole page with the element in a red frame, and writes a question with a
short answer. Of m candidates, m - 1 are hard negatives: pages drawn at random from the 20 that retrieval ranks best for
the question. For a share of the questions, one more such page takes the place of the page that answers, so that there
is no answer. All images of a question have one size, and all or none of them are cropped, so that neither their number
nor their size tells which page answers, or whether any does. The result is in the form of `evaluation.tasks.visa`, and
questions that could not be made are counted by reason.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from evaluation import ConstructedRows
from evaluation.harness import rubric_prompt
from indexing import BBox, Collection, Element, IndexingError
from plugins.research.construct.wording import words
from rag import ModelError
from rag.llm import ChatModel, Form, Message, complete_as, fenced

if TYPE_CHECKING:
    from PIL import Image

KINDS = {"text": "passage", "list": "passage", "table": "non-passage", "picture": "non-passage"}
"""The kinds of element asked about, and VISA's names; a passage after the first page is `beyond first page`."""
LEAST_CHARS, MOST_CHARS = 80, 2000
MOST_WORDS = 8
REPLY_TOKENS = 300
RANKED = 20
"""The pages, best first, among which hard negatives are drawn (k of section 4)."""
FRAME = "#e01020"
MARGIN = 0.02
"""The share of the page that is left around a box where a page is cropped."""
YES_OR_NO = frozenset({"yes", "no"})


@dataclass(frozen=True, slots=True)
class Recipe:
    """The numbers of the data: questions, candidates a question, the shares without answer and of cropped questions.

    `width` is that of a page in pixels. A single candidate always answers.
    """

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
    """Return the question about an element with its candidates; None, and a reason counted, when there is none.

    Every draw is the same whether the question keeps its answer or not; that is decided last.
    """
    recipe, dice, made = making
    try:
        page = collection.draw_page(element.doc_id, element.page, recipe.width)
        asked = _question(model, element, page, made)
        if asked is None:
            return None
        spare = int(recipe.candidates > 1 and recipe.without_answer > 0)
        others = _negatives(collection, asked.question, element, recipe.candidates - 1 + spare, dice)
        if others is None:
            made.skipped["retrieval ranks too few other pages"] += 1
            return None
        pages = [page, *(collection.draw_page(doc_id, other, recipe.width) for doc_id, other in others)]
    except IndexingError:
        made.skipped["a page cannot be drawn"] += 1
        return None
    images, box = alike(pages, element.bbox, dice, crop=dice.random() < recipe.cropped)
    order = dice.sample(range(recipe.candidates), recipe.candidates)
    replaced = bool(spare) and dice.random() < recipe.without_answer
    shown = images[1:] if replaced else images[: recipe.candidates]
    oracle = None if replaced else order.index(0)
    number = len(made.rows)
    names = [f"images/q{number:05}-{place}.png" for place in range(recipe.candidates)]
    for name, which in zip(names, order, strict=True):
        shown[which].save(out / name)
    kind = KINDS[element.kind]
    return {
        "id": f"q{number:05}",
        "question": asked.question,
        "short_answer": None if replaced else asked.answer,
        "candidates": names,
        "oracle": oracle,
        "bbox": None if replaced else [round(v, 1) for v in box.to_page(*images[0].size)],
        "image_size": None if replaced else list(images[0].size),
        "kind": "beyond first page" if kind == "passage" and element.page > 1 else kind,
        "source": {"element": element.id, "page": element.page, "document": element.doc_id},
    }


def _question(model: ChatModel, element: Element, page: Image.Image, made: ConstructedRows) -> _Asked | None:
    """Return the model's question about the inside of the box; None, and a reason counted, when it is unusable."""
    text = rubric_prompt("plugins.research:construct_question").filled(kind=element.kind, text=fenced(element.text))
    shown = (framed(page, element.bbox), text) if model.capacity.images else (text,)
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
    """Say why a question cannot be used; empty when it can. The answer of a text is yes, no, or stands in it."""
    if not words(asked.question) or not words(asked.answer):
        return "nothing to ask about"
    if len(words(asked.answer)) > MOST_WORDS:
        return "the answer is too long"
    if element.kind != "picture" and not set(words(asked.answer)) <= {*words(element.text), *YES_OR_NO}:
        return "the answer does not stand in the box"
    return ""


def _negatives(
    collection: Collection, question: str, element: Element, count: int, dice: random.Random
) -> list[tuple[str, int]] | None:
    """Return `count` pages drawn from the 20 best for the question, but for the element's own; None for too few."""
    if count < 1:
        return []
    own = (element.doc_id, element.page)
    ranked = [(p.doc_id, p.number) for p in collection.search(question, limit=RANKED).pages[:RANKED]]
    others = [page for page in ranked if page != own]
    return dice.sample(others, count) if len(others) >= count else None


def framed(page: Image.Image, box: BBox) -> Image.Image:
    """Return a copy of the page with a red frame around the box, a hundredth of the page's width outside of it."""
    from PIL import ImageDraw

    drawn, width = page.copy(), max(2, page.width // 250)
    x0, y0, x1, y1 = box.to_page(*page.size)
    away = page.width / 100
    corners = (
        max(0.0, x0 - away),
        max(0.0, y0 - away),
        min(page.width - 1, x1 + away),
        min(page.height - 1, y1 + away),
    )
    ImageDraw.Draw(drawn).rectangle(corners, outline=FRAME, width=width)
    return drawn


def alike(
    pages: Sequence[Image.Image], box: BBox, dice: random.Random, *, crop: bool
) -> tuple[list[Image.Image], BBox]:
    """Return the pages as images of one size, and the box, which is of the first, in fractions of its image.

    Smaller pages stand at the top left of a white image. With `crop`, the first is cropped around its box, and the
    others to the same size, elsewhere.
    """
    from PIL import Image

    size = (max(page.width for page in pages), max(page.height for page in pages))
    images = []
    for page in pages:
        images.append(Image.new("RGB", size, "white"))
        images[-1].paste(page, (0, 0))
    moved = BBox.from_page(*box.to_page(*pages[0].size), *size)
    if moved is None or not crop:
        return images, moved or box
    whole, window = images[0].size, window_around(moved, images[0].size, dice)
    left, top, right, bottom = window
    x0, y0, x1, y1 = moved.to_page(*whole)
    inside = BBox.from_page(x0 - left, y0 - top, x1 - left, y1 - top, right - left, bottom - top)
    if inside is None:
        return images, moved
    width, height = right - left, bottom - top
    others = []
    for page, image in zip(pages[1:], images[1:], strict=True):
        x, y = (dice.randint(0, max(0, most - own)) for most, own in zip(page.size, (width, height), strict=True))
        others.append(image.crop((x, y, x + width, y + height)))
    return [images[0].crop(window), *others], inside


def window_around(box: BBox, size: tuple[int, int], dice: random.Random) -> tuple[int, int, int, int]:
    """Draw a window, in whole pixels of an image of this size, that holds the box with a margin."""
    low_x, low_y = dice.uniform(0, max(0.0, box.x0 - MARGIN)), dice.uniform(0, max(0.0, box.y0 - MARGIN))
    high_x, high_y = dice.uniform(min(1.0, box.x1 + MARGIN), 1), dice.uniform(min(1.0, box.y1 + MARGIN), 1)
    width, height = size
    return int(low_x * width), int(low_y * height), -int(-high_x * width // 1), -int(-high_y * height // 1)
