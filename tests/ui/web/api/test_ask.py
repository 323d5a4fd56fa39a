"""What programs can ask for: the same answers as people get, errors in words, and names that say what they take."""

from __future__ import annotations

import inspect

import pytest

from indexing.embed.minilm import MiniLM
from rag import Profile, RagSettings
from tests.support import fakes
from ui.errors import BadRequest
from ui.web.api.ask import Endpoints
from ui.web.open_collections import OpenCollections


@pytest.fixture(scope="module")
def open_collections(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> OpenCollections:
    home = tmp_path_factory.mktemp("home")
    pages = {"mill.pdf": [["The mill was built in 1887 by Anna Holm."]], "barn.pdf": [["The barn was built in 1901."]]}
    fakes.index(fakes.collection(home, embedder, "mills"), pages)
    return OpenCollections(Profile(rag=RagSettings(min_confidence=0)), home)


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
