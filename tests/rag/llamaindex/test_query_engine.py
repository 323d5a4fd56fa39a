"""The query engine and the retriever for LlamaIndex."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from llama_index.core.base.response.schema import Response
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import TextNode

from indexing import Collection, Mode
from indexing.embed.minilm import MiniLM
from rag import Pipeline, RagSettings, VouchQueryEngine, VouchRetriever
from tests.support import fakes
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import says
from tests.support.writers import Writer, said

ROOT = Path(__file__).parents[3]
ASK = "When was the mill built?"
BUILT, SOLD, GRINDS = "The mill was built in 1887 by Anna Holm.", "It was sold in 1911.", "The mill grinds rye."
QUOTING = RagSettings(min_confidence=0.0)
WRITING = RagSettings(method="vanilla", mode="text", judge="rules")


def writing(town: Collection, *replies: str) -> Pipeline:
    return Pipeline(town, WRITING, model=Writer(*replies))


def test_the_numbers_are_those_of_the_source_nodes(town: Collection) -> None:
    pipeline = writing(town, said((BUILT, ["E1"]), (SOLD, ["E1"]), (GRINDS, ["E1"])))
    response = VouchQueryEngine(pipeline).query(ASK)
    assert isinstance(response, Response)
    assert response.response == f"{BUILT} [1] {SOLD} [2] {GRINDS} [3]"
    built, sold, grinds = (n.node.metadata for n in response.source_nodes)
    assert [node["role"] for node in (built, sold, grinds)] == ["proves", "unconfirmed", "proves"]
    assert (built["document"], built["page"], built["verdict"]) == ("mill.pdf", 1, "confirmed")
    assert built["quote"] == BUILT.removesuffix(".")
    assert (built["sentences"], grinds["sentences"]) == ([BUILT], [GRINDS])
    (box,) = built["boxes"]
    assert built["bbox"][0] <= box[0] < box[2] <= built["bbox"][2]
    assert "The mill was built" in response.source_nodes[0].node.get_content()


def test_the_lines_of_the_documentation_answer(
    tmp_path: Path,
    embedder: MiniLM,
    monkeypatch: pytest.MonkeyPatch,
    serve: Callable[..., ScriptedServer],
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    fakes.index(fakes.collection(tmp_path, embedder, "papers"), {"mill.pdf": [[BUILT, GRINDS]]})
    server = serve(says(said((BUILT, ["E1"]))))
    (tmp_path / "mine.yaml").write_text(f"rag:\n  model: {{base_url: {server.url}, name: scripted}}\n")
    (block,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "serving.md").read_text(encoding="utf-8"), re.DOTALL)
    exec(block, {})
    out = capsys.readouterr().out
    assert out.startswith(f"{BUILT} [1] [(1, [[0.")
    assert out.endswith("]], 'confirmed')]\n")


def test_nodes_survive_json_and_hide_places_from_models(town: Collection) -> None:
    node = VouchQueryEngine(Pipeline(town, QUOTING)).query(ASK).source_nodes[0].node
    again = TextNode.from_json(node.to_json())
    assert again.metadata == node.metadata
    assert "boxes" not in node.get_metadata_str(mode="llm")  # type: ignore[arg-type]


ROOT_OF_RETRIEVER = Path(__file__).resolve().parents[3]
MODES: tuple[Mode, ...] = ("text", "image", "multi")
BRIDGE = "When did the harbour bridge open?"
LIGHTHOUSE = "When was the lighthouse lit?"
MILL = "When was the mill built?"


@pytest.fixture(scope="module")
def harbour(seen: Collection) -> Pipeline:
    return Pipeline(seen)


@pytest.mark.parametrize("mode", MODES)
def test_a_node_holds_its_element_and_its_place(harbour: Pipeline, mode: Mode) -> None:
    best = VouchRetriever(harbour, mode=mode).retrieve(BRIDGE)[0]
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
