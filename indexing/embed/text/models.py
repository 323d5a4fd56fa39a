"""The models of late-interaction checkpoints, loaded: as ONNX by ONNX Runtime, else by transformers and torch."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from indexing.embed.minilm import onnx_session
from indexing.embed.weights import first_line
from indexing.errors import CheckpointUnfit

_KNOWN = ("input_ids", "attention_mask", "token_type_ids")
_UNUSED = ("pooler.",)
"""The weights that no token vector depends on."""

Ids = NDArray[np.int64]


class Forward(Protocol):
    """A model: token ids, mask and types (b, n; None for zeros) -> states (b, n, h), or the outputs of its head."""

    def __call__(self, ids: Ids, mask: Ids, types: Ids | None = None) -> NDArray[np.float32]:
        """Return the states, or the outputs of the head."""


class ModelFolder(Protocol):
    """A checkpoint, as far as its model is loaded from it."""

    @property
    def transformer(self) -> Path:
        """The folder of the model."""

    def unfit(self, why: str) -> CheckpointUnfit:
        """Return the error that says why the checkpoint cannot be used."""


def onnx_model(file: Path, checkpoint: ModelFolder) -> Forward:
    """Return the model in an ONNX file; of its outputs the first. Raises CheckpointUnfit."""
    try:
        session = onnx_session(str(file))
    except Exception as error:  # noqa: BLE001  the library raises nothing more special
        raise checkpoint.unfit(f"{file.name} cannot be loaded ({first_line(error)}): download it again") from None
    inputs = [i.name for i in session.get_inputs()]
    if not {"input_ids", "attention_mask"} <= set(inputs) <= set(_KNOWN):
        message = f"{file.name} takes the inputs {', '.join(inputs)}, not {', '.join(_KNOWN)}"
        raise checkpoint.unfit(f"{message}: remove it to use torch")

    def forward(ids: Ids, mask: Ids, types: Ids | None = None) -> NDArray[np.float32]:
        kinds = np.zeros_like(ids) if types is None else types
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": kinds}
        return np.asarray(session.run(None, {name: feed[name] for name in inputs})[0])

    return forward


Head = Literal["", "ForSequenceClassification", "ForTokenClassification", "ForCausalLM"]
"""A head in transformers: classes of a text (b, c), of tokens (b, n, c), or logits (b, v) of the token that follows."""


def torch_model(checkpoint: ModelFolder, setting: str, head: Head = "") -> tuple[Forward, str]:
    """Return a torch model, with `head` unless it is "", and its device. Raises ExtraMissing, CheckpointUnfit."""
    from indexing.embed.visual import checkpoints, loading

    what = "a cross-encoder" if head else "the text embedder colbert"
    checkpoints.require_packages(("torch", "transformers"), f"{what}, without an ONNX file,")
    with loading.importing(what):
        import torch
        import transformers

        device = loading.device_of(setting)
    with loading.quiet():
        try:
            model, info = getattr(transformers, f"AutoModel{head}").from_pretrained(
                str(checkpoint.transformer), local_files_only=True, use_safetensors=True, trust_remote_code=False,
                dtype=torch.float32, output_loading_info=True,
            )  # fmt: skip
        except (OSError, ValueError, KeyError, RuntimeError, AttributeError, ImportError) as error:
            raise checkpoint.unfit(
                f"{first_line(error)}: only models that transformers itself contains are loaded, "
                "never code from the checkpoint"
            ) from None
    missing = {*info["missing_keys"], *(name for name, *_ in info["mismatched_keys"])}
    lacking_weights = sorted(name for name in missing if head or not name.startswith(_UNUSED))
    if lacking_weights:
        raise checkpoint.unfit(
            f"{len(lacking_weights)} of its weights are missing ({', '.join(lacking_weights[:3])}): download it again"
        )
    model = model.to(device).eval()
    has_types = getattr(model.config, "type_vocab_size", 0) > 1
    last_token = {"logits_to_keep": 1} if head == "ForCausalLM" else {}

    def forward(ids: Ids, mask: Ids, types: Ids | None = None) -> NDArray[np.float32]:
        feed = {"input_ids": ids, "attention_mask": mask} | ({"token_type_ids": types} if has_types else {})
        tensors = {name: torch.from_numpy(array).to(device) for name, array in feed.items() if array is not None}
        with torch.inference_mode():
            result = model(**tensors, **last_token)
        outputs = result.logits if head else result.last_hidden_state
        return np.asarray((outputs[:, -1] if last_token else outputs).float().cpu().numpy())

    return forward, device
