"""Every weight of ranking decides an order somewhere: by its default one page is first, without it another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from indexing import BBox, Collection, Hints, Page, ParsedPage, Region, SearchSettings
from indexing.embed.minilm import MiniLM
from indexing.search import candidates as search
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


def test_the_front_is_first_only_where_the_question_asks_for_it(collection: Collection) -> None:
    fakes.index(collection, {"book.pdf": [[TITLE], [INSIDE]]})
    assert collection.search("Who is the author?").hits[0].element.text == INSIDE


@pytest.mark.parametrize(("weight", "order"), [(0.0, [1, 2]), (0.6, [2, 1]), (1.0, [2, 1])])
def test_pixels_count_by_their_weight(collection: Collection, weight: float, order: list[int]) -> None:
    """The first page says what is asked for, the second one shows it and says something like it."""
    pages = [
        ("The mill was built in 1887.", "Nothing to see."),
        ("The mill grinds rye.", "The mill was built in 1887."),
    ]
    document = fakes.document("mill.pdf", [[text] for text, _ in pages])
    with collection.writer() as writer:
        for number, (text, shown) in enumerate(pages, 1):
            element = fakes.element(text, document.id, number)
            page = Page(document.id, number, 420.0, 595.0)
            writer.add(ParsedPage(page, (element,), (Region(element.bbox, shown),)))
        writer.finish(document, Path("/nowhere"))
        writer.flush()
    settings = SearchSettings(read_weight=weight)
    found = collection.search("When was the mill built?", mode="multi", settings=settings)
    assert [hit.element.page for hit in found.hits] == order


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


def test_full_text_adds_pages_that_codes_leave_out(tmp_path: Path, embedder: MiniLM) -> None:
    """With one page chosen by codes, the others are those of the words: as many as they may add."""
    collection = fakes.collection(tmp_path, embedder)
    texts = [[f"Ledger {n}: barrels of cider and sacks of rye."] for n in range(search.ALL_PAGES + 6)]
    fakes.index(collection, {"ledger.pdf": texts})
    counts = [
        len(
            collection.search("Ledger 7", limit=50, settings=SearchSettings(code_candidates=1, text_candidates=n)).pages
        )
        for n in (0, 5, 12)
    ]
    assert counts[0] == 1
    assert counts[1] in (5, 6)
    assert counts[2] in (12, 13)
