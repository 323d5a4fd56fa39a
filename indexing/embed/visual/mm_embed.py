"""The embedder MM-Embed: text, image or both as one vector of 4,096 dimensions (Lin et al. 2024), on transformers 5.

The code that comes with the weights needs transformers 4.42; without it they load as a plain LLaVA-NeXT, silently and
to no purpose. So the model is here (`indexing.embed.visual.mm_embed_model`), over transformers' own parts; a checkpoint
that is a plain LLaVA-NeXT is refused. An item is written as the model was trained: questions carry an instruction,
which counts nothing in their vector, documents carry none.

The weights of nvidia/MM-Embed are licensed cc-by-nc-4.0: not for commercial use. `qwen3_vl_embedding` does the same
with weights that are free.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from configs import parsed_json
from indexing.embed.visual import loading
from indexing.embed.visual.checkpoint_embedder import LoadedModel
from indexing.embed.visual.checkpoints import Checkpoint, tensors
from indexing.embed.visual.universal import EmbeddedItem, OneSpace
from indexing.settings import IndexingSettings

if TYPE_CHECKING:
    from PIL import Image

NAME = "mm_embed"
IMAGE = "<image>"
MOST_TOKENS = 512
"""The most tokens of a text; longer ones are cut, as they were in training."""
LATENTS = "latent_attention_model.latents"
"""A tensor that MM-Embed has, and that a plain LLaVA-NeXT lacks."""


@dataclass(frozen=True, slots=True)
class _Pixels:
    """The input of the vision tower for an image: `side` in pixels, then `mean` and `std` of each colour."""

    side: int
    mean: tuple[float, float, float]
    std: tuple[float, float, float]


class MMEmbed(OneSpace):
    """The universal embedder MM-Embed. Safe to use from several threads."""

    name = NAME

    def __init__(self, settings: IndexingSettings) -> None:
        """Find the checkpoint and look at it. Raises ExtraMissing, CheckpointMissing, CheckpointUnfit."""
        super().__init__(settings)
        shapes = tensors(self.checkpoint.base)
        _check(self.checkpoint, shapes)
        self.dim = shapes[LATENTS][1]
        self._pixels = _read_pixels(self.checkpoint)

    def _rows(self, vlm: LoadedModel, items: Sequence[EmbeddedItem], instruction: str) -> Any:
        import torch

        sequences = [self._tokens(vlm, item, instruction) for item in items]
        longest = max(len(ids) for ids, _ in sequences)
        ids = torch.full((len(items), longest), vlm.model.config.text_config.eos_token_id)
        mask, pool_mask = torch.zeros_like(ids), torch.zeros_like(ids)
        for row, (tokens, n_unpooled) in enumerate(sequences):
            ids[row, : len(tokens)] = torch.tensor(tokens)
            mask[row, : len(tokens)] = 1
            pool_mask[row, n_unpooled : len(tokens)] = 1
        images = [self._image(item.image) for item in items if item.image is not None]
        pixels = torch.from_numpy(np.stack(images)).to(vlm.device, vlm.model.dtype) if images else None
        return vlm.model(ids.to(vlm.device), mask.to(vlm.device), pool_mask.to(vlm.device), pixels)

    def _tokens(self, vlm: LoadedModel, item: EmbeddedItem, instruction: str) -> tuple[list[int], int]:
        """Return the tokens of an item, and how many leading ones are left out of its vector: the instruction."""
        text_config, image_token = vlm.model.config.text_config, vlm.model.config.image_token_index
        before = f"Instruct: {instruction}\nQuery: " if instruction else ""
        image_mark = f"{IMAGE}\n" if item.image is not None else ""
        ids = vlm.processor.encode(before + image_mark + item.text, add_special_tokens=False).ids[: MOST_TOKENS - 2]
        tokens: list[int] = []
        images = 0
        for token in ids:
            if token != image_token:
                tokens.append(token)
            elif item.image is not None and not images:  # text that says <image> is none
                images = 1
                tokens += [image_token] * vlm.model.image_length
        instruction_ids = vlm.processor.encode(before.partition("\n")[0], add_special_tokens=False).ids
        # As in the original, which encodes the instruction with begin and end tokens: its line break is left out too.
        n_unpooled = len(instruction_ids) + 2 if before else 0
        return [text_config.bos_token_id, *tokens, text_config.eos_token_id], n_unpooled

    def _image(self, image: Image.Image) -> NDArray[np.float32]:
        """Return the image stretched to the vision tower's square (3, side, side), its only view of an image."""
        from PIL import Image

        size = (self._pixels.side, self._pixels.side)
        square = image.convert("RGB").resize(size, Image.Resampling.BICUBIC)
        values = np.asarray(square, np.float32) / np.float32(255)
        normal = (values - np.array(self._pixels.mean, np.float32)) / np.array(self._pixels.std, np.float32)
        return np.ascontiguousarray(normal.transpose(2, 0, 1), np.float32)

    def _load(self, device: str) -> tuple[Any, Any]:
        with loading.importing(NAME):
            from tokenizers import Tokenizer

            from indexing.embed.visual.mm_embed_model import MMEmbedModel, configuration
        config = configuration(self.checkpoint, tensors(self.checkpoint.base))
        model = loading.load(MMEmbedModel, self.checkpoint, NAME, device, config=config)
        tokenizer = Tokenizer.from_file(str(self.checkpoint.folder / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return model, tokenizer


def _check(checkpoint: Checkpoint, shapes: dict[str, tuple[int, ...]]) -> None:
    """Raise CheckpointUnfit for a model that is not MM-Embed, or that has no tokenizer."""
    kind = checkpoint.config.get("model_type")
    if LATENTS not in shapes:
        what = "a plain LLaVA-NeXT, which answers questions but cannot embed" if kind == "llava_next" else repr(kind)
        raise checkpoint.unfit(NAME, f"it is {what} (it has no latent attention): use nvidia/MM-Embed")
    if kind != "llava_next":
        raise checkpoint.unfit(NAME, f"its model_type is {kind!r}, not 'llava_next'")
    if not (checkpoint.folder / "tokenizer.json").is_file():
        raise checkpoint.unfit(NAME, "its tokenizer.json is missing: download it again")


def _read_pixels(checkpoint: Checkpoint) -> _Pixels:
    """Return the size and normalisation of images in preprocessor_config.json; the default side is CLIP's."""
    try:
        config = parsed_json((checkpoint.folder / "preprocessor_config.json").read_text(encoding="utf-8"))
        size = config.get("size") or {}
        side = int(size.get("shortest_edge") or size.get("height") or 336)
        mean, std = (tuple(map(float, config[name])) for name in ("image_mean", "image_std"))
        return _Pixels(side, (mean[0], mean[1], mean[2]), (std[0], std[1], std[2]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise checkpoint.unfit(
            NAME, f"its preprocessor_config.json cannot be read ({error}): download it again"
        ) from None
