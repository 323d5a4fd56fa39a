"""Every family of the ColPali kind: real loading code, tiny checkpoints, and patches that stand where the page says."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="no torch here: make visual-env, then make test-visual")

import torch
from peft import LoraConfig, get_peft_model

from indexing import BBox, RegionVectors, errors
from indexing.embed.visual.colpali import ColPali
from tests.visual import tiny_patches
from tests.visual.conftest import drawn, settings

Checkpoint = Callable[[str], Path]
FAMILY = pytest.mark.parametrize("family", tiny_patches.MAKERS)
SQUARES = [(0.7, 0.1, 0.85, 0.2), (0.05, 0.55, 0.2, 0.65), (0.4, 0.85, 0.55, 0.95)]
"""Right at the top, left below the middle, and near the foot of the page: no two families' mistakes look alike."""
SIZES = [(420, 595), (640, 400), (300, 300), (250, 900)]


@pytest.fixture(scope="session")
def embedder(checkpoint: Checkpoint) -> Callable[[str], ColPali]:
    made: dict[str, ColPali] = {}

    def find(family: str) -> ColPali:
        if family not in made:
            made[family] = ColPali(settings("colpali", checkpoint(family)))
        return made[family]

    return find


def change(blank: RegionVectors, marked: RegionVectors) -> np.ndarray:
    """How far each patch vector (r,) moved."""
    assert blank.boxes == marked.boxes
    moved = np.linalg.norm(blank.vectors - marked.vectors, axis=1) / 127
    return moved[: len(blank.boxes) - 1]


@FAMILY
@pytest.mark.parametrize("size", SIZES)
def test_a_square_moves_its_patches(family: str, size: tuple[int, int], embedder: Callable[[str], ColPali]) -> None:
    blank, *marked = embedder(family).embed_pages([drawn(*size), *(drawn(*size, square) for square in SQUARES)])
    for square, seen in zip(SQUARES, marked, strict=True):
        moved, there = change(blank, seen), BBox(*square)
        best = seen.boxes[int(moved.argmax())]
        assert best.overlap(there) > 0
        shared = np.array([box.overlap(there) for box in seen.boxes[:-1]])
        on, off = shared >= 0.5 * shared.max(), shared == 0
        assert moved[on].min() > 3 * np.median(moved[off])


@FAMILY
def test_the_grid_covers_the_page_once(family: str, embedder: Callable[[str], ColPali]) -> None:
    for size in SIZES:
        (seen,) = embedder(family).embed_pages([drawn(*size)])
        *patches, whole = seen.boxes
        assert whole == BBox(0, 0, 1, 1)
        assert sum(box.area for box in patches) == pytest.approx(1.0)
        assert len(set(patches)) == len(patches)
        assert seen.counts.tolist() == [1] * len(patches) + [len(seen.vectors) - len(patches)]
        assert np.linalg.norm(seen.vectors, axis=1) == pytest.approx(np.full(len(seen.vectors), 127), abs=1e-3)


@FAMILY
def test_a_page_in_a_batch_is_what_it_is_alone(family: str, embedder: Callable[[str], ColPali]) -> None:
    """Padding rows are dropped, and those of a page do not depend on its neighbours."""
    pages = [drawn(420, 595, SQUARES[0]), drawn(640, 400, SQUARES[1]), drawn(250, 900, SQUARES[2])]
    together = embedder(family).embed_pages(pages)
    for page, seen in zip(pages, together, strict=True):
        (alone,) = embedder(family).embed_pages([page])
        assert alone.boxes == seen.boxes
        assert np.abs(alone.vectors - seen.vectors).max() / 127 < 1e-5


@FAMILY
def test_a_question_is_embedded_as_the_engine_does(family: str, embedder: Callable[[str], ColPali]) -> None:
    made = embedder(family)
    query = made.embed_query("Where is the mill?")
    own = made._loaded_model
    with torch.inference_mode():
        batch = own.processor.process_queries(["Where is the mill?"])
        expected = own.model(**batch)[0].numpy()
    assert query.vectors == pytest.approx(expected, abs=1e-6)
    assert query.weights.sum() == pytest.approx(1)
    assert len(query.tokens) == len(query.vectors)
    assert made.embed_query("<image> <|image_pad|> <start_of_image>?").vectors.shape[1] == made.dim


def test_a_ribbon_of_a_page_is_taken(embedder: Callable[[str], ColPali]) -> None:
    for family in ("colqwen2_5", "colmodernvbert"):
        (seen,) = embedder(family).embed_pages([drawn(1600, 3)])
        assert sum(box.area for box in seen.boxes[:-1]) == pytest.approx(1.0)


def test_an_adapter_is_loaded_on_its_base(checkpoint: Checkpoint, tmp_path: Path) -> None:
    """Most checkpoints of the family are published so; that it counts is seen by what it changes."""
    base = ColPali(settings("colpali", checkpoint("colqwen2_5")))
    config = LoraConfig(r=4, target_modules=["q_proj", "custom_text_proj"], init_lora_weights=False)
    torch.manual_seed(0)
    adapted = get_peft_model(base._loaded_model.model, config)
    adapted.save_pretrained(tmp_path)
    with torch.inference_mode():
        batch = base._loaded_model.processor.process_queries(["Where is the mill?"])
        expected = adapted(**batch)[0].numpy()
    told = json.loads((tmp_path / "adapter_config.json").read_text())
    told["base_model_name_or_path"] = str(checkpoint("colqwen2_5"))
    (tmp_path / "adapter_config.json").write_text(json.dumps(told))
    ours = ColPali(settings("colpali", tmp_path)).embed_query("Where is the mill?")
    told["base_model_name_or_path"] = "nobody/nothing"  # `vouch models` puts the base beside the adapter
    (tmp_path / "adapter_config.json").write_text(json.dumps(told))
    (tmp_path / "base").symlink_to(checkpoint("colqwen2_5"))
    beside = ColPali(settings("colpali", tmp_path)).embed_query("Where is the mill?")
    assert beside.vectors == pytest.approx(ours.vectors)
    plain = ColPali(settings("colpali", checkpoint("colqwen2_5"))).embed_query("Where is the mill?")
    assert ours.vectors == pytest.approx(expected, abs=1e-5)
    assert np.abs(ours.vectors - plain.vectors).max() > 0.01


def changed(folder: Path, into: Path, **changes: object) -> Path:
    """A copy of a checkpoint with another configuration."""
    for file in folder.iterdir():
        (into / file.name).write_bytes(file.read_bytes())
    config = json.loads((folder / "config.json").read_text()) | changes
    (into / "config.json").write_text(json.dumps(config))
    return into


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"architectures": ["BiQwen2"]}, "one vector per page"),
        ({"architectures": ["NVMMEmbedModel"]}, "use --visual mm_embed"),
        ({"model_type": "colqwen2"}, "transformers' own classes"),
        ({"architectures": ["ColQwen2ForRetrieval"]}, "transformers' own classes"),
        ({"model_type": "bert"}, "model_type is 'bert'; supported are paligemma"),
    ],
)
def test_other_models_are_refused_by_name(
    changes: dict[str, object], said: str, checkpoint: Checkpoint, tmp_path: Path
) -> None:
    folder = changed(checkpoint("colqwen2"), tmp_path, **changes)
    with pytest.raises(errors.CheckpointUnfit, match=said):
        ColPali(settings("colpali", folder))


def test_weights_that_are_not_there_are_not_made_up(checkpoint: Checkpoint, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    folder = changed(checkpoint("colqwen2"), tmp_path)
    weights = load_file(folder / "model.safetensors")
    del weights[next(name for name in weights if name.endswith("layers.1.mlp.up_proj.weight"))]
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(errors.CheckpointUnfit, match=r"1 weights of ColQwen2 are missing .*up_proj"):
        ColPali(settings("colpali", folder)).embed_query("Where?")
