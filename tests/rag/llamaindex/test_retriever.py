"""The retriever in LlamaIndex's own pipelines: nodes with their places, in all three modes."""

from pathlib import Path

import pytest
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine

from indexing import Collection, Mode
from rag import Pipeline, VouchRetriever

ROOT = Path(__file__).resolve().parents[3]
MODES: tuple[Mode, ...] = ("text", "image", "multi")
BRIDGE = "When did the harbour bridge open?"
LIGHTHOUSE = "When was the lighthouse lit?"
MILL = "When was the mill built?"


@pytest.fixture(scope="module")
def harbour(seen: Collection) -> Pipeline:
    return Pipeline(seen)


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


def test_a_query_engine_shows_the_model_text_document_and_page_and_returns_the_boxes(harbour: Pipeline) -> None:
    engine = RetrieverQueryEngine.from_args(VouchRetriever(harbour, top_k=2), llm=MockLLM())
    response = engine.query(BRIDGE)
    shown = str(response)  # LlamaIndex's mock model says what it was shown
    assert "document: scan.pdf\npage: 1\n\nThe harbour bridge opened in 1931." in shown
    assert "bbox" not in shown
    assert len(response.source_nodes) == 2
    assert all(len(found.node.metadata["bbox"]) == 4 for found in response.source_nodes)
