"""The query engine of LlamaIndex: answers with numbers, source nodes with place and verdict."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from llama_index.core.base.response.schema import Response
from llama_index.core.schema import TextNode

from indexing import Collection
from indexing.embed.minilm import MiniLM
from rag import Pipeline, RagSettings, VouchQueryEngine
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
