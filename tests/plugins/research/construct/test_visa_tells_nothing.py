"""VISA data of one's own: neither number nor size of the images tells which page answers, or whether any does."""

from __future__ import annotations

import json
import random
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from evaluation import ConstructedRows
from indexing import BBox, Collection, IndexingSettings, build_index
from plugins.research.construct import sft
from plugins.research.construct import visa as construct_visa
from plugins.research.fit import logistic
from rag.llm.images import images_of
from tests.support import documents
from tests.support.fakes import ScriptedModel

SIZES = {"tall": (600, 960), "low": (960, 540), "square": (750, 750)}
"""Points of the pages of three documents: the page that answers is often of the shape that most candidates have."""
PAGES = 8


def line(name: str, number: int) -> str:
    return f"Mill {number} of the {name} valley grinds {100 + number} sacks of barley each day, as its keeper tells us."


class Drawn(Collection):
    """A collection that draws each page once."""

    @cache  # noqa: B019  as long as the tests run
    def draw_page(self, doc_id: str, page: int, width: int = 1400) -> Image.Image:
        """Return the page."""
        return super().draw_page(doc_id, page, width)


@pytest.fixture(scope="module")
def valleys(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """Three documents of eight pages, of three shapes."""
    folder = tmp_path_factory.mktemp("valleys")
    files = [
        documents.pdf(folder / f"{name}.pdf", *([line(name, n)] for n in range(PAGES)), size=size)
        for name, size in SIZES.items()
    ]
    made = Drawn.create("valleys", folder / "home", IndexingSettings(workers=1, visual="none"))
    build_index(made, files)
    return made


def asking() -> ScriptedModel:
    """A model that answers "yes", which needs not to stand in the region."""
    return ScriptedModel(lambda _: json.dumps({"question": "Does the mill of the valley grind?", "answer": "yes"}))


def made_of(collection: Collection, out: Path, **recipe: float) -> ConstructedRows:
    return construct_visa.construct(collection, asking(), out, construct_visa.Recipe(**{"width": 200, **recipe}))  # type: ignore[arg-type]


def sizes_of(row: dict[str, object], folder: Path) -> list[tuple[int, int]]:
    return [sft.size_of(folder / str(name)) for name in row["candidates"]]  # type: ignore[attr-defined]


def beaten(x: np.ndarray, y: np.ndarray) -> float:
    """Return by how much a logistic regression, in 5 folds, is right more often than the commonest answer."""
    folds = np.arange(len(y)) % 5
    guessed = logistic.held_out(np.column_stack([np.ones(len(y)), x]), y, folds, ridge=1.0) > 0.5
    return float((guessed == y).mean() - max(y.mean(), 1 - y.mean()))


@pytest.fixture(scope="module")
def rows(valleys: Collection, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[dict[str, object]], Path]:
    """Six data sets of 24 questions, half of them without an answer and half of them cropped."""
    folder = tmp_path_factory.mktemp("rows")
    found = []
    for seed in range(6):
        made = made_of(valleys, folder / str(seed), count=24, without_answer=0.5, cropped=0.5, seed=seed)
        found += [{**row, "candidates": [f"{seed}/{name}" for name in row["candidates"]]} for row in made.rows]
    return found, folder


@pytest.mark.slow
def test_no_classifier_learns_from_sizes_and_counts_if_there_is_an_answer(
    rows: tuple[list[dict[str, object]], Path],
) -> None:
    """VISA, section 4: 20% lose their answer as a page takes the place of the oracle, so the input looks the same."""
    found, folder = rows
    assert len(found) == 6 * 24
    sizes = [sizes_of(row, folder) for row in found]
    x = np.array([[len(s), *np.mean(s, axis=0), *np.std(s, axis=0), min(h for _, h in s) / s[0][0]] for s in sizes])
    y = np.array([float(row["oracle"] is not None) for row in found])
    assert 0.3 < y.mean() < 0.7
    assert beaten(x, y) <= 0.05
    assert {len(s) for s in sizes} == {3}
    assert beaten(np.column_stack([x, y + 0.1 * x[:, 1]]), y) > 0.3, "a leak would be found"


@pytest.mark.slow
def test_no_size_tells_which_page_answers(rows: tuple[list[dict[str, object]], Path]) -> None:
    found, folder = rows
    answered = [row for row in found if row["oracle"] is not None]
    for row in found:
        assert len(set(sizes_of(row, folder))) == 1
    assert len({size for row in found for size in sizes_of(row, folder)}) > 10, "some are cropped"
    places = Counter(row["oracle"] for row in answered)
    assert min(places[n] for n in range(3)) > len(answered) / 5
    assert all(name.endswith(f"-{n}.png") for row in found for n, name in enumerate(row["candidates"]))  # type: ignore[arg-type, attr-defined]


@pytest.mark.slow
def test_hard_negatives_are_drawn_from_the_20_best_and_not_the_first(valleys: Collection) -> None:
    """Section 4.3: m - 1 of the top k = 20, at random; the page that answers is never among them."""
    element = valleys.page_elements(valleys.documents()[0].id, 1)[0]
    question = "How many sacks does the mill of the tall valley grind?"
    best = [(p.doc_id, p.number) for p in valleys.search(question, limit=20).pages[:20]]
    own = (element.doc_id, element.page)
    drawn = [construct_visa._negatives(valleys, question, element, 2, random.Random(seed)) for seed in range(60)]
    places = Counter(best.index(page) for pages in drawn for page in pages or ())
    assert len(best) == 20
    assert own not in {page for pages in drawn for page in pages or ()}
    assert max(places) >= 15
    assert len(places) >= 15
    assert construct_visa._negatives(valleys, question, element, 24, random.Random(0)) is None


@pytest.mark.slow
def test_the_model_sees_the_whole_page_with_a_frame_around_the_region(valleys: Collection, tmp_path: Path) -> None:
    """Paper-VISA, section 4.2: the page with the region in a red box, not the region alone."""
    model = asking()
    recipe = construct_visa.Recipe(count=1, candidates=1, width=400)
    (row,) = construct_visa.construct(valleys, model, tmp_path, recipe).rows
    (image,) = images_of(model.asked[0])
    source = row["source"]
    page = valleys.draw_page(source["document"], source["page"], 400)
    assert image.size == page.size
    (element,) = (e for e in valleys.page_elements(source["document"], source["page"]) if e.id == source["element"])
    x0, y0, x1, y1 = element.bbox.to_page(*page.size)
    middle = int((y0 + y1) / 2)
    red = [x for x in range(image.width) if image.getpixel((x, middle)) == (224, 16, 32)]
    assert min(red) == pytest.approx(x0 - 4, abs=2)
    assert max(red) == pytest.approx(x1 + 4, abs=2)
    assert page.getpixel((min(red), middle)) != (224, 16, 32), "the page itself is not drawn upon"


def test_images_of_a_question_have_one_size_cropped_or_not() -> None:
    pages = [Image.new("RGB", (100, height), colour) for height, colour in ((80, "green"), (140, "blue"), (60, "red"))]
    box = BBox(0.2, 0.25, 0.6, 0.5)  # 20, 20, 60, 40 in pixels
    images, moved = construct_visa.alike(pages, box, random.Random(0), crop=False)
    assert {image.size for image in images} == {(100, 140)}
    assert moved.to_page(100, 140) == pytest.approx((20, 20, 60, 40))
    assert images[2].getpixel((50, 59)) == (255, 0, 0)
    assert images[2].getpixel((50, 60)) == (255, 255, 255)
    for seed in range(20):
        cut, moved = construct_visa.alike(pages, box, random.Random(seed), crop=True)
        assert len({image.size for image in cut}) == 1
        x0, y0, x1, y1 = moved.to_page(*cut[0].size)
        assert (x1 - x0, y1 - y0) == pytest.approx((40, 20), abs=1)
        assert cut[0].getpixel((int((x0 + x1) / 2), int((y0 + y1) / 2))) == (0, 128, 0)
