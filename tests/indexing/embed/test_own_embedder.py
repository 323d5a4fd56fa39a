"""An embedder of a plugin: named by one entry, it indexes and searches as those of the core do."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from configs import embedders
from indexing import BBox, Collection, IndexingSettings, ParsedPage, build_index, probe_visual
from indexing.embed.protocol import EmbedderContext, QueryVectors, RegionVectors, TextEmbedder, TokenVectors
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


class Greys:
    """A vector for each page: how many of its pixels are how bright."""

    name = "greys"
    dim = DIM
    weights = ""
    fingerprint = "greys-1"
    packing = Packing(DIM, 8)
    device = "cpu"
    batch_size = 2
    visual_kind = "patches"

    def codebook(self) -> None:
        return None

    def embed_pages(self, pages: Sequence[ParsedPage]) -> list[RegionVectors]:
        return [RegionVectors(self._rows(page.image), np.ones(1, np.int32), (BBox(0, 0, 1, 1),)) for page in pages]

    def _rows(self, png: bytes) -> NDArray[np.float32]:
        with Image.open(io.BytesIO(png)) as image:
            counts = np.histogram(np.asarray(image.convert("L")), DIM, (0, 256))[0].astype(np.float32)[None]
        return 127 * counts / np.linalg.norm(counts)

    def embed_query(self, question: str, seeking: str = "any") -> QueryVectors:
        del seeking
        rows = np.full((1, DIM), DIM**-0.5, np.float32)
        return QueryVectors(rows, np.ones(1, np.float32), (question,))


def greys(_: EmbedderContext) -> Greys:
    return Greys()


def letters(_: EmbedderContext) -> TextEmbedder:
    return Letters()


@pytest.fixture
def with_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])
    spec = hooks.EmbedderSpec("letters", "text", "counts letters", f"{__name__}:letters", "included")
    seen = hooks.EmbedderSpec("greys", "visual", "counts pixels", f"{__name__}:greys", "included")
    own = hooks.Installed((hooks.Plugin("letters", "It counts letters.", embedders=(spec, seen)),), ())
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


@pytest.mark.usefixtures("with_letters")
def test_a_visual_embedder_of_a_plugin_that_has_its_weights_indexes_and_searches(tmp_path: Path) -> None:
    settings = IndexingSettings(embedder="letters", visual="greys", workers=1)
    collection = Collection.create("own", tmp_path / "home", settings)
    assert build_index(collection, [PDF]).exit_code == 0
    again = Collection.open("own", tmp_path / "home", settings=settings)
    found = again.search("battery of the gauge", mode="image")
    assert found.pages
    assert "greys is loaded, on cpu" in probe_visual(settings)
    with pytest.raises(EmbedderMismatch, match="made with the visual embedder 'greys'"):
        Collection.open("own", tmp_path / "home", settings=settings.model_copy(update={"visual": "colpali"}))
