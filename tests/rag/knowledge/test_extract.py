"""Knowledge of evidence: tables by their cells, pictures by the model, once; a failure costs one element its own."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from indexing import BBox, Cell, Collection, Element, IndexingError
from indexing.embed.minilm import MiniLM
from rag.errors import ServerDown
from rag.knowledge.extract import PROMPT_VERSION, Extractor, Knowledge, needs_model, with_knowledge
from rag.knowledge.tables import MOST_CHARS, facts_of_table
from rag.llm.chat import Message
from rag.llm.images import images_of
from rag.types import Evidence
from tests.support import fakes
from tests.support.fakes import ScriptedModel, text_of

CHART = {
    "kind": "chart",
    "shows": "Passengers by year.",
    "axes": "year; thousands",
    "facts": [{"series": "Harbour Loop", "at": "2024", "value": "968 thousand"}, {"series": "", "at": "", "value": ""}],
    "seen": ["The line rises.", "The line rises."],
}
TOLD = "chart: Passengers by year.\naxes: year; thousands\nHarbour Loop, 2024: 968 thousand\n- The line rises."


def table(rows: list[list[str]], **other: object) -> Element:
    text, cells = "", []
    for r, row in enumerate(rows):
        text += "\n" if r else ""
        for c, value in enumerate(row):
            text += " | " if c else ""
            top = 0.1 + 0.8 * r / len(rows)
            box = BBox(0.1 + 0.2 * c, top, 0.28 + 0.2 * c, top + 0.5 / len(rows))
            cells.append(Cell(r, c, 1, 1, len(text), len(text) + len(value), box, r == 0))
            text += value
    return replace(fakes.element(text, kind="table"), cells=tuple(cells), **other)  # type: ignore[arg-type]


STAGES = table([["Stage", "Seats", "Grade"], ["Merrow", "12", "A"], ["Quay", "9", "B"]], caption="Table 1: Stages")


def test_a_table_is_told_row_by_row_under_its_heads() -> None:
    assert facts_of_table(STAGES) == "Table 1: Stages\nMerrow: Seats = 12; Grade = A\nQuay: Seats = 9; Grade = B"


def test_groups_stand_before_the_labels_of_their_rows() -> None:
    made = table(
        [["", "2023", "2024"], ["Income", "", ""], ["Fares", "12", "14"], ["Costs", "", ""], ["Fares", "3", "4"]]
    )
    made = replace(made, cells=tuple(c for c in made.cells if c.end > c.start))
    assert facts_of_table(made).splitlines() == [
        "Income, Fares: 2023 = 12; 2024 = 14",
        "Costs, Fares: 2023 = 3; 2024 = 4",
    ]


def test_a_table_without_cells_is_read_by_its_bars() -> None:
    made = fakes.element("Stage | Seats\nMerrow | 12", kind="table")
    assert facts_of_table(made) == "Merrow: Seats = 12"


@pytest.mark.parametrize("text", ["", "\n", "Stage", "|||"])
def test_a_table_without_values_tells_nothing(text: str) -> None:
    assert facts_of_table(fakes.element(text, kind="table")) == ""


def test_a_long_table_is_cut_between_rows_and_says_so() -> None:
    told = facts_of_table(table([["Stage", "Seats"], *([f"Stage {n} {'x' * 40}", str(n)] for n in range(400))]))
    assert len(told) <= MOST_CHARS + 40
    *rows, last = told.splitlines()
    assert last == f"({400 - len(rows)} more rows)"


@pytest.fixture
def shelf(tmp_path: Path, embedder: MiniLM) -> tuple[Collection, list[Element]]:
    """A collection with a paragraph, a table and two pictures."""
    made = fakes.collection(tmp_path, embedder)
    document = fakes.document("report.pdf", [["x"]])
    found = [
        fakes.element("Rye is ground here.", document.id),
        replace(STAGES, id=f"{document.id}-1-2", doc_id=document.id),
        fakes.element("Harbour Loop", document.id, 1, 3, kind="picture"),
        fakes.element("", document.id, 1, 4, kind="picture"),
    ]
    with made.writer() as writer:
        writer.add(replace(fakes.parsed(document.id, 1, []), elements=tuple(found)))
        writer.finish(document, Path("/nowhere"))
        writer.flush()
    return made, found


def crop(element: Element) -> Image.Image:
    return Image.new("RGB", (40, 30), "red" if element.text else "blue")


def said(collection: Collection, model: ScriptedModel, elements: list[Element]) -> dict[str, Knowledge]:
    return {e.id: s for e, s in Extractor(collection, model, crop).extract(elements)}


def test_each_kind_in_its_way(shelf: tuple[Collection, list[Element]]) -> None:
    collection, elements = shelf
    model = ScriptedModel(lambda _: json.dumps(CHART))
    found = said(collection, model, elements)
    assert [found[e.id].text for e in elements] == ["", facts_of_table(elements[1]), TOLD, TOLD]
    assert [found[e.id].usage.calls for e in elements] == [0, 0, 1, 1]
    assert [needs_model(e) for e in elements] == [False, False, True, True]
    assert len(model.asked) == 2


def test_the_question_is_not_told_and_the_caption_is(shelf: tuple[Collection, list[Element]]) -> None:
    collection, elements = shelf
    model = ScriptedModel(lambda _: json.dumps(CHART))
    captioned = replace(elements[2], caption="Figure 1: [E1] Passengers", section=("Report", "Traffic"))
    said(collection, model, [captioned])
    assert "It stands under: Report / Traffic / Figure 1: (E1] Passengers" in text_of(model.asked[0])
    assert [image.getpixel((0, 0)) for image in images_of(model.asked[0])] == [(255, 0, 0)]


def test_what_was_said_is_not_asked_again_even_by_another_process(
    shelf: tuple[Collection, list[Element]], embedder: MiniLM
) -> None:
    collection, elements = shelf
    said(collection, ScriptedModel(lambda _: json.dumps(CHART)), elements)
    again = Collection.open("made-up", collection.path.parent)
    vars(again)["_embedder"] = embedder
    model = ScriptedModel(lambda _: "never asked")
    assert [said(again, model, elements)[e.id].text for e in elements[2:]] == [TOLD, TOLD]
    assert model.asked == []
    assert collection.knowledge.read(elements, "scripted", PROMPT_VERSION).keys() == {e.id for e in elements[2:]}


def test_another_model_is_asked_itself(shelf: tuple[Collection, list[Element]]) -> None:
    collection, elements = shelf
    said(collection, ScriptedModel(lambda _: json.dumps(CHART)), elements)
    other = ScriptedModel(lambda _: json.dumps({**CHART, "shows": "A map."}), name="other")
    assert said(collection, other, elements[2:3])[elements[2].id].text.startswith("chart: A map.")


@pytest.mark.parametrize(
    "bad", ["", "no JSON", "{}", json.dumps({**CHART, "kind": "poem"}), ServerDown("nobody answers")]
)
def test_a_failure_costs_one_elements_knowledge_and_is_not_kept(
    shelf: tuple[Collection, list[Element]], bad: str | ServerDown
) -> None:
    collection, elements = shelf

    def says(messages: Sequence[Message]) -> str | ServerDown:
        (picture,) = images_of(messages)
        return bad if picture.getpixel((0, 0)) == (0, 0, 255) else json.dumps(CHART)

    found = said(collection, ScriptedModel(says), elements)
    assert found[elements[2].id].text == TOLD
    assert found[elements[3].id].text == ""
    assert found[elements[3].id].problem
    assert collection.knowledge.read(elements, "scripted", PROMPT_VERSION).keys() == {elements[2].id}


def test_what_cannot_be_drawn_goes_without(shelf: tuple[Collection, list[Element]]) -> None:
    collection, elements = shelf

    def fails(_: Element) -> Image.Image:
        raise IndexingError("the copy is gone")

    model = ScriptedModel(lambda _: json.dumps(CHART))
    found = dict(Extractor(collection, model, fails).extract(elements[2:3]))
    assert found[elements[2]].problem == "its picture cannot be drawn: the copy is gone"
    assert model.asked == []


def test_while_somebody_indexes_it_is_told_and_not_kept(
    shelf: tuple[Collection, list[Element]], caplog: pytest.LogCaptureFixture
) -> None:
    collection, elements = shelf
    with Collection.open("made-up", collection.path.parent)._locked():
        found = said(collection, ScriptedModel(lambda _: json.dumps(CHART)), elements)
    assert found[elements[2].id].text == TOLD
    assert "is being written by" in caplog.text
    assert collection.knowledge.read(elements, "scripted", PROMPT_VERSION) == {}


def test_without_eyes_tables_are_told_all_the_same(shelf: tuple[Collection, list[Element]]) -> None:
    collection, elements = shelf
    model = ScriptedModel(lambda _: "never asked", images=0)
    found = said(collection, model, elements)
    assert found[elements[1].id].text == facts_of_table(elements[1])
    assert found[elements[2].id].problem == "needs a model that sees images (rag.model.images)"
    assert model.asked == []


def test_stopped_in_the_middle_what_was_said_is_kept(shelf: tuple[Collection, list[Element]]) -> None:
    collection, elements = shelf
    first = threading.Event()

    def says(_: object) -> str:
        first.set()
        return json.dumps(CHART)

    extracting = Extractor(collection, ScriptedModel(says), crop, at_once=1).extract(elements[2:])
    element, _ = next(extracting)
    extracting.close()
    assert first.is_set()
    assert element.id in collection.knowledge.read(elements, "scripted", PROMPT_VERSION)


def test_an_element_that_is_there_twice_is_asked_once(shelf: tuple[Collection, list[Element]]) -> None:
    collection, elements = shelf
    model = ScriptedModel(lambda _: json.dumps(CHART))
    said(collection, model, [elements[2], elements[2]])
    assert len(model.asked) == 1


def test_evidence_carries_what_was_said() -> None:
    evidence = [Evidence("E1", STAGES, "r.pdf", 1.0), Evidence("E2", fakes.element("x", ordinal=9), "r.pdf", 0.5)]
    found = with_knowledge(evidence, {STAGES.id: Knowledge("Merrow: Seats = 12")})
    assert [e.knowledge for e in found] == ["Merrow: Seats = 12", ""]
    assert [replace(e, knowledge="") for e in found] == evidence
