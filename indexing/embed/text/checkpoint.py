"""A late-interaction checkpoint of PyLate: its folder, its format of questions and passages, its projections.

The folder is one of sentence-transformers: `modules.json` names a Transformer and one Dense layer or more, and
`config_sentence_transformers.json` says how questions and passages are written. Everything is read offline; only a
checkpoint that is named by the hub is fetched first. No code that comes with weights is run, and no pickle is read.
"""

from __future__ import annotations

import hashlib
import re
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from configs import parsed_json
from indexing.embed.weights import add_sampled
from indexing.errors import CheckpointMissing, CheckpointUnfit, ExtraMissing

FILES = ["*.safetensors", "*.json", "model.onnx", "onnx/model.onnx", "*model.onnx_data"]
"""The files of a hub's folder that are fetched."""
MOST_HEADER = 100_000_000
MOST_TOKENS = 32_768
"""The most tokens of a question or of a window of a passage that a checkpoint may ask for."""
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
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

    The rest is its configuration: the prefixes ("" for none), the most tokens of a question and of a passage, whether a
    question is padded with mask tokens (`expands`), and whether these are attended to (`attends`).
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
    skipped: tuple[str, ...]
    lowers: bool

    @property
    def onnx(self) -> Path | None:
        """The model as ONNX, if it is there."""
        places = (self.folder / "onnx" / "model.onnx", self.transformer / "model.onnx", self.folder / "model.onnx")
        return next((path for path in places if path.is_file()), None)

    @property
    def dim(self) -> int:
        """The number of components of its vectors."""
        return int(self.layers[-1].weight.shape[0])

    def unfit(self, why: str) -> CheckpointUnfit:
        """Return the error that says why the checkpoint cannot be used."""
        return CheckpointUnfit(f"colbert cannot use the checkpoint {self.name}: {why}")

    def json(self, name: str) -> dict[str, Any]:
        """Return the object in a file of the transformer's folder, or of the checkpoint's; empty for none."""
        return _json(self.transformer / name) or _json(self.folder / name) or {}

    def fingerprint(self) -> str:
        """Return 16 hex digits that stand for configuration, tokenizer and weights."""
        digest = hashlib.sha256()
        kinds = ("*.json", "*.safetensors", "*_Dense/*.json", "*_Dense/*.safetensors")
        files = {file for folder in {self.folder, self.transformer} for kind in kinds for file in folder.glob(kind)}
        if not any(self.transformer.glob("*.safetensors")) and self.onnx:
            files.add(self.onnx)
        for file in sorted(files):
            add_sampled(digest, str(file.relative_to(self.folder)), file)
        return digest.hexdigest()[:16]


def locate(name: str) -> TextCheckpoint:
    """Find and read the checkpoint of a setting, fetched if it is on the hub. Raises CheckpointMissing/Unfit."""
    if not name:
        raise CheckpointMissing(
            "the text embedder colbert needs weights: --checkpoint FOLDER, or owner/name on the Hugging Face hub"
        )
    folder = _folder(name)
    label = str(folder) if Path(name).expanduser().is_dir() else name
    modules = _list(folder / "modules.json")
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
    config = _json(folder / "config_sentence_transformers.json") or {}
    first = _json(transformer / "sentence_bert_config.json") or {}
    expands = _flag(config, "do_query_expansion", default=True)
    return TextCheckpoint(
        label, folder, transformer, tuple(_dense(label, path) for _, path in kinds[1:]),
        _text(config, "query_prefix", "[Q] "), _text(config, "document_prefix", "[D] "),
        _count(label, config, "query_length", 32), _count(label, config, "document_length", 180),
        expands,
        expands and _flag(config, "attend_to_expansion_tokens", default=False),
        _words(config), bool(first.get("do_lower_case", False)),
    )  # fmt: skip


def _text(config: Mapping[str, Any], key: str, default: str) -> str:
    value = config.get(key)
    return default if value is None else str(value)


def _flag(config: Mapping[str, Any], key: str, *, default: bool) -> bool:
    value = config.get(key)
    return default if value is None else bool(value)


def _words(config: Mapping[str, Any]) -> tuple[str, ...]:
    value = config.get("skiplist_words")
    return tuple(string.punctuation) if value is None else tuple(map(str, value))


def _count(label: str, config: Mapping[str, Any], key: str, default: int) -> int:
    value = config.get(key)
    if value is None:
        return default
    if not isinstance(value, int) or not 8 <= value <= MOST_TOKENS:
        raise CheckpointUnfit(f"colbert cannot use the checkpoint {label}: its {key} is {value!r}: download it again")
    return value


def _dense(label: str, folder: Path) -> Layer:
    """Read a Dense layer. Raises CheckpointUnfit."""
    config = _json(folder / "config.json") or {}
    activation = str(config.get("activation_function", "torch.nn.modules.linear.Identity")).rpartition(".")[2]
    arrays = _arrays(label, folder / "model.safetensors")
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


def _arrays(label: str, file: Path) -> dict[str, NDArray[np.float32]]:
    """Return the tensors of a small file of safetensors. Raises CheckpointUnfit."""
    try:
        data = file.read_bytes()
        length = int.from_bytes(data[:8], "little")
        header = parsed_json(data[8 : 8 + min(length, MOST_HEADER)])
        arrays: dict[str, NDArray[np.float32]] = {}
        for name, entry in header.items():
            if name == "__metadata__":
                continue
            begin, end = (8 + length + int(at) for at in entry["data_offsets"])
            raw = np.frombuffer(data[begin:end], _TYPES[entry["dtype"]])
            values = (raw.astype(np.uint32) << 16).view(np.float32) if entry["dtype"] == "BF16" else raw
            arrays[name] = np.asarray(values, np.float32).reshape(entry["shape"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CheckpointUnfit(
            f"colbert cannot use the checkpoint {label}: {file} cannot be read as safetensors ({error}): save it again "
            "with PyLate"
        ) from None
    return arrays


def _erf(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the error function (Abramowitz & Stegun 7.1.26), right to 1.5e-7."""
    x = np.abs(rows)
    t = 1.0 / (1.0 + 0.3275911 * x)
    series = ((((1.061405429 * t - 1.453152027) * t) + 1.421413741) * t - 0.284496736) * t + 0.254829592
    return np.asarray(np.sign(rows) * (1.0 - series * t * np.exp(-x * x)), np.float32)


_ACTIVATIONS: dict[str, Callable[[NDArray[np.float32]], NDArray[Any]]] = {
    "Identity": lambda rows: rows,
    "Tanh": np.tanh,
    "ReLU": lambda rows: np.maximum(rows, 0),
    "GELU": lambda rows: rows * (1 + _erf(rows / np.sqrt(2))) / 2,
    "SiLU": lambda rows: rows / (1 + np.exp(-rows)),
    "Sigmoid": lambda rows: 1 / (1 + np.exp(-rows)),
}
"""The activations of Dense layers, by the names of torch's classes."""


def _folder(name: str) -> Path:
    """Return the folder of a path or of a hub's name. Raises CheckpointMissing, ExtraMissing."""
    path = Path(name).expanduser()
    if path.is_dir():
        return path.resolve()
    if not _HUB_NAME.fullmatch(name):
        raise CheckpointMissing(
            f"the checkpoint {name!r} is neither an existing folder nor owner/name on the Hugging Face hub: "
            "check the spelling"
        )
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise ExtraMissing(
            f"downloading {name} needs huggingface_hub: pip install 'vouch[visual]', or give a folder"
        ) from None
    try:
        return Path(snapshot_download(name, allow_patterns=FILES))
    except (OSError, ValueError) as error:
        message = (str(error).strip().splitlines() or [type(error).__name__])[0][:160]
        raise CheckpointMissing(
            f"the checkpoint {name!r} cannot be downloaded from the Hugging Face hub ({message}): check the name "
            "and the connection"
        ) from None


def _json(path: Path) -> dict[str, Any] | None:
    try:
        value = parsed_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def _list(path: Path) -> Sequence[Mapping[str, Any]]:
    try:
        items = parsed_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ()
    return [m for m in items if isinstance(m, dict)] if isinstance(items, list) else ()
