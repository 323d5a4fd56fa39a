"""Images among results, and questions that are restricted to documents and pages."""

import json
import shutil
from pathlib import Path

import pytest
from PIL import Image

from indexing import BadFilter, Collection, Metadata, NothingFits
from indexing.embed.minilm import MiniLM
from rag import Answer, Pipeline, RagSettings
from rag.llm.images import images_of
from tests.support import fakes
from tests.support.writers import Writer, said

QUOTE = RagSettings(mode="text", print_check=False)
WRITE = RagSettings(method="vanilla", mode="text", judge="rules", print_check=False, top_k=3, queries=1)
HARBOUR = (
    "The harbour bridge opened in 1931.",
    "The harbour bridge is 90 metres long.",
    "The harbour bridge is steel.",
)
IMAGES = {
    "bridge.png": ("bridge", HARBOUR),
    "red-kite.png": ("red kite over the moor", ()),
    "IMG_7.png": (f"IMG 7. Taken {'late in the afternoon of a grey day, ' * 3}and it shows a lighthouse in fog", ()),
}
BRIDGE = "What is known of the harbour bridge?"
OPENED = "When did the harbour bridge open?"
RED = (200, 0, 0)


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Collection:
    """An image with writing on it, two photos without, and a document of text; the images are red."""
    made = fakes.collection(tmp_path_factory.mktemp("gallery"), embedder, "gallery")
    fakes.index(made, {"mill.pdf": [["The mill was built in 1887 by Anna Holm.", "It grinds rye in October."]]})
    picture = tmp_path_factory.mktemp("red") / "red.png"
    Image.new("RGB", (300, 200), RED).save(picture)
    with made.writer() as writer:
        for name, (caption, texts) in IMAGES.items():
            document = fakes.document(name, [texts])
            writer.add(fakes.image_page(document.id, caption, texts))
            writer.finish(document, Path("/nowhere"))
        writer.flush()
    for document in (d for d in made.documents() if d.is_image):
        shutil.copy(picture, made.path / "sources" / f"{document.sha256}.png")
    return made


def found(collection: Collection, question: str, **options: object) -> list[tuple[str, str]]:
    """The evidence: documents, each with the text that was found in it."""
    _, retrieved = Pipeline(collection, QUOTE).retrieve(question, **options)  # type: ignore[arg-type]
    return [(item.document, item.element.text) for item in retrieved.evidence]


def kinds(answer: Answer) -> list[str]:
    return ["whole" if item.element.whole_image else item.element.text for item in answer.evidence]


def test_an_image_stands_whole_among_the_results_only_where_nothing_on_it_was_found(gallery: Collection) -> None:
    results = found(gallery, "bridge", top_k=6)
    assert ("bridge.png", "") not in results
    assert {text for name, text in results if name == "bridge.png"} == set(HARBOUR)
    assert len(results) == len(set(results)) == 6


def test_what_ocr_read_is_quoted_with_its_own_box(gallery: Collection) -> None:
    answer = Pipeline(gallery, QUOTE).answer(OPENED)
    assert answer.sentences[0].text == HARBOUR[0]
    assert all(citation.bbox.area < 0.1 for citation in answer.citations)


def test_an_image_takes_one_place_of_those_that_are_written_from(gallery: Collection) -> None:
    """All three pieces of the bridge are better hits than any other document: K = 3 counts its image once."""
    model = Writer(said((HARBOUR[0], ["E2"])))
    answer = Pipeline(gallery, WRITE, model=model).answer(BRIDGE)
    assert kinds(answer)[0] == "whole"
    assert set(kinds(answer)[1:4]) == set(HARBOUR)
    assert len({item.label for item in answer.evidence}) == len(answer.evidence)
    assert len(kinds(answer)[4:]) == 2
    assert "bridge.png" not in {item.document for item in answer.evidence[4:]}


@pytest.mark.slow
@pytest.mark.gate
def test_a_model_sees_the_image_once_with_what_was_read_on_it_framed(gallery: Collection) -> None:
    model = Writer(said((HARBOUR[0], ["E2"])))
    settings = WRITE.model_copy(update={"mode": "multi"})
    answer = Pipeline(gallery, settings, model=model).answer(BRIDGE, documents=["bridge.png"])
    assert kinds(answer)[0] == "whole"
    assert answer.notes == ()
    (image,) = images_of(model.asked[0])
    assert image.width > image.height
    assert any(image.getpixel((x, image.height // 2)) == RED for x in range(image.width))
    prompt = fakes.text_of(model.asked[0])
    assert "[E1] whole image, named: bridge\n" in prompt
    assert prompt.count("] whole image") == 1


def planned(*texts: str) -> fakes.ScriptedModel:
    """A model that makes these text-seeking queries, and no others."""
    return fakes.ScriptedModel(lambda _: json.dumps({"text_queries": texts, "image_queries": texts}))


PAGES = {"mill.pdf": [["The mill grinds rye."]], "barn.pdf": [["The barn holds cider and rye."]]}


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Collection:
    collection = fakes.collection(tmp_path_factory.mktemp("farm"), embedder)
    for document in fakes.index(collection, PAGES):
        with collection.writer() as writer:
            writer.describe(document.id, Metadata(tags=(document.name[:4],), missing=document.name == "mill.pdf"))
    return collection


def found_of_scope(farm: Collection, **options: object) -> set[str]:
    pipeline = Pipeline(farm, RagSettings(print_check=False))
    _, retrieved = pipeline.retrieve("What grinds rye?", mode="text", **options)  # type: ignore[arg-type]
    return {item.document for item in retrieved.evidence}


def test_a_question_is_put_to_the_documents_that_fit(farm: Collection) -> None:
    assert (
        found_of_scope(farm)
        == found_of_scope(farm, where=None)
        == found_of_scope(farm, where=" ")
        == {"mill.pdf", "barn.pdf"}
    )
    assert found_of_scope(farm, where="tag=barn") == {"barn.pdf"}
    assert found_of_scope(farm, where="tag=barn or tag=mill", documents=["mill.pdf"]) == {"mill.pdf"}
    assert found_of_scope(farm, where="missing") == {"mill.pdf"}


def test_where_none_is_left_nothing_is_asked(farm: Collection) -> None:
    for options, says in (
        ({"where": "tag=hens"}, "tag is one of"),
        ({"where": "tag=barn", "documents": ["mill.pdf"]}, "the document that you chose does not match"),
        ({"where": "tag=hens or kind=md", "documents": ["mill.pdf", "barn.pdf"]}, "matches the filter"),
    ):
        with pytest.raises(NothingFits, match=says):
            found_of_scope(farm, **options)
    with pytest.raises(BadFilter, match="column 4"):
        found_of_scope(farm, where="tag")


def test_a_text_is_checked_against_the_documents_that_fit(farm: Collection) -> None:
    pipeline = Pipeline(farm, RagSettings(print_check=False))
    said = pipeline.check("", "The mill grinds rye.", mode="text", where="tag=mill")
    assert {c.document for s in said.sentences for c in s.citations} == {"mill.pdf"}
    assert any("mill.pdf: its file is gone" in note for note in said.notes)
    said = pipeline.check("", "The mill grinds rye.", mode="text", where="tag=barn")
    assert "mill.pdf" not in {c.document for s in said.sentences for c in s.citations}
    with pytest.raises(NothingFits):
        pipeline.check("", "The mill grinds rye.", where="tag=hens")


RULES = RagSettings(method="vanilla", mode="text", judge="rules", print_check=False)
BUS = "A ticket costs two crowns."


def test_a_model_reads_all_of_the_named_pages_in_their_order(town: Collection) -> None:
    mill, bus = town.document("mill.pdf").id, town.document("bus.pdf").id
    model = Writer(said((BUS, ["E2"])))
    pages = ((mill, 2), (bus, 1))
    answer = Pipeline(town, RULES, model=model).answer("When was the mill built?", pages=pages)
    assert [(e.element.doc_id, e.element.page) for e in answer.evidence] == list(pages)
    assert [(p.doc_id, p.number) for p in answer.pages] == list(pages)
    assert (answer.queries, answer.confidence, answer.sentences[0].verdict) == ((), 0, "confirmed")
    assert answer.citations[0].document == "bus.pdf"
