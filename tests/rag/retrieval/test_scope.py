"""What is searched: documents that are named or fit a filter, pages that are named."""

import pytest

from indexing import BadFilter, Collection, Metadata, NothingFits
from indexing.embed.minilm import MiniLM
from rag import Pipeline, RagSettings
from tests.support import fakes
from tests.support.writers import Writer, said

PAGES = {"mill.pdf": [["The mill grinds rye."]], "barn.pdf": [["The barn holds cider and rye."]]}


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Collection:
    collection = fakes.collection(tmp_path_factory.mktemp("farm"), embedder)
    for document in fakes.index(collection, PAGES):
        with collection.writer() as writer:
            writer.describe(document.id, Metadata(tags=(document.name[:4],), missing=document.name == "mill.pdf"))
    return collection


def found(farm: Collection, **options: object) -> set[str]:
    pipeline = Pipeline(farm, RagSettings(print_check=False))
    _, retrieved = pipeline.retrieve("What grinds rye?", mode="text", **options)  # type: ignore[arg-type]
    return {item.document for item in retrieved.evidence}


def test_a_question_is_put_to_the_documents_that_fit(farm: Collection) -> None:
    assert found(farm) == found(farm, where=None) == found(farm, where=" ") == {"mill.pdf", "barn.pdf"}
    assert found(farm, where="tag=barn") == {"barn.pdf"}
    assert found(farm, where="tag=barn or tag=mill", documents=["mill.pdf"]) == {"mill.pdf"}
    assert found(farm, where="missing") == {"mill.pdf"}


def test_where_none_is_left_nothing_is_asked(farm: Collection) -> None:
    for options, says in (
        ({"where": "tag=hens"}, "tag is one of"),
        ({"where": "tag=barn", "documents": ["mill.pdf"]}, "the document that you chose does not match"),
        ({"where": "tag=hens or kind=md", "documents": ["mill.pdf", "barn.pdf"]}, "matches the filter"),
    ):
        with pytest.raises(NothingFits, match=says):
            found(farm, **options)
    with pytest.raises(BadFilter, match="column 4"):
        found(farm, where="tag")


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
