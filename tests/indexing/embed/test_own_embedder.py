"""An embedder of a plugin: named by one entry, it indexes and searches as those of the core do."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from configs import embedders
from indexing import Collection, IndexingSettings, build_index
from indexing.embed.protocol import EmbedderContext, QueryVectors, TextEmbedder, TokenVectors
from indexing.errors import EmbedderMismatch
from indexing.vectors import Packing
from vouch import hooks

PDF = Path(__file__).resolve().parents[3] / "samples" / "documents" / "tg40-tide-gauge-manual.pdf"
DIM = 32


class Letters:
    """A vector for each word: the letters that it has."""

    name = "letters"
    dim = DIM
    weights = ""
    fingerprint = "letters-1"
    packing = Packing(DIM, 8)

    def codebook(self) -> None:
        return None

    def _rows(self, text: str) -> NDArray[np.float32]:
        rows = np.zeros((len(text.split()), DIM), np.float32)
        for row, word in zip(rows, text.lower().split(), strict=True):
            for letter in word:
                row[ord(letter) % DIM] += 1
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)

    def embed_query(self, question: str) -> QueryVectors:
        rows = self._rows(question)
        weights = np.full(len(rows), 1 / max(len(rows), 1), np.float32)
        return QueryVectors(rows, weights, tuple(question.split()))

    def embed_passages(self, texts: Sequence[str]) -> list[TokenVectors]:
        return [TokenVectors((self._rows(t) * 127).astype(np.int8), self.offsets(t)) for t in texts]

    def offsets(self, text: str) -> NDArray[np.int32]:
        found, at = [], 0
        for word in text.split():
            at = text.index(word, at)
            found.append((at, at + len(word)))
            at += len(word)
        return np.array(found, np.int32).reshape(-1, 2)


def letters(_: EmbedderContext) -> TextEmbedder:
    return Letters()


@pytest.fixture
def with_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])
    spec = hooks.EmbedderSpec("letters", "text", "counts letters", f"{__name__}:letters", "included")
    own = hooks.Installed((hooks.Plugin("letters", "It counts letters.", embedders=(spec,)),), ())
    monkeypatch.setattr(hooks, "installed", lambda: own)


@pytest.mark.usefixtures("with_letters")
def test_an_embedder_of_a_plugin_indexes_and_searches(tmp_path: Path) -> None:
    assert hooks.names(embedders("text"))[-1] == "letters"
    settings = IndexingSettings(embedder="letters", visual="none")
    collection = Collection.create("own", tmp_path / "home", settings)
    assert build_index(collection, [PDF]).exit_code == 0
    assert collection.search("battery of the gauge", mode="text")
    with pytest.raises(EmbedderMismatch, match="letters"):
        Collection.open("own", tmp_path / "home", settings=IndexingSettings(embedder="minilm"))


def test_an_unknown_name_is_told_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="'minilm', 'colbert' or 'openai'"):
        IndexingSettings(embedder="letters")
