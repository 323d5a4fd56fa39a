"""Method visa from question to answer: the element under the model's box is cited, and checked like any other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from indexing import BBox, Collection
from indexing.embed.minilm import MiniLM
from rag import Pipeline, RagSettings
from rag.errors import ImageRefused, NoModel, PagesNotShown
from rag.llm.images import images_of
from rag.llm.settings import ModelSettings
from rag.types import DrawnBox
from tests.support import documents, fakes
from tests.support.fakes import ScriptedModel
from tests.ui import real_collection

SERVED = ModelSettings(base_url="http://127.0.0.1:9/v1", name="scripted")
SETTINGS = RagSettings(model=SERVED, method="visa", judge="rules")
ASK = "When was the mill built?"
NOWHERE = BBox(0.9, 0.9, 0.99, 0.99)


@pytest.fixture(scope="module")
def mill(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Collection:
    folder = tmp_path_factory.mktemp("pointing")
    made = fakes.collection(folder / "home", embedder)
    real_collection.shelve(made, documents.pdf(folder / "mill.pdf", real_collection.LINES))
    return made


def line(collection: Collection, number: int) -> BBox:
    (document,) = collection.documents()
    return collection.page_elements(document.id, 1)[number].bbox


def answering(text: str, box: BBox, page: int = 1, answerable: bool = True) -> ScriptedModel:
    corners = [round(v) for v in box.to_page(1000, 1000)]
    said = {"answerable": answerable, "answer": text, "page": page, "box": corners}
    return ScriptedModel(lambda _: json.dumps(said))


@pytest.mark.slow
@pytest.mark.gate
def test_the_element_under_the_box_is_cited(mill: Collection) -> None:
    model = answering("The mill was built in 1887.", line(mill, 0))
    answer = Pipeline(mill, SETTINGS, model=model).answer(ASK)
    (sentence,) = answer.sentences
    (citation,) = sentence.citations
    assert (sentence.verdict, citation.bbox) == ("confirmed", line(mill, 0))
    assert citation.label in {e.label for e in answer.evidence}
    assert (answer.method, answer.usage.calls, len(images_of(model.asked[0]))) == ("visa", 1, 1)
    assert {"retrieve", "draw", "answer", "check"} <= answer.timings.keys()


@pytest.mark.slow
def test_what_the_model_drew_is_kept_and_never_shown(mill: Collection) -> None:
    there = line(mill, 0)
    drawn = BBox(round(there.x0, 3), round(there.y0 - 0.01, 3), round(there.x1, 3), round(there.y1, 3))
    answer = Pipeline(mill, SETTINGS, model=answering("The mill was built in 1887.", drawn)).answer(ASK)
    (document,) = mill.documents()
    assert answer.drawn == DrawnBox(document.id, 1, drawn)
    assert [c.bbox for c in answer.citations] == [there]
    assert "drawn" not in answer.to_json()
    nothing = Pipeline(mill, SETTINGS, model=answering("", NOWHERE, 0, answerable=False)).answer(ASK)
    assert (nothing.drawn, nothing.abstained, bool(nothing.evidence)) == (None, True, True)


@pytest.mark.slow
def test_what_was_not_retrieved_becomes_evidence(mill: Collection) -> None:
    model = answering("Nine barrels of cider lie in its cellar.", line(mill, 1))
    pipeline = Pipeline(mill, SETTINGS, model=model)
    answer = pipeline.answer(ASK, top_k=1)
    assert [e.label for e in answer.evidence] == ["E1", "E2"]
    assert answer.citations[0].label == "E2"
    assert pipeline.recheck(answer).sentences == answer.sentences


@pytest.mark.slow
def test_a_box_on_nothing_is_pointed_to_what_proves_it(mill: Collection) -> None:
    answer = Pipeline(mill, SETTINGS, model=answering("The mill was built in 1887.", NOWHERE)).answer(ASK)
    assert [c.bbox for c in answer.citations] == [line(mill, 0)]


@pytest.mark.slow
@pytest.mark.parametrize("number", [pytest.param(0, marks=pytest.mark.gate), 1])
def test_what_the_pages_do_not_say_has_no_box_wherever_the_model_points(mill: Collection, number: int) -> None:
    answer = Pipeline(mill, SETTINGS, model=answering("The mill was built in 1888.", line(mill, number))).answer(ASK)
    assert [(s.verdict, s.proof) for s in answer.sentences] == [("unconfirmed", ())]
    assert all(citation.role == "unconfirmed" for citation in answer.citations)


@pytest.mark.slow
def test_pages_for_which_the_model_has_no_room_are_noted(tmp_path: Path, embedder: MiniLM) -> None:
    mills, _, _ = real_collection.mill(tmp_path, embedder, "old.pdf", "new.pdf")
    said = answering("", NOWHERE, 0, answerable=False)
    both = Pipeline(mills, SETTINGS, model=said).answer(ASK)
    one = Pipeline(mills, SETTINGS, model=ScriptedModel(said._says, images=1)).answer(ASK)
    assert (len(both.pages), both.notes) == (2, ())
    last = both.pages[1].document
    assert one.notes == (f"scripted was not shown page 1 of {last}: there was no room for more",)


@pytest.mark.slow
@pytest.mark.gate
def test_pages_that_are_named_are_shown_in_their_order(tmp_path: Path, embedder: MiniLM) -> None:
    """All of them, whatever was found, or none: a model without room for all is not asked."""
    mills, found, _ = real_collection.mill(tmp_path, embedder, "old.pdf", "new.pdf")
    old, new = (document.id for document in found)
    for order in ([old, new], [new, old], [new, old, new]):
        model = answering("The mill was built in 1887.", NOWHERE)
        pages = [(doc_id, 1) for doc_id in order]
        answer = Pipeline(mills, SETTINGS, model=model).answer("Why?", pages=pages)
        assert len(images_of(model.asked[0])) == len(order)
        assert answer.drawn is not None
        assert answer.drawn.doc_id == order[0]
    narrow = ScriptedModel(model._says, images=2)
    with pytest.raises(ImageRefused, match="3 pages are to be shown, and scripted takes only 2 images"):
        Pipeline(mills, SETTINGS, model=narrow).answer(ASK, pages=pages)
    assert narrow.asked == []
    with pytest.raises(PagesNotShown, match="method quote searches, and cannot be given pages"):
        Pipeline(mills, SETTINGS).answer(ASK, pages=pages, method="quote")


def test_pages_that_are_gone_are_noted_and_nothing_is_asked(town: Collection) -> None:
    model = answering("In 1887.", NOWHERE)
    answer = Pipeline(town, SETTINGS, model=model).answer(ASK)
    assert answer.abstained
    assert model.asked == []
    assert "was not shown: the copy of" in answer.notes[0]


def test_it_needs_to_know_how_the_model_writes_boxes(town: Collection) -> None:
    with pytest.raises(NoModel, match=r"method visa needs rag\.model"):
        Pipeline(town, RagSettings(method="visa"), model=answering("x", NOWHERE)).answer(ASK)
