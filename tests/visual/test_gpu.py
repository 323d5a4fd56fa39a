"""On a GPU, where there is one: the same vectors as on the CPU, within what bf16 keeps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="no torch here: make visual-env, then make test-visual")

import torch

from indexing.embed.visual.colpali import ColPali
from indexing.embed.visual.mm_embed import MMEmbed
from indexing.embed.visual.qwen3_vl_embedding import Qwen3VLEmbedding
from indexing.embed.visual.universal import EmbeddedItem
from tests.visual.conftest import drawn, settings

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
SQUARE = (0.7, 0.1, 0.85, 0.2)


@pytest.mark.parametrize("family", ["colmodernvbert", "colqwen2_5", "colqwen3", "colpali"])
def test_patches_on_the_gpu(family: str, checkpoint: Callable[[str], Path]) -> None:
    page = drawn(420, 595, SQUARE)
    cpu, gpu = (ColPali(settings("colpali", checkpoint(family), device=device)) for device in ("cpu", "auto"))
    (exact,), (fast,) = cpu.embed_pages([page]), gpu.embed_pages([page] * 3)[:1]
    assert gpu.device == "cuda"
    assert gpu._runtime.model.dtype == torch.bfloat16
    assert gpu.batch_size >= 1
    assert fast.boxes == exact.boxes
    cosines = (exact.vectors * fast.vectors).sum(axis=1) / 127**2
    assert np.median(cosines) > 0.99


@pytest.mark.parametrize("made", [MMEmbed, Qwen3VLEmbedding])
def test_vectors_on_the_gpu(made: type[MMEmbed] | type[Qwen3VLEmbedding], checkpoint: Callable[[str], Path]) -> None:
    items = [
        EmbeddedItem("The mill grinds rye."),
        EmbeddedItem("both", drawn_image()),
        EmbeddedItem(image=drawn_image()),
    ]
    folder = checkpoint(made.name)
    exact, fast = (made(settings(made.name, folder, device=device)).embed(items) for device in ("cpu", "auto"))
    assert ((exact * fast).sum(axis=1) > 0.99).all()


def drawn_image() -> object:
    from indexing.embed.visual.page_images import image_of

    return image_of(drawn(200, 300, SQUARE))
