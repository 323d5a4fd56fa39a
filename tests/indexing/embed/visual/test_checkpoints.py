"""Checkpoints of visual embedders: what is one, what is refused, and whole images."""

import importlib.util
import json
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from configs import embedders
from indexing import BBox, Collection, IndexingSettings, errors
from indexing.embed.minilm import MiniLM
from indexing.embed.visual.checkpoints import fingerprint, locate, require_extra
from indexing.embed.visual.universal import _items
from indexing.store.multivectors import by_element
from indexing.types import FORMAT
from tests.indexing.patchwork import Patchwork
from tests.support import documents, fakes

WITHOUT_TORCH = pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="torch is installed here")


def weights(folder: Path, content: bytes = b"\0" * 24, name: str = "model.safetensors", **shapes: list[int]) -> Path:
    """A file of safetensors, its numbers being `content`."""
    told = shapes or {"custom_text_proj.weight": [2, 3]}
    header = json.dumps({n: {"dtype": "F32", "shape": s, "data_offsets": [0, 24]} for n, s in told.items()}).encode()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(struct.pack("<Q", len(header)) + header + content)
    return folder


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    (weights(tmp_path / "model") / "config.json").write_text('{"model_type": "qwen2_vl"}')
    return tmp_path / "model"


def test_an_adapter_stands_on_another_checkpoint(checkpoint: Path, tmp_path: Path) -> None:
    adapter = weights(tmp_path / "adapter", name="adapter_model.safetensors", lora=[1, 2])
    (adapter / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": str(checkpoint)}))
    found = locate(str(adapter), "colpali")
    assert found.is_adapter
    assert (found.folder, found.base) == (adapter, checkpoint)


def test_a_hub_name_that_cannot_be_had_is_told() -> None:
    with pytest.raises(
        errors.CheckpointMissing, match=r"'nobody/nothing' cannot be downloaded from the Hugging Face hub"
    ):
        locate("nobody/nothing", "colpali")


def test_no_checkpoint_is_told_with_what_to_do() -> None:
    with pytest.raises(errors.CheckpointMissing, match=r"mm_embed needs weights: --checkpoint FOLDER"):
        locate("", "mm_embed")


@pytest.mark.parametrize(
    "content", [b"", b"\xff" * 40, struct.pack("<Q", 10) + b"[1, 2, 3] ", struct.pack("<Q", 1 << 62)]
)
def test_damaged_weights_are_told(checkpoint: Path, content: bytes) -> None:
    (checkpoint / "model.safetensors").write_bytes(content)
    with pytest.raises(errors.CheckpointUnfit, match=r"model.safetensors: cannot be read as safetensors"):
        locate(str(checkpoint), "colpali")


def test_weights_as_pickle_are_no_weights(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "pytorch_model.bin").write_bytes(b"PK")
    with pytest.raises(errors.CheckpointUnfit, match="no weights as safetensors"):
        locate(str(tmp_path), "colpali")


def test_the_fingerprint_follows_weights_configuration_and_settings(checkpoint: Path, tmp_path: Path) -> None:
    def of(*settings: object) -> str:
        return fingerprint(locate(str(checkpoint), "colpali"), *settings)

    first = of(1)
    assert first == of(1) != of(2)
    weights(checkpoint, b"\1" * 24)
    assert of(1) != first
    weights(checkpoint)
    assert of(1) == first
    moved = checkpoint.rename(tmp_path / "moved")
    assert fingerprint(locate(str(moved), "colpali"), 1) == first
    (moved / "config.json").write_text('{"model_type": "qwen2_vl", "dim": 9}')
    assert fingerprint(locate(str(moved), "colpali"), 1) != first


@WITHOUT_TORCH
@pytest.mark.parametrize("visual", [spec.name for spec in embedders("visual") if spec.packages])
def test_without_the_extra_it_is_named(visual: str, tmp_path: Path) -> None:
    with pytest.raises(errors.ExtraMissing, match=rf"{visual} needs torch.*pip install 'vouch\[visual\]'"):
        require_extra(visual)
    settings = IndexingSettings.model_validate({"visual": visual, "checkpoint": "owner/name"})
    with pytest.raises(errors.ExtraMissing, match="pip install"):
        Collection.create("seen", tmp_path, settings)
    assert list(tmp_path.iterdir()) == []


def made_with(home: Path, **told: object) -> Collection:
    """A collection as its record says, opened with settings that say nothing."""
    (home / "seen").mkdir(parents=True)
    record = {"format": FORMAT, "embedder": "minilm", "visual": "colpali", "checkpoint": "owner/name",
              "fingerprint": "0123", "dim": 128, "token_pooling": 3,
              "text": {"checkpoint": "", "fingerprint": MiniLM.fingerprint, "dim": 0}}  # fmt: skip
    (home / "seen" / "collection.json").write_text(json.dumps(record | told))
    return Collection.open("seen", home)


def test_a_collection_remembers_its_model(tmp_path: Path) -> None:
    opened = made_with(tmp_path).settings
    assert (opened.visual, opened.checkpoint, opened.token_pooling) == ("colpali", "owner/name", 3)


def shown(texts: tuple[str, ...], caption: str = "red kite") -> fakes.ParsedPage:
    """The page of an image file with its pixels."""
    return replace(
        fakes.image_page("d", caption, texts), image=documents.png(Image.new("RGB", (300, 200), (200, 0, 0)))
    )


def test_a_universal_embedder_gets_an_image_once_and_by_its_pixels_alone() -> None:
    whole, text = _items(shown(("The harbour bridge.",)))
    assert whole[0] == 0  # the whole image is the page's first element
    assert (whole[1].as_tuple(), whole[2].text) == ((0, 0, 1, 1), "")
    assert whole[2].image is not None
    assert whole[2].image.size == (300, 200)
    assert (text[0], text[2].text, text[2].image) == (1, "The harbour bridge.", None)


def test_patches_in_which_nothing_was_read_are_of_the_whole_image() -> None:
    """Of four patches, the piece of text holds the middles of the upper two."""
    page = shown(("The harbour bridge.",))
    text = replace(page.elements[1], bbox=BBox(0.1, 0.2, 0.9, 0.3))
    (patches,) = Patchwork().embed_pages([page])
    made = by_element((page.elements[0], text), patches, Patchwork())
    assert [(owner, count) for owner, _, count in made.spans] == [(0, 2), (1, 2)]
    alone = by_element(page.elements[:1], patches, Patchwork())
    assert [(owner, count) for owner, _, count in alone.spans] == [(0, 4)]
    assert np.array_equal(np.sort(alone.vectors[:, 0]), [1, 2, 3, 4])
