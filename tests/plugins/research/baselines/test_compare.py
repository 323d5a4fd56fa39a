"""The baselines: BM25 by hand, vectors of whole texts, which pages they see."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from evaluation.tasks.page_text import readable
from evaluation.tasks.questions import Gold, GoldQuestion
from indexing import DocumentMissing
from indexing.embed.minilm import MiniLM
from plugins.research.baselines import llamaindex_recipe
from plugins.research.baselines.bm25 import K1, B, Bm25
from plugins.research.baselines.compare import asked_all, bm25, complete, ranked, rows, sentence_vectors
from plugins.research.baselines.page_text import PageText, text_layers, with_recognised
from plugins.research.baselines.sentence_vectors import SentenceEncoder, chunks
from tests.support import documents, fakes

PAGES = [
    PageText("a", 1, "The mill grinds nine sacks of barley every day.", "layer"),
    PageText("a", 2, "The keeper of the mill is called Agnes.", "layer"),
    PageText("b", 1, "A vault under the town hall holds forty barrels of cider.", "layer"),
]


@pytest.fixture(scope="module")
def encoder() -> SentenceEncoder:
    return SentenceEncoder()


def test_bm25_is_its_formula() -> None:
    texts = ["red red fox", "brown fox runs home now", "hen"]
    tf, length, mean = 2, 3, 3
    idf = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    wanted = idf * tf * (K1 + 1) / (tf + K1 * (1 - B + B * length / mean))
    assert Bm25(texts).scores("Red hound?").tolist() == pytest.approx([wanted, 0, 0])


def test_bm25_keeps_to_the_document(tmp_path: Path) -> None:
    search = bm25(PAGES, tmp_path)
    assert search("Who is keeper of the mill?", None)[0] == ("a", 2)
    assert search("Who is keeper of the mill?", "b") == [("b", 1)]
    assert search("zebra", None) == []


def test_a_page_is_as_good_as_its_best_chunk() -> None:
    owners = [("a", 1), ("a", 2), ("a", 1), ("b", 1)]
    assert ranked(np.array([0.1, 0.5, 0.9, 0.0], np.float32), owners, None) == [("a", 1), ("a", 2)]


def test_chunks_are_cut_between_words() -> None:
    text = "one two\nthree  four"
    assert chunks(text, 8) == ["one two", "three", "four"]
    assert chunks("   ") == []


def test_sentence_vectors_find_what_is_meant(encoder: SentenceEncoder, tmp_path: Path) -> None:
    search = sentence_vectors(PAGES, tmp_path, encoder)
    assert search("What is stored below the municipal building?", None)[0] == ("b", 1)
    assert search("What is stored below the municipal building?", "a")[0][0] == "a"


def test_a_vector_does_not_depend_on_its_batch(encoder: SentenceEncoder) -> None:
    texts = ["cider", "a much longer text about barrels of cider in a vault under the town hall " * 9, "hen", ""]
    together, alone = encoder.encode(texts), np.concatenate([encoder.encode([text]) for text in texts])
    assert np.linalg.norm(together, axis=1).tolist() == pytest.approx([1] * 4, abs=1e-5)
    assert (together * alone).sum(axis=1).min() > 0.98  # int8 activations are scaled by batch


def test_pages_without_a_text_layer_get_what_was_recognised(tmp_path: Path) -> None:
    path = documents.pdf(tmp_path / "a.pdf", ["A page with a text layer that can be read."], [])
    home = fakes.collection(tmp_path / "home", MiniLM())
    held = fakes.index(home, {"a.pdf": [["whatever"], ["The vault holds cider.", "Forty barrels."]]})[0].id
    layers = text_layers({held: path, "not held": path})
    assert [page.source for page in layers] == ["layer", "none"] * 2
    found = with_recognised(layers, home)
    assert [(page.number, page.source) for page in found] == [(1, "layer"), (2, "ocr"), (1, "layer"), (2, "none")]
    assert found[1].text == "The vault holds cider.\nForty barrels."
    assert found[0] == layers[0]


def test_a_layer_of_unknown_letters_is_none() -> None:
    assert readable("A line of more than twenty letters.")
    assert not readable("short")
    assert not readable("A line of letters " + "\ufffd" * 20)


def test_systems_are_compared_by_recall_in_both_scopes() -> None:
    question = GoldQuestion("q", "?", "6", ("a",), frozenset({2}), (), {})

    def timed(_: GoldQuestion, document: str | None) -> tuple[list[tuple[str, int]], float]:
        return ([("a", 2)] if document else [("b", 2), ("a", 2)]), 0.25 if document else 0.5

    found = asked_all("mine", timed, [question], 1.5, 2_000_000)
    assert found.queries == (0.5,)
    assert {key: values for key, values in found.recalls.items() if key[1] < 5} == {
        ("document", 1): [100], ("document", 3): [100], ("collection", 1): [0], ("collection", 3): [100],
    }  # fmt: skip
    table = dict(rows([found]))
    assert (table["indexing, s"], table["on disk, MB"], table["query, ms median"]) == ("1.5", "2.0", "500.0")


def test_a_collection_that_lacks_a_document_is_not_compared(tmp_path: Path) -> None:
    home = fakes.collection(tmp_path, MiniLM())
    held = fakes.index(home, {"a.pdf": [["whatever"]]})[0].id
    complete(home, Gold((), {held: tmp_path / "a.pdf"}, (), 0, ""))
    with pytest.raises(DocumentMissing, match=r"1 documents .* \(b\.pdf"):
        complete(home, Gold((), {held: tmp_path / "a.pdf", "other": tmp_path / "b.pdf"}, (), 0, ""))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:table_names:DeprecationWarning")  # LlamaIndex's store for LanceDB is behind it
def test_the_recipe_of_llamaindex_finds_pages(encoder: SentenceEncoder, tmp_path: Path) -> None:
    search = llamaindex_recipe.recipe(PAGES, tmp_path, encoder, 5)
    assert search("What is stored below the municipal building?", None)[0] == ("b", 1)
    assert {doc_id for doc_id, _ in search("What is stored below the municipal building?", "a")} == {"a"}
    assert any(tmp_path.iterdir())
