"""The retriever in LlamaIndex's own pipelines: nodes with their places, in all three modes."""

from __future__ import annotations

from pathlib import Path

import pytest
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever, QueryFusionRetriever
from llama_index.core.retrievers.fusion_retriever import FUSION_MODES
from llama_index.core.schema import QueryBundle

from indexing import Collection, DocumentMissing, Mode
from rag import Pipeline, VouchRetriever
from tests.support import documents

ROOT = Path(__file__).resolve().parents[3]
MODES: tuple[Mode, ...] = ("text", "image", "multi")
BRIDGE = "When did the harbour bridge open?"
LIGHTHOUSE = "When was the lighthouse lit?"
MILL = "When was the mill built?"


@pytest.fixture(scope="module")
def harbour(seen: Collection) -> Pipeline:
    return Pipeline(seen)


def documents_of(retriever: BaseRetriever, question: str) -> list[str]:
    return [found.node.metadata["document"] for found in retriever.retrieve(question)]


@pytest.mark.parametrize("mode", MODES)
def test_a_node_holds_its_element_and_its_place(harbour: Pipeline, mode: Mode) -> None:
    best = VouchRetriever(harbour, mode).retrieve(BRIDGE)[0]
    document = harbour.collection.document("scan.pdf")
    (element,) = harbour.collection.page_elements(document.id, 1)
    assert best.node.node_id == best.node.metadata["element_id"] == element.id
    assert best.node.get_content() == element.text == "The harbour bridge opened in 1931."
    told = best.node.metadata
    assert (told["document"], told["doc_id"], told["page"], told["kind"]) == ("scan.pdf", document.id, 1, "text")
    assert told["bbox"] == pytest.approx(element.bbox.as_tuple())
    assert best.score == pytest.approx(harbour.retrieve(BRIDGE, mode=mode)[1].evidence[0].score)


def test_what_only_pixels_tell_is_found_by_the_modes_that_see_them(harbour: Pipeline) -> None:
    text, image, multi = (documents_of(VouchRetriever(harbour, mode), LIGHTHOUSE) for mode in MODES)
    assert "poster.pdf" not in text
    assert image[0] == multi[0] == "poster.pdf"
    assert "mill.pdf" not in image
    assert documents_of(VouchRetriever(harbour, "multi"), MILL)[0] == "mill.pdf"


def test_a_query_engine_shows_the_model_text_document_and_page_and_returns_the_boxes(harbour: Pipeline) -> None:
    engine = RetrieverQueryEngine.from_args(VouchRetriever(harbour, top_k=2), llm=MockLLM())
    response = engine.query(BRIDGE)
    shown = str(response)  # LlamaIndex's mock model says what it was shown
    assert "document: scan.pdf\npage: 1\n\nThe harbour bridge opened in 1931." in shown
    assert "bbox" not in shown
    assert len(response.source_nodes) == 2
    assert all(len(found.node.metadata["bbox"]) == 4 for found in response.source_nodes)


def test_an_element_found_in_several_modes_is_fused_as_one(harbour: Pipeline) -> None:
    """By reciprocal ranks: what an element gets from each list is added up, which nodes of unlike hashes are denied."""
    retrievers: list[BaseRetriever] = [VouchRetriever(harbour, mode) for mode in MODES]
    how = FUSION_MODES.RECIPROCAL_RANK
    fused = QueryFusionRetriever(
        retrievers, llm=MockLLM(), mode=how, num_queries=1, use_async=False, similarity_top_k=20
    )
    truth: dict[str, float] = {}
    for retriever in retrievers:
        for rank, found in enumerate(retriever.retrieve(BRIDGE)):
            truth[found.node.node_id] = truth.get(found.node.node_id, 0.0) + 1 / (60 + rank)
    assert {found.node.node_id: found.score for found in fused.retrieve(BRIDGE)} == pytest.approx(truth)
    assert documents_of(fused, BRIDGE)[0] == "scan.pdf"


def test_restricted_to_documents_and_to_a_number(harbour: Pipeline) -> None:
    assert documents_of(VouchRetriever(harbour, documents=["mill.pdf"]), BRIDGE) == ["mill.pdf", "mill.pdf"]
    assert documents_of(VouchRetriever(harbour, top_k=1), BRIDGE) == ["scan.pdf"]
    with pytest.raises(DocumentMissing, match=r"tram\.pdf"):
        VouchRetriever(harbour, documents=["tram.pdf"]).retrieve(BRIDGE)


@pytest.mark.slow
def test_the_image_of_a_query_is_searched_for(harbour: Pipeline, tmp_path: Path) -> None:
    documents.picture(["The lighthouse"]).save(tmp_path / "shot.png")
    query = QueryBundle("When did this begin?", image_path=str(tmp_path / "shot.png"))
    (found,) = VouchRetriever(harbour, "image", top_k=1).retrieve(query)
    assert found.node.metadata["document"] == "poster.pdf"
