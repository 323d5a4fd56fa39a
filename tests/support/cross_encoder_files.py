"""Tiny random cross-encoders made without torch, in ONNX: outputs that can be computed by hand."""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.support.late_checkpoint import Made, lookup_model, make, safetensors


@dataclass(frozen=True)
class MadePair:
    """The checkpoint in a folder, and how it scores the tokens of two texts."""

    folder: Path
    score: Callable[..., float]


def make_pair(folder: Path, texts: Sequence[str], *, seed: int = 0) -> MadePair:
    """Write a checkpoint as Ettin's rerankers are: a Transformer, Pooling, Dense, LayerNorm, Dense."""
    made = make(folder, texts, seed=seed)
    width = made.rows.shape[1]
    drawn = np.random.default_rng(seed + 1)
    first = drawn.standard_normal((width, width)).astype(np.float32)
    scale, shift = (drawn.standard_normal(width).astype(np.float32) for _ in range(2))
    last, bias = drawn.standard_normal((1, width)).astype(np.float32), np.ones(1, np.float32)
    kind = "sentence_transformers.base.modules."
    modules = [("", "transformer.Transformer"), ("1_Pooling", "pooling.Pooling"), ("2_Dense", "dense.Dense")]
    modules += [("3_LayerNorm", "layer_norm.LayerNorm"), ("4_Dense", "dense.Dense")]
    configs = {
        "1_Pooling": {"pooling_mode": "mean"},
        "2_Dense": {
            "in_features": width, "out_features": width, "activation_function": "torch.nn.modules.activation.GELU",
        },
        "3_LayerNorm": {"dimension": width},
        "4_Dense": {"in_features": width, "out_features": 1},
    }  # fmt: skip
    for name, config in configs.items():
        (folder / name).mkdir()
        (folder / name / "config.json").write_text(json.dumps(config))
    (folder / "modules.json").write_text(json.dumps([{"path": path, "type": kind + name} for path, name in modules]))
    (folder / "2_Dense" / "model.safetensors").write_bytes(safetensors({"linear.weight": first}))
    (folder / "3_LayerNorm" / "model.safetensors").write_bytes(safetensors({"norm.weight": scale, "norm.bias": shift}))
    (folder / "4_Dense" / "model.safetensors").write_bytes(safetensors({"linear.weight": last, "linear.bias": bias}))

    def score(*tokens: str) -> float:
        hidden = made.rows[[made.ids[token] for token in tokens]].mean(axis=0) @ first.T
        hidden = hidden * np.array([(1 + math.erf(x / math.sqrt(2))) / 2 for x in hidden])
        spread = np.sqrt(((hidden - hidden.mean()) ** 2).mean() + 1e-5)
        return float(((hidden - hidden.mean()) / spread * scale + shift) @ last[0] + 1)

    return MadePair(folder, score)


def make_token_classifier(folder: Path, texts: Sequence[str], *, seed: int = 0, never: Sequence[str] = ()) -> Made:
    """Write a checkpoint as LettuceDetect's are: each token is supported, or not; its outputs are `rows` (v, 2).

    A token of `never` is not supported, with a probability of nearly one.
    """
    made = make(folder, texts, seed=seed)
    rows = np.random.default_rng(seed).standard_normal((len(made.ids), 2)).astype(np.float32)
    rows[[made.ids[token] for token in never]] = [-9, 9]
    (folder / "onnx" / "model.onnx").write_bytes(lookup_model(rows))
    (folder / "modules.json").unlink()
    (folder / "config.json").write_text(json.dumps({"architectures": ["ModernBertForTokenClassification"]}))
    return Made(folder, made.ids, rows, made.weight)
