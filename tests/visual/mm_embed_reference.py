"""MM-Embed once more, in plain tensor operations on a checkpoint's tensors: `indexing.embed.visual.mm_embed` must
agree.

Written from the papers (Lin et al. 2024, MM-Embed; Lee et al. 2024, NV-Embed; Liu et al. 2024, LLaVA-NeXT; Jiang et al.
2023, Mistral; Radford et al. 2021, CLIP), one item at a time, without a mask, without transformers.
"""

import math
from typing import Any

import torch
from torch import Tensor, nn

from tests.visual.tiny_space import DIM, HEADS, LAYERS, PATCH, VISION

Weights = dict[str, Tensor]


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """softmax(q k / sqrt(d)) v, for (heads, n, d)."""
    return torch.softmax(query @ key.transpose(1, 2) / math.sqrt(query.shape[-1]), dim=-1) @ value


def heads(states: Tensor, count: int) -> Tensor:
    return states.reshape(len(states), count, -1).transpose(0, 1)


def joined(states: Tensor) -> Tensor:
    return states.transpose(0, 1).flatten(1)


def linear(weights: Weights, name: str, states: Tensor) -> Tensor:
    return nn.functional.linear(states, weights[f"{name}.weight"], weights.get(f"{name}.bias"))


def layer_norm(weights: Weights, name: str, states: Tensor) -> Tensor:
    return nn.functional.layer_norm(states, states.shape[-1:], weights[f"{name}.weight"], weights[f"{name}.bias"])


def rms_norm(weights: Weights, name: str, states: Tensor) -> Tensor:
    return weights[f"{name}.weight"] * states / torch.sqrt((states**2).mean(-1, keepdim=True) + 1e-5)


def patches(weights: Weights, pixels: Tensor) -> Tensor:
    """The vision tower's states (p, d) of an image (3, side, side) before its last layer, without CLS."""
    own = "vision_tower.vision_model."
    seen = nn.functional.conv2d(pixels[None], weights[f"{own}embeddings.patch_embedding.weight"], stride=PATCH)
    states = torch.cat([weights[f"{own}embeddings.class_embedding"][None], seen[0].flatten(1).T])
    states = layer_norm(weights, f"{own}pre_layrnorm", states + weights[f"{own}embeddings.position_embedding.weight"])
    for layer in range(LAYERS - 1):  # vision_feature_layer -2
        name = f"{own}encoder.layers.{layer}."
        normed = layer_norm(weights, f"{name}layer_norm1", states)
        q, k, v = (heads(linear(weights, f"{name}self_attn.{p}_proj", normed), 2) for p in "qkv")
        states = states + linear(weights, f"{name}self_attn.out_proj", joined(attention(q, k, v)))
        inner = linear(weights, f"{name}mlp.fc1", layer_norm(weights, f"{name}layer_norm2", states))
        states = states + linear(weights, f"{name}mlp.fc2", inner * torch.sigmoid(1.702 * inner))
    return states[1:]


def turned(states: Tensor, theta: float) -> Tensor:
    """Rotary positions on (heads, n, d), halves rotated."""
    half = states.shape[-1] // 2
    angles = torch.arange(states.shape[1])[:, None] * theta ** (-torch.arange(half) / half)
    cos, sin = angles.cos(), angles.sin()
    a, b = states[..., :half], states[..., half:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


def language(weights: Weights, states: Tensor, theta: float) -> Tensor:
    """Mistral over (n, d), every token attending to every other."""
    for layer in range(LAYERS):
        name = f"language_model.layers.{layer}."
        normed = rms_norm(weights, f"{name}input_layernorm", states)
        q, k, v = (linear(weights, f"{name}self_attn.{p}_proj", normed) for p in "qkv")
        q, k, v = turned(heads(q, HEADS), theta), turned(heads(k, HEADS // 2), theta), heads(v, HEADS // 2)
        k, v = (part.repeat_interleave(2, dim=0) for part in (k, v))
        states = states + linear(weights, f"{name}self_attn.o_proj", joined(attention(q, k, v)))
        normed = rms_norm(weights, f"{name}post_attention_layernorm", states)
        gate = nn.functional.silu(linear(weights, f"{name}mlp.gate_proj", normed))
        states = states + linear(weights, f"{name}mlp.down_proj", gate * linear(weights, f"{name}mlp.up_proj", normed))
    return rms_norm(weights, "language_model.norm", states)


def latent(weights: Weights, states: Tensor, counted: Tensor) -> Tensor:
    first, second = (f"latent_attention_model.cross_attend_blocks.{n}." for n in (0, 1))
    context = layer_norm(weights, f"{first}norm_context", weights["latent_attention_model.latents"])
    query = linear(weights, f"{first}fn.to_q", layer_norm(weights, f"{first}norm", states))
    key, value = linear(weights, f"{first}fn.to_kv", context).chunk(2, dim=-1)
    attended = joined(attention(heads(query, 8), heads(key, 8), heads(value, 8)))
    states = states + linear(weights, f"{first}fn.to_out", attended)
    inner = linear(weights, f"{second}fn.net.0", layer_norm(weights, f"{second}norm", states))
    values, gates = inner.chunk(2, dim=-1)
    states = states + linear(weights, f"{second}fn.net.2", values * nn.functional.gelu(gates))
    mean = states[counted].mean(dim=0)
    return mean / mean.norm()


def embedding(weights: Weights, ids: list[int], image_token: int, pixels: Tensor | None, unpooled: int) -> Any:
    """The vector (d,) of token ids that hold one `image_token` where the image stands."""
    states = []
    for token in ids:
        if token == image_token:
            assert pixels is not None
            inner = nn.functional.gelu(linear(weights, "multi_modal_projector.linear_1", patches(weights, pixels)))
            states += [linear(weights, "multi_modal_projector.linear_2", inner), weights["image_newline"][None]]
        else:
            states.append(weights["language_model.embed_tokens.weight"][token][None])
    sequence = torch.cat(states)
    counted = torch.arange(len(sequence)) >= unpooled
    return latent(weights, language(weights, sequence, 10000.0), counted).numpy()


assert VISION % 2 == DIM % HEADS == 0
