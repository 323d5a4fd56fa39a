"""What programs can ask for: the same answers as people get, errors in words, and names that say what they take."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from indexing.embed.minilm import MiniLM
from rag import ModelSettings, Profile, RagSettings
from tests.support import fakes
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import says
from tests.support.writers import said
from ui.errors import BadRequest
from ui.web.api.ask import Endpoints
from ui.web.open_collections import OpenCollections


@pytest.fixture(scope="module")
def open_collections(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> OpenCollections:
    home = tmp_path_factory.mktemp("home")
    pages = {"mill.pdf": [["The mill was built in 1887 by Anna Holm."]], "barn.pdf": [["The barn was built in 1901."]]}
    fakes.index(fakes.collection(home, embedder, "mills"), pages)
    return OpenCollections(Profile(rag=RagSettings(min_confidence=0)), home)


def test_ask_tells_sentences_with_their_boxes(open_collections: OpenCollections) -> None:
    ask = Endpoints(open_collections).ask
    told = ask("When was the mill built by Anna Holm?", "mills", mode="text")
    assert "1887" in told["sentences"][0]["text"]
    assert len(told["sentences"][0]["citations"][0]["bbox"]) == 4
    assert json.loads(json.dumps(told)) == told


def test_search_tells_what_bears_on_it(open_collections: OpenCollections) -> None:
    search = Endpoints(open_collections).search
    told = search("When was it built?", "mills", documents=["barn.pdf"], mode="text", top_k=5)
    assert {e["document"] for e in told["evidence"]} == {"barn.pdf"}
    assert json.loads(json.dumps(told)) == told


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"collection": "nowhere"}, "nowhere"),
        ({"collection": "../mills"}, "cannot name a collection"),
        ({"documents": ["house.pdf"]}, "house.pdf"),
        ({"method": "vanilla"}, "model"),
        ({"method": "guess"}, "method: give one of auto, quote, vanilla, cot, visa"),
        ({"mode": ""}, "mode: give one of auto, text, image, multi"),
        ({"mode": ["text"]}, "mode: give one of"),
        ({"extract": "maybe"}, "extract: give one of auto, yes, no"),
        ({"top_k": -1}, "top_k"),
        ({"top_k": 10**9}, "top_k is 1000000000: give a number from 1 to 100"),
        ({"queries": 10**9}, "queries is 1000000000: give a number from 1 to 20"),
        ({"collection": ["mills"]}, "collection: give its name"),
        ({"extract": "yes"}, "does not use extracted knowledge"),
    ],
)
def test_what_cannot_be_done_is_told(
    open_collections: OpenCollections, arguments: dict[str, object], says: str
) -> None:
    ask = Endpoints(open_collections).ask
    with pytest.raises(BadRequest, match=says):
        ask("When was the mill built?", **{"collection": "mills", "mode": "text"} | arguments)


def test_every_argument_is_explained(open_collections: OpenCollections) -> None:
    for function in (Endpoints(open_collections).ask, Endpoints(open_collections).search):
        explained = inspect.getdoc(function) or ""
        assert [name for name in inspect.signature(function).parameters if f"{name}:" not in explained] == []


def test_a_program_chooses_a_model_by_its_name_and_by_nothing_else(
    tmp_path: Path, embedder: MiniLM, serve: Callable[..., ScriptedServer]
) -> None:
    script = says(said(("The mill was built in 1887 by Anna Holm.", ["E1"])))
    first, second = serve(script), serve(script)
    fakes.index(fakes.collection(tmp_path, embedder, "mills"), {"mill.pdf": [["The mill was built in 1887."]]})
    model, other = (ModelSettings(base_url=s.url, name="scripted", retries=0) for s in (first, second))
    rag = RagSettings(judge="rules", model=model, models={"other": other})
    ask = Endpoints(OpenCollections(Profile(rag=rag), tmp_path)).ask
    told = ask("When was the mill built?", "mills", mode="text", method="vanilla", model="other")
    assert (told["model"], len(first.asked), len(second.asked)) == ("other", 0, 1)
    assert ask("When was the mill built?", "mills", mode="text", method="vanilla")["model"] == "scripted"
    for name in (second.url, "/etc/passwd", "", ["other"]):
        with pytest.raises(BadRequest, match="model: give one of auto, scripted, other"):
            ask("When was the mill built?", "mills", model=name)  # type: ignore[arg-type]
    assert (len(first.asked), len(second.asked)) == (1, 1)
