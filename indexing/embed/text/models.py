"""The models of late-interaction checkpoints, loaded: as ONNX by ONNX Runtime, else by transformers and torch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.embed.minilm import onnx_session
from indexing.embed.text.checkpoint import TextCheckpoint
from indexing.embed.weights import first_line

_KNOWN = ("input_ids", "attention_mask", "token_type_ids")
_UNUSED = ("pooler.",)
"""The weights that no token vector depends on."""

Forward = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.float32]]


def onnx_model(file: Path, checkpoint: TextCheckpoint) -> Forward:
    """Return a model in ONNX: ids and attention mask (b, n) -> states (b, n, h). Raises CheckpointUnfit."""
    try:
        session = onnx_session(str(file))
    except Exception as error:  # noqa: BLE001  the library raises nothing more special
        raise checkpoint.unfit(f"{file.name} cannot be loaded ({first_line(error)}): download it again") from None
    inputs = [i.name for i in session.get_inputs()]
    if not {"input_ids", "attention_mask"} <= set(inputs) <= set(_KNOWN):
        message = f"{file.name} takes the inputs {', '.join(inputs)}, not {', '.join(_KNOWN)}"
        raise checkpoint.unfit(f"{message}: remove it to use torch")

    def forward(ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        return np.asarray(session.run(None, {name: feed[name] for name in inputs})[0])

    return forward


def torch_model(checkpoint: TextCheckpoint, setting: str) -> tuple[Forward, str]:
    """Return a model by torch, and its device. Raises ExtraMissing, CheckpointUnfit."""
    from indexing.embed.visual import checkpoints, loading

    checkpoints.require_packages(("torch", "transformers"), "the text embedder colbert, without an ONNX file,")
    with loading.importing("the text embedder colbert"):
        import torch
        from transformers import AutoModel

        device = loading.device_of(setting)
    with loading.quiet():
        try:
            model, info = AutoModel.from_pretrained(
                str(checkpoint.transformer), local_files_only=True, use_safetensors=True, trust_remote_code=False,
                dtype=torch.float32, output_loading_info=True,
            )  # fmt: skip
        except (OSError, ValueError, KeyError, RuntimeError, AttributeError, ImportError) as error:
            raise checkpoint.unfit(
                f"{first_line(error)}: only models that transformers itself contains are loaded, "
                "never code from the checkpoint"
            ) from None
    missing = {*info["missing_keys"], *(name for name, *_ in info["mismatched_keys"])}
    lacking = sorted(name for name in missing if not name.startswith(_UNUSED))
    if lacking:
        raise checkpoint.unfit(
            f"{len(lacking)} of its weights are missing ({', '.join(lacking[:3])}): download it again"
        )
    model = model.to(device).eval()

    def forward(ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        def to_device(array: NDArray[np.int64]) -> Any:
            return torch.from_numpy(array).to(device)

        with torch.inference_mode():
            states = model(input_ids=to_device(ids), attention_mask=to_device(mask)).last_hidden_state
        return np.asarray(states.float().cpu().numpy())

    return forward, device
