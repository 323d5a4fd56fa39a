"""Every weight of ranking decides an order somewhere: by its default one page is first, without it another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from indexing import BBox, Collection, Hints, Page, ParsedPage, SearchSettings
from tests.support import fakes


class Scene(NamedTuple):
    """Files, a question about them, and the texts in their order by the default of a weight and without it."""

    files: dict[str, list[list[str]]]
    question: str
    weight: str
    hints: Hints
    ranked: list[str]
    without: list[str]


RYE = "Rye is sown in October."
NUMBER, OTHER = "In 1931 came an order, its number 7741", "Order number 7742"
MILL, ITS_PRICE, ANOTHER_PRICE = "The mill of Anna Holm.", "Price: nine crowns.", "Its price was ten crowns."
TITLE, INSIDE = "A book by Anna Holm", "A writer of books owns the mill."
SCENES = (
    Scene(
        {"a.pdf": [[OTHER], [NUMBER], [RYE]]}, "order 7741", "full_text_weight", Hints(),
        [NUMBER, OTHER, RYE], [OTHER, NUMBER, RYE],
    ),
    Scene(
        {"mill.pdf": [[MILL], [ITS_PRICE]], "farm.pdf": [[ANOTHER_PRICE]]},
        "What was the price of the mill of Anna Holm?", "document_weight", Hints(),
        [MILL, ITS_PRICE, ANOTHER_PRICE], [MILL, ANOTHER_PRICE, ITS_PRICE],
    ),
    Scene(
        {"book.pdf": [[TITLE], [INSIDE]]}, "Who is the author?", "front_bonus", Hints(front=True),
        [TITLE, INSIDE], [INSIDE, TITLE],
    ),
)  # fmt: skip


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.weight)
def test_without_its_weight_the_order_is_another(collection: Collection, scene: Scene) -> None:
    fakes.index(collection, scene.files)
    orders = [
        [hit.element.text for hit in collection.search(scene.question, hints=scene.hints, settings=settings).hits]
        for settings in (SearchSettings(), SearchSettings.model_validate({scene.weight: 0}))
    ]
    assert orders == [scene.ranked, scene.without]


@pytest.mark.parametrize("kind", ["picture", "table"])
def test_a_page_of_what_is_asked_about_counts_more(collection: Collection, kind: str) -> None:
    """Three pages say the same, the last in a picture (table) of half its size."""
    document = fakes.document("bar.pdf", [["same"]] * 3)
    with collection.writer() as writer:
        for number in (1, 2, 3):
            element = fakes.element("The seals rest on the bar.", document.id, number)
            if number == 3:
                element = replace(element, kind=kind, bbox=BBox(0, 0, 1, 0.5))
            writer.add(ParsedPage(Page(document.id, number, 420.0, 595.0), (element,)))
        writer.finish(document, Path("/nowhere"))
        writer.flush()
    hints = Hints(pictures=kind == "picture", tables=kind == "table")
    for asked, settings, first in (
        (hints, SearchSettings(), 3),
        (hints, SearchSettings(kind_bonus=0), 1),
        (Hints(pictures=hints.tables, tables=hints.pictures), SearchSettings(), 1),
    ):
        found = collection.search("Where do the seals rest?", hints=asked, settings=settings)
        assert found.pages[0].number == first
