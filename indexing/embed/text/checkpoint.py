"""A late-interaction checkpoint of PyLate: its folder, and its model, by ONNX Runtime or by transformers and torch.

The folder is one of sentence-transformers: `modules.json` names a Transformer and one Dense layer or more, and
`config_sentence_transformers.json` says how questions and passages are written.
"""

from __future__ import annotations

import hashlib
import math
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from indexing.embed.minilm import onnx_session
from indexing.embed.weights import (
    add_sampled,
    checkpoint_folder,
    first_line,
    read_json,
    read_json_object,
    tensor_entries,
    unreadable,
)
from indexing.errors import CheckpointMissing, CheckpointUnfit

FILES = ["*.safetensors", "*.json", "model.onnx", "onnx/model.onnx", "*model.onnx_data"]
"""The files of a hub's folder that are downloaded."""
MOST_TOKENS = 32_768
"""The most tokens of a question or of a window of a passage that a checkpoint may ask for."""
_EPSILON = 1e-5
"""What torch adds to the variance in a LayerNorm."""
_erf = np.vectorize(math.erf, otypes=[np.float32])
_TYPES = {"F32": "<f4", "F16": "<f2", "F64": "<f8", "BF16": "<u2"}


@dataclass(frozen=True, slots=True)
class Layer:
    """A Dense layer: rows (n, i) become rows @ weight.T (+ bias), then (+ residual); `weight` is (o, i)."""

    weight: NDArray[np.float32]
    bias: NDArray[np.float32] | None = None
    activation: str = "Identity"
    residual: NDArray[np.float32] | bool = False

    def __call__(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the projected rows (n, o)."""
        result = rows @ self.weight.T
        if self.bias is not None:
            result = result + self.bias
        result = _ACTIVATIONS[self.activation](result)
        if self.residual is False:
            return np.asarray(result, np.float32)
        shortcut = rows if self.residual is True else rows @ self.residual.T
        return np.asarray(result + shortcut, np.float32)


@dataclass(frozen=True, slots=True)
class TextCheckpoint:
    """A checkpoint on disk: `name` as a collection records it, `transformer` the folder of its first module.

    The rest is its configuration: prefixes ("" for none), the most tokens of a question and of a passage, whether a
    question is padded with mask tokens (`expands`) that are attended to (`attends`), the words of passages that get no
    vector (`skipped_words`), and whether text is turned into lower case (`lowers`).
    """

    name: str
    folder: Path
    transformer: Path
    layers: tuple[Layer, ...] = field(repr=False)
    query_prefix: str
    document_prefix: str
    query_length: int
    document_length: int
    expands: bool
    attends: bool
    skipped_words: tuple[str, ...]
    lowers: bool

    @property
    def onnx(self) -> Path | None:
        """The file of the model as ONNX; None if there is none."""
        candidates = (self.folder / "onnx" / "model.onnx", self.transformer / "model.onnx", self.folder / "model.onnx")
        return next((path for path in candidates if path.is_file()), None)

    @property
    def dim(self) -> int:
        """The number of components of its vectors."""
        return int(self.layers[-1].weight.shape[0])

    def unfit(self, why: str) -> CheckpointUnfit:
        """Return the error that says why the checkpoint cannot be used."""
        return CheckpointUnfit(f"colbert cannot use the checkpoint {self.name}: {why}")

    def json(self, name: str) -> dict[str, Any]:
        """Return the JSON object in a file of the transformer's folder, else of the checkpoint's; empty for none."""
        return read_json_object(self.transformer / name) or read_json_object(self.folder / name) or {}

    def fingerprint(self) -> str:
        """Return a hash of configuration, tokenizer and weights, 16 hex digits."""
        digest = hashlib.sha256(b"sketches")  # how pages are stored for the first stage of search
        kinds = ("*.json", "*.safetensors", "*_Dense/*.json", "*_Dense/*.safetensors")
        files = {file for folder in {self.folder, self.transformer} for kind in kinds for file in folder.glob(kind)}
        if not any(self.transformer.glob("*.safetensors")) and self.onnx:
            files.add(self.onnx)
        for file in sorted(files):
            add_sampled(digest, str(file.relative_to(self.folder)), file)
        return digest.hexdigest()[:16]


def locate(name: str) -> TextCheckpoint:
    """Read the checkpoint that a setting names, downloaded if it is on the hub. Raises CheckpointMissing/Unfit."""
    if not name:
        raise CheckpointMissing(
            "the text embedder colbert needs weights: --checkpoint FOLDER, or owner/name on the Hugging Face hub"
        )
    folder = checkpoint_folder(name, FILES)
    label = str(folder) if Path(name).expanduser().is_dir() else name
    entries = read_json(folder / "modules.json")
    modules = [m for m in entries if isinstance(m, dict)] if isinstance(entries, list) else []
    kinds = [(str(m.get("type", "")).rpartition(".")[2], folder / str(m.get("path", ""))) for m in modules]
    if not kinds or kinds[0][0] != "Transformer" or any(kind != "Dense" for kind, _ in kinds[1:]) or len(kinds) < 2:
        found_kinds = ", ".join(kind for kind, _ in kinds) or "no modules.json"
        raise CheckpointUnfit(
            f"colbert cannot use the checkpoint {label}: a PyLate checkpoint has a Transformer and Dense "
            f"layers, and this one has {found_kinds}: choose a late-interaction checkpoint saved by PyLate"
        )
    if any(not path.resolve().is_relative_to(folder.resolve()) for _, path in kinds):
        raise CheckpointUnfit(
            f"colbert cannot use the checkpoint {label}: its modules.json refers to folders outside it"
        )
    transformer = kinds[0][1]
    config = read_json_object(folder / "config_sentence_transformers.json") or {}
    first = read_json_object(transformer / "sentence_bert_config.json") or {}
    expands = bool(_value(config, "do_query_expansion", True))
    return TextCheckpoint(
        label, folder, transformer, tuple(dense_layer(label, path) for _, path in kinds[1:]),
        str(_value(config, "query_prefix", "[Q] ")), str(_value(config, "document_prefix", "[D] ")),
        _token_limit(label, config, "query_length", 32), _token_limit(label, config, "document_length", 180),
        expands,
        expands and bool(_value(config, "attend_to_expansion_tokens", False)),
        tuple(map(str, _value(config, "skiplist_words", string.punctuation))), bool(first.get("do_lower_case", False)),
    )  # fmt: skip


def _value(config: Mapping[str, Any], key: str, default: Any) -> Any:
    """Return a value of the configuration; the default if it is missing or null."""
    value = config.get(key)
    return default if value is None else value


def _token_limit(label: str, config: Mapping[str, Any], key: str, default: int) -> int:
    value = _value(config, key, default)
    if not isinstance(value, int) or not 8 <= value <= MOST_TOKENS:
        raise CheckpointUnfit(f"colbert cannot use the checkpoint {label}: its {key} is {value!r}: download it again")
    return value


def dense_layer(label: str, folder: Path) -> Layer:
    """Read a Dense layer of the checkpoint `label`. Raises CheckpointUnfit."""
    config = read_json_object(folder / "config.json") or {}
    activation = str(config.get("activation_function", "torch.nn.modules.linear.Identity")).rpartition(".")[2]
    arrays = _arrays(folder / "model.safetensors")
    weight = arrays.get("linear.weight")
    shape = (config.get("out_features"), config.get("in_features"))
    if weight is None or weight.shape != shape or activation not in _ACTIVATIONS:
        why = (
            f"the activation {activation!r}" if activation not in _ACTIVATIONS else f"weights whose type is not {shape}"
        )
        raise CheckpointUnfit(
            f"colbert cannot use the checkpoint {label}: {folder.name} has {why}: save it again with PyLate, as "
            "safetensors"
        )
    residual: NDArray[np.float32] | bool = arrays.get("residual.weight", bool(config.get("use_residual", False)))
    return Layer(weight, arrays.get("linear.bias"), activation, residual)


def layer_norm(label: str, folder: Path) -> Callable[[NDArray[np.float32]], NDArray[np.float32]]:
    """Return a LayerNorm layer as a function of rows (n, i), with the weights in `folder`. Raises CheckpointUnfit."""
    arrays = _arrays(folder / "model.safetensors")
    weight, bias = arrays.get("norm.weight"), arrays.get("norm.bias")
    if weight is None or bias is None or weight.shape != bias.shape:
        raise CheckpointUnfit(f"the checkpoint {label} cannot be used: {folder.name} has no weights: download it again")

    def normalise(rows: NDArray[np.float32]) -> NDArray[np.float32]:
        spread = np.sqrt(rows.var(axis=1, keepdims=True) + _EPSILON)
        return np.asarray((rows - rows.mean(axis=1, keepdims=True)) / spread * weight + bias, np.float32)

    return normalise


def _arrays(file: Path) -> dict[str, NDArray[np.float32]]:
    """Return the tensors of a small file of safetensors. Raises CheckpointUnfit."""
    entries, start = tensor_entries(file)
    arrays: dict[str, NDArray[np.float32]] = {}
    try:
        data = file.read_bytes()
        for name, entry in entries.items():
            begin, end = (start + int(at) for at in entry["data_offsets"])
            raw = np.frombuffer(data[begin:end], _TYPES[entry["dtype"]])
            values = (raw.astype(np.uint32) << 16).view(np.float32) if entry["dtype"] == "BF16" else raw
            arrays[name] = np.asarray(values, np.float32).reshape(entry["shape"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise unreadable(file, error) from None
    return arrays


_ACTIVATIONS: dict[str, Callable[[NDArray[np.float32]], NDArray[Any]]] = {
    "Identity": lambda rows: rows,
    "Tanh": np.tanh,
    "ReLU": lambda rows: np.maximum(rows, 0),
    "GELU": lambda rows: rows * (1 + _erf(rows / math.sqrt(2))) / 2,
}
"""The activations of Dense layers, by the names of torch's classes."""


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
