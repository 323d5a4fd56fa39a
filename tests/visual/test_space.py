"""Universal embedders: MM-Embed against the papers, Qwen3-VL-Embedding, and text, image and both in one space."""

import json
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="no torch here: make visual-env, then make test-visual")

import torch
import transformers
from PIL import Image
from safetensors.torch import load_file

from indexing import BBox, errors
from indexing.embed.visual.mm_embed import MMEmbed
from indexing.embed.visual.qwen3_vl_embedding import Qwen3VLEmbedding
from indexing.embed.visual.universal import EmbeddedItem, OneSpace
from tests.support import fakes
from tests.visual.conftest import drawn, settings
from tests.visual.mm_embed_reference import embedding

Checkpoint = Callable[[str], Path]
CLASSES: dict[str, type[MMEmbed] | type[Qwen3VLEmbedding]] = {
    "mm_embed": MMEmbed,
    "qwen3_vl_embedding": Qwen3VLEmbedding,
}
BOTH = pytest.mark.parametrize("name", CLASSES)
INSTRUCTION = "Find the page."


def image(*squares: tuple[float, float, float, float], size: tuple[int, int] = (200, 300)) -> Image.Image:
    return Image.open(BytesIO(drawn(*size, *squares).image))


SQUARE = (0.2, 0.1, 0.7, 0.4)
ITEMS = [
    EmbeddedItem("The mill grinds rye."), EmbeddedItem(image=image(SQUARE)),
    EmbeddedItem("A longer text about the lighthouse.", image(SQUARE)),
    EmbeddedItem("x"), EmbeddedItem("Small.", image(size=(64, 64))),
]  # fmt: skip


@pytest.fixture(scope="session")
def embedder(checkpoint: Checkpoint) -> Callable[[str], OneSpace]:
    made: dict[str, OneSpace] = {}

    def find(name: str) -> OneSpace:
        if name not in made:
            made[name] = CLASSES[name](settings(name, checkpoint(name)))
        return made[name]

    return find


@pytest.mark.parametrize("instruction", ["", INSTRUCTION])
def test_mm_embed_is_that_of_the_papers(
    instruction: str, checkpoint: Checkpoint, embedder: Callable[[str], OneSpace]
) -> None:
    """Text, image and both, as questions and as documents, against plain tensor operations on the same weights."""
    folder = checkpoint("mm_embed")
    weights, config = load_file(folder / "model.safetensors"), json.loads((folder / "config.json").read_text())
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    processor = transformers.LlavaNextImageProcessorPil.from_pretrained(folder, crop_size={"height": 28, "width": 28})
    made = embedder("mm_embed").embed(ITEMS, instruction)
    for item, vector in zip(ITEMS, made, strict=True):
        before = f"Instruct: {instruction}\nQuery: " if instruction else ""
        shown = "<image>\n" if item.image is not None else ""
        ids = [1, *tokenizer.encode(before + shown + item.text, add_special_tokens=False), 2]
        unpooled = len(tokenizer.encode(before.partition("\n")[0], add_special_tokens=False)) + 2 if before else 0
        pixels = None
        if item.image is not None:
            pixels = torch.as_tensor(processor(item.image, return_tensors="pt")["pixel_values"][0][0])
        expected = embedding(weights, ids, config["image_token_index"], pixels, unpooled)
        assert vector == pytest.approx(expected, abs=2e-6)


@BOTH
def test_an_item_in_a_batch_is_what_it_is_alone(name: str, embedder: Callable[[str], OneSpace]) -> None:
    together = embedder(name).embed(ITEMS)
    alone = np.concatenate([embedder(name).embed([item]) for item in ITEMS])
    assert np.abs(together - alone).max() < 1e-5
    assert np.linalg.norm(together, axis=1) == pytest.approx(np.ones(len(ITEMS)), abs=1e-5)
    assert embedder(name).embed([]).shape == (0, embedder(name).dim)


@BOTH
def test_of_a_page_the_whole_and_its_elements_are_embedded(name: str, embedder: Callable[[str], OneSpace]) -> None:
    text, silent = fakes.element("The mill grinds rye."), fakes.element("4", ordinal=2, kind="footer")
    picture = replace(fakes.element("", ordinal=3, kind="picture"), bbox=BBox(0.2, 0.1, 0.7, 0.4))
    page = replace(drawn(200, 300, SQUARE), elements=(text, silent, picture))
    (seen,) = embedder(name).embed_pages([page])
    assert seen.owners is not None
    assert seen.owners.tolist() == [-1, 0, 2]
    assert seen.boxes == (BBox(0, 0, 1, 1), text.bbox, picture.bbox)
    crop = image(SQUARE).crop((40, 30, 140, 120))
    expected = embedder(name).embed(
        [EmbeddedItem(image=image(SQUARE)), EmbeddedItem("The mill grinds rye."), EmbeddedItem("", crop)]
    )
    assert seen.vectors / 127 == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(
    ("name", "other", "said"),
    [
        ("mm_embed", "colqwen2", "'qwen2_vl'"), ("qwen3_vl_embedding", "mm_embed", "model_type is 'llava_next'"),
        ("qwen3_vl_embedding", "colqwen3", "it is a ColQwen3: use --visual colpali"),
    ],
)  # fmt: skip
def test_other_models_are_refused_by_name(name: str, other: str, said: str, checkpoint: Checkpoint) -> None:
    with pytest.raises(errors.CheckpointUnfit, match=said):
        CLASSES[name](settings(name, checkpoint(other)))


def test_the_last_token_stands_for_all(checkpoint: Checkpoint, embedder: Callable[[str], OneSpace]) -> None:
    """Qwen3-VL-Embedding, against the generating model's own hidden states."""
    folder = checkpoint("qwen3_vl_embedding")
    model = transformers.Qwen3VLForConditionalGeneration.from_pretrained(folder).eval()
    processor = transformers.AutoProcessor.from_pretrained(folder)
    conversation = [
        {"role": "system", "content": [{"type": "text", "text": "Represent the user's input."}]},
        {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "mill"}]},
    ]
    text = processor.apply_chat_template([conversation], tokenize=False, add_generation_prompt=True)
    with torch.inference_mode():
        batch = processor(text=text, images=[image(SQUARE)], return_tensors="pt")
        states = model(**batch, output_hidden_states=True).hidden_states[-1][0, -1].numpy()
    expected = states / np.linalg.norm(states)
    assert embedder("qwen3_vl_embedding").embed([EmbeddedItem("mill", image(SQUARE))])[0] == pytest.approx(
        expected, abs=1e-5
    )
