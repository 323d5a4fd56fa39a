"""The embedder Qwen3-VL-Embedding: text, image or both as one vector (2B model: 2,048 dimensions, 8B: 4,096).

It is a Qwen3-VL whose last token stands for the whole input. An item is put into the chat template as a user's message;
the system's message is the instruction, for a question what to find, for a document the one that the model was trained
with. The weights (Qwen/Qwen3-VL-Embedding-2B, -8B) are licensed Apache-2.0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from indexing.embed.visual import loading
from indexing.embed.visual.checkpoint_embedder import LoadedModel
from indexing.embed.visual.checkpoints import Checkpoint, tensors
from indexing.embed.visual.universal import EmbeddedItem, OneSpace
from indexing.settings import IndexingSettings

NAME = "qwen3_vl_embedding"
DOCUMENT = "Represent the user's input."
"""The system's message for documents, as in training."""
PATCH = 32
LEAST_PIXELS, MOST_PIXELS = 4 * PATCH * PATCH, 1800 * PATCH * PATCH
"""The least and most pixels of an image, as in training."""
MOST_CHARS = 8000


class Qwen3VLEmbedding(OneSpace):
    """The universal embedder Qwen3-VL-Embedding. Safe to use from several threads."""

    name = NAME

    def __init__(self, settings: IndexingSettings) -> None:
        """Find the checkpoint and look at it. Raises ExtraMissing, CheckpointMissing, CheckpointUnfit."""
        super().__init__(settings)
        self.dim = _dimension(self.checkpoint)

    def _rows(self, vlm: LoadedModel, items: Sequence[EmbeddedItem], instruction: str) -> Any:
        import torch

        texts = vlm.processor.apply_chat_template(
            [_conversation(item, instruction or DOCUMENT) for item in items],
            tokenize=False,
            add_generation_prompt=True,
        )
        images = [item.image for item in items if item.image is not None]
        batch = vlm.processor(
            text=texts, images=images or None, padding=True, padding_side="right", return_tensors="pt"
        )
        inputs = loading.to_device(batch, vlm.device, vlm.model.dtype)
        states = vlm.model(**inputs, use_cache=False).last_hidden_state
        last = batch["attention_mask"].sum(dim=1) - 1
        return states[torch.arange(len(items)), last.to(states.device)]

    def _load(self, device: str) -> tuple[Any, Any]:
        with loading.importing(NAME):
            from transformers import Qwen3VLModel, Qwen3VLProcessor
        model = loading.load(Qwen3VLModel, self.checkpoint, NAME, device)
        processor = loading.processor(Qwen3VLProcessor, self.checkpoint, NAME)
        processor.image_processor.size = {"shortest_edge": LEAST_PIXELS, "longest_edge": MOST_PIXELS}
        return model, processor


def _conversation(item: EmbeddedItem, instruction: str) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = [{"type": "image"}] if item.image is not None else []
    if item.text or item.image is None:
        content.append({"type": "text", "text": loading.plain(item.text)[:MOST_CHARS] or "NULL"})
    return [
        {"role": "system", "content": [{"type": "text", "text": instruction}]},
        {"role": "user", "content": content},
    ]


def _dimension(checkpoint: Checkpoint) -> int:
    """Return the dimension of its vectors. Raises CheckpointUnfit."""
    kind = checkpoint.config.get("model_type")
    if kind != "qwen3_vl":
        raise checkpoint.unfit(
            NAME, f"its model_type is {kind!r}, not 'qwen3_vl': use Qwen/Qwen3-VL-Embedding-2B or -8B"
        )
    if any(name.endswith("custom_text_proj.weight") for name in tensors(checkpoint.base)):
        raise checkpoint.unfit(NAME, "it is a ColQwen3: use --visual colpali")
    return int(checkpoint.config["text_config"]["hidden_size"])
