"""What the tests of reindexing share: small collections, and a tiny checkpoint that knows their words."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from indexing import Collection, Metadata
from indexing.embed.minilm import MiniLM
from indexing.reindex import run
from tests.support import fakes, late_checkpoint
from tests.support.fakes import Pages

FILES: dict[str, Pages] = {
    "mill.pdf": [["The mill was built in 1742.", "Its wheel is nine metres wide."], ["The miller keeps bees."]],
    "ferry.pdf": [["The ferry crosses the bay twice a day."]],
    "tower.pdf": [["The tower has two hundred steps."]],
}
QUESTION = "When was the mill built?"


@pytest.fixture(autouse=True)
def _embedder_of_the_session(embedder: MiniLM, monkeypatch: pytest.MonkeyPatch) -> None:
    """Load MiniLM once, as `fakes.collection` does; other embedders are loaded as they are."""
    real: Callable[..., Any] = run.text_embedder
    monkeypatch.setattr(
        run, "text_embedder", lambda s, *a, **k: embedder if s.embedder == "minilm" else real(s, *a, **k)
    )


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def library(home: Path, embedder: MiniLM) -> Collection:
    """A collection of three documents, one tagged, an element of which a model took a note of."""
    made = fakes.collection(home, embedder)
    fill(made)
    return made


def fill(made: Collection, source: Path = Path("/nowhere")) -> None:
    """Put the documents into a collection."""
    fakes.index(made, FILES, source)
    mill = made.document("mill.pdf")
    with made.writer() as writer:
        writer.describe(mill.id, replace(mill.metadata, tags=("old",), date="1999"))
    made.knowledge.keep({made.page_elements(mill.id, 1)[0]: "It is about a mill."}, "model", "1")


@pytest.fixture
def changes(tmp_path: Path) -> dict[str, Any]:
    """The settings of a tiny checkpoint that knows the words of the documents."""
    texts = [text for pages in FILES.values() for page in pages for text in page]
    return {
        "embedder": "colbert",
        "text_checkpoint": str(late_checkpoint.make(tmp_path / "tiny", [*texts, QUESTION]).folder),
    }


def best(collection: Collection) -> str:
    """Return the text that a collection finds first."""
    return collection.search(QUESTION).hits[0].element.text


def state(collection: Collection) -> list[Any]:
    """Return all that a collection knows of its documents, and the elements of their pages."""
    return [
        (
            d,
            [
                (e.id, e.kind, e.text, e.bbox, e.section)
                for n in range(1, d.n_pages + 1)
                for e in collection.page_elements(d.id, n)
            ],
        )
        for d in collection.documents()
    ]


def tagged(collection: Collection) -> Metadata:
    """Return the record of the tagged document."""
    return collection.document("mill.pdf").metadata
