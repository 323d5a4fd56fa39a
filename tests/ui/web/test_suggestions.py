"""The questions that the page suggests: made once for each state of a collection, in the background, and answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexing.embed.minilm import MiniLM
from rag import Profile, RagSettings
from tests.support import fakes
from ui.web.open_collections import OpenCollections
from ui.web.suggestions import Suggestions

PAGES = {
    "mill.pdf": [
        [
            "The mill was built in 1887 and it is the oldest of the mills that stand by the river and on the hill.",
            "Barrel capacity: 225 litres",
            "The cellar is cool in the summer, and that is why the cider of the village is kept in it for the winter.",
        ]
    ]
}


@pytest.fixture
def open_collections(tmp_path: Path, embedder: MiniLM) -> OpenCollections:
    fakes.index(fakes.collection(tmp_path, embedder, "mills"), PAGES)
    return OpenCollections(Profile(rag=RagSettings(min_confidence=0)), tmp_path)


def made(suggestions: Suggestions, name: str) -> tuple[str, ...]:
    """The questions, once those that are being made are there."""
    suggestions.questions(name)
    for thread in suggestions._threads:
        thread.join(timeout=60)
    found = suggestions.questions(name)
    assert found is not None
    return found


def test_they_are_made_of_the_documents_and_kept(open_collections: OpenCollections) -> None:
    suggestions = Suggestions(open_collections)
    found = made(suggestions, "mills")
    assert set(found) == {"When was the mill built?", "What is the barrel capacity?"}
    assert suggestions.questions("mills") is found
    with open_collections.opened("mills") as (_, pipeline):
        assert "1887" in pipeline.answer("When was the mill built?", method="quote").sentences[0].text
    open_collections.close()


def test_another_state_of_the_collection_has_its_own(open_collections: OpenCollections) -> None:
    suggestions = Suggestions(open_collections)
    assert made(suggestions, "mills")
    with open_collections.opened("mills") as (collection, _):
        collection.remove("mill.pdf")
    assert made(suggestions, "mills") == ()
    open_collections.close()


def test_there_are_none_of_what_cannot_be_opened_or_is_closed(open_collections: OpenCollections) -> None:
    suggestions = Suggestions(open_collections)
    assert suggestions.questions("nothing") == ()
    open_collections.close()
    assert made(suggestions, "mills") == ()
