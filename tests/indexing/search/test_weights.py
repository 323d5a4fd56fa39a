"""The weights of ranking, and the arrays that search reads."""

import logging
import stat
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from indexing import BBox, Collection, Hints, Page, ParsedPage, SearchSettings
from indexing.embed.minilm import MiniLM
from indexing.search.index_arrays import ArrayFile, index_arrays, index_file, map_arrays
from indexing.search.memory_index import read_memory_index
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


PAGES = {"harbour.pdf": [["Figure 3: The harbour of Bergen.", "It was built in 1802."], ["The crane lifts nine tons."]]}


@pytest.fixture
def made(tmp_path: Path, embedder: MiniLM) -> Collection:
    collection = fakes.collection(tmp_path, embedder, "harbour")
    fakes.index(collection, PAGES)
    return collection


def test_the_file_holds_what_the_tables_hold(made: Collection, embedder: MiniLM) -> None:
    snapshot = made.snapshot()
    kept, read = index_arrays(snapshot, kept_pages=0), index_arrays(snapshot)
    assert index_file(snapshot).is_file()
    assert set(read) < set(kept)  # the lists too
    for name, array in read.items():
        assert kept[name].dtype == array.dtype, name
        assert np.array_equal(kept[name], array), name
    assert not kept["text.codes"].flags.writeable
    assert stat.S_IMODE(index_file(snapshot).stat().st_mode) == 0o600
    views = [read_memory_index(snapshot, kept_pages=n).views["text"] for n in (0, 9)]
    scores = [view.code_scores([embedder.embed_query("What does it lift?")], embedder.codebook()) for view in views]
    assert np.array_equal(*scores)


@pytest.mark.parametrize("damage", ["cut", "footer", "array", "emptied"])
def test_a_damaged_file_is_made_anew(made: Collection, damage: str, caplog: pytest.LogCaptureFixture) -> None:
    snapshot = made.snapshot()
    before = {name: array.copy() for name, array in index_arrays(snapshot, kept_pages=0).items()}
    path = index_file(snapshot)
    data = bytearray(path.read_bytes())
    if damage == "cut":
        data = data[:-1000]
    elif damage == "footer":
        data[-40] ^= 1
    elif damage == "array":
        data[data.index(before["text.residuals"].tobytes())] ^= 1
    path.write_bytes(b"" if damage == "emptied" else data)
    with caplog.at_level(logging.WARNING):
        after = index_arrays(snapshot, kept_pages=0)
    assert "is damaged" in caplog.text
    assert all(np.array_equal(after[name], array) for name, array in before.items())


def test_where_nothing_can_be_written_the_tables_are_read(made: Collection, caplog: pytest.LogCaptureFixture) -> None:
    snapshot = made.snapshot()
    index_file(snapshot).parent.write_text("a file where the folder would be")
    with caplog.at_level(logging.WARNING):
        found = index_arrays(snapshot, kept_pages=0)
    assert "cannot be written" in caplog.text
    assert len(found["doc"]) == 2


def test_a_file_that_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "arrays"
    with ArrayFile(path, "one") as file:
        file.add("numbers", iter([np.arange(3), np.arange(4)]))
    with pytest.raises(ZeroDivisionError), ArrayFile(path, "two") as file:
        file.add("numbers", (np.arange(5 // n) for n in (1, 0)))
    assert [each.name for each in tmp_path.iterdir()] == ["arrays"]
    found = map_arrays(path, "one")
    assert found is not None
    assert found["numbers"].tolist() == [0, 1, 2, 0, 1, 2, 3]
    assert map_arrays(path, "two") is None
