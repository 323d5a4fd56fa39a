"""The network of MM-Embed over transformers' own parts, with the names that its weights have in the checkpoint.

A CLIP vision tower looks at the whole image; LLaVA-NeXT's projector turns its patches into tokens, after which comes
one that ends the line; Mistral reads them and the text, every token attending to every other (Lee et al. 2024,
NV-Embed); latent attention and a mean over the tokens that count make one vector of them.

The module imports torch: import it late.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from transformers import AutoModel, LlavaNextConfig, PreTrainedModel
from transformers.models.llava_next.modeling_llava_next import LlavaNextMultiModalProjector

from indexing.embed.visual.checkpoints import Checkpoint

RETRIEVERS = {"nvidia/NV-Embed-v1": {"rope_theta": 10000.0, "rope_type": "default"}}
"""The rotary positions of the language models that a checkpoint may name as its `retriever`. Its own `text_config` is
that of the LLaVA-NeXT it began as, and wrong here: other positions, another vocabulary.
"""
HEADS = 8
"""The number of attention heads of the latent attention of NV-Embed."""


class MMEmbedConfig(LlavaNextConfig):
    """A configuration under a name of its own, so that transformers renames no weights."""

    model_type = "vouch_mm_embed"


def configuration(checkpoint: Checkpoint, shapes: dict[str, tuple[int, ...]]) -> MMEmbedConfig:
    """Return the network's configuration; `shapes` are those of the checkpoint's tensors. Raises CheckpointUnfit."""
    retriever = str(checkpoint.config.get("retriever"))
    if retriever not in RETRIEVERS:
        raise checkpoint.unfit(
            "mm_embed", f"it builds on the text embedder {retriever!r}; supported are {', '.join(RETRIEVERS)}"
        )
    omitted_keys = ("model_type", "architectures", "auto_map", "transformers_version")
    config = MMEmbedConfig(**{key: value for key, value in checkpoint.config.items() if key not in omitted_keys})
    config.text_config.vocab_size = shapes["language_model.embed_tokens.weight"][0]
    config.text_config.rope_parameters = dict(RETRIEVERS[retriever])
    config.text_config.sliding_window = None
    config.latents = list(shapes["latent_attention_model.latents"])
    config.latent_width = shapes["latent_attention_model.cross_attend_blocks.0.fn.to_q.weight"][0]
    return config


class MMEmbedModel(PreTrainedModel):
    """The network: tokens and images -> unit vectors."""

    config_class = MMEmbedConfig
    base_model_prefix = "mm_embed"
    _supports_sdpa = True

    def __init__(self, config: MMEmbedConfig) -> None:
        """Build the layers of the configuration; weights come from the checkpoint."""
        super().__init__(config)
        self.vision_tower = AutoModel.from_config(config.vision_config)
        self.multi_modal_projector = LlavaNextMultiModalProjector(config)
        self.image_newline = nn.Parameter(torch.empty(config.text_config.hidden_size))
        self.language_model = AutoModel.from_config(config.text_config, attn_implementation="sdpa")
        count, dim = config.latents
        self.latent_attention_model = LatentAttention(count, dim, config.latent_width)
        self.post_init()

    @property
    def image_length(self) -> int:
        """The number of tokens of an image: its patches, and the end of the line."""
        vision = self.config.vision_config
        return int((vision.image_size // vision.patch_size) ** 2 + 1)

    def forward(self, ids: Any, mask: Any, pool_mask: Any, pixels: Any = None) -> Any:
        """Return unit vectors (b, d) of token ids (b, n), padded at the end.

        `mask` (b, n) is 1 for tokens, `pool_mask` (b, n) for those in the vector. `pixels` (i, 3, side, side)
        are the images, in the order of their tokens.
        """
        is_image = ids == self.config.image_token_index
        states = self.language_model.embed_tokens(ids.masked_fill(is_image, 0))
        if pixels is not None:
            states = states.masked_scatter(is_image[..., None], self._image_tokens(pixels).to(states.dtype))
        # This is not MistralModel.forward, which is causal: it runs its layers with a mask that hides padding alone.
        attention = mask.bool()[:, None, None, :].expand(-1, 1, ids.shape[1], -1)
        positions = torch.arange(ids.shape[1], device=ids.device)[None]
        rotary = self.language_model.rotary_emb(states, position_ids=positions)
        for layer in self.language_model.layers:
            states = layer(states, attention_mask=attention, position_ids=positions, position_embeddings=rotary)
        return self.latent_attention_model(self.language_model.norm(states), pool_mask)

    def _image_tokens(self, pixels: Any) -> Any:
        features = self.vision_tower(pixels, output_hidden_states=True).hidden_states[self.config.vision_feature_layer]
        tokens = self.multi_modal_projector(features[:, 1:])  # without CLS
        return torch.cat([tokens, self.image_newline.expand(len(tokens), 1, -1)], dim=1)


class LatentAttention(nn.Module):
    """A layer in which tokens attend to trained latents, then their normalised mean (Lee et al. 2024, 3.1.2)."""

    def __init__(self, count: int, dim: int, width: int) -> None:
        """Build `count` latents of `dim` dimensions, attention `width` wide over all heads."""
        super().__init__()
        self.latents = nn.Parameter(torch.empty(count, dim))
        self.cross_attend_blocks = nn.ModuleList(
            [_Normed(dim, _Attention(dim, width), True), _Normed(dim, _Gated(dim))]
        )

    def forward(self, states: Any, pool_mask: Any) -> Any:
        """Return unit vectors (b, d): the mean of the token states (b, n, d) for which `pool_mask` (b, n) is 1."""
        attention, feed_forward = self.cross_attend_blocks
        states = attention(states, self.latents.expand(len(states), -1, -1)) + states
        states = feed_forward(states) + states
        weights = pool_mask[..., None].to(torch.float32)
        mean = (states.float() * weights).sum(dim=1) / weights.sum(dim=1)
        return nn.functional.normalize(mean, dim=-1)


class _Normed(nn.Module):
    """A layer after normalisation of its input."""

    def __init__(self, dim: int, layer: nn.Module, with_context: bool = False) -> None:
        super().__init__()
        self.fn = layer
        self.norm = nn.LayerNorm(dim)
        self.norm_context = nn.LayerNorm(dim) if with_context else None

    def forward(self, states: Any, context: Any = None) -> Any:
        if self.norm_context is None:
            return self.fn(self.norm(states))
        return self.fn(self.norm(states), self.norm_context(context))


class _Attention(nn.Module):
    """A multi-head attention of tokens to a context."""

    def __init__(self, dim: int, width: int) -> None:
        super().__init__()
        self.to_q = nn.Linear(dim, width, bias=False)
        self.to_kv = nn.Linear(dim, 2 * width, bias=False)
        self.to_out = nn.Linear(width, dim, bias=False)

    def forward(self, states: Any, context: Any) -> Any:
        parts = (self.to_q(states), *self.to_kv(context).chunk(2, dim=-1))
        query, key, value = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in parts)
        attention = nn.functional.scaled_dot_product_attention(query, key, value)
        return self.to_out(attention.transpose(1, 2).flatten(2))


class _Gated(nn.Module):
    """A block of two linear layers with a gated GELU between them."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 8 * dim), _Gate(), nn.Linear(4 * dim, dim))

    def forward(self, states: Any) -> Any:
        return self.net(states)


class _Gate(nn.Module):
    """A gate: one half of the features, weighed by the GELU of the other."""

    def forward(self, states: Any) -> Any:
        values, gates = states.chunk(2, dim=-1)
        return values * nn.functional.gelu(gates)
