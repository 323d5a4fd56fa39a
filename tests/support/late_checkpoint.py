"""A tiny late-interaction checkpoint in PyLate's form, made without torch: random vectors of words, in ONNX.

Its model looks each token's vector up and does nothing else, so that what a vector must be can be computed by hand.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[Q] ", "[D] "]
STATES, DIM = 64, 44
QUERY_LENGTH, DOCUMENT_LENGTH = 16, 24


@dataclass(frozen=True)
class Made:
    """The checkpoint in a folder, and what its vectors are made of: `rows` (v, h) of all tokens, `weight` (d, h)."""

    folder: Path
    ids: dict[str, int]
    rows: NDArray[np.float32]
    weight: NDArray[np.float32]

    def vectors(self, *tokens: str) -> NDArray[np.float32]:
        """Return the unit vectors (n, d) of tokens."""
        found = self.rows[[self.ids[token] for token in tokens]] @ self.weight.T
        return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), np.float32)


def make(folder: Path, texts: Sequence[str], *, seed: int = 0, **told: Any) -> Made:
    """Write a checkpoint that knows the words of some texts; `told` goes to its configuration."""
    words = sorted({w for text in texts for w in _split(text)} | set("!?.,;:'\"()-"))
    ids = {token: n for n, token in enumerate([*SPECIAL, *words])}
    drawn = np.random.default_rng(seed)
    rows = drawn.standard_normal((len(ids), STATES)).astype(np.float32)
    weight = drawn.standard_normal((DIM, STATES)).astype(np.float32)
    (folder / "onnx").mkdir(parents=True)
    (folder / "1_Dense").mkdir()
    _tokenizer(ids).save(str(folder / "tokenizer.json"))
    (folder / "onnx" / "model.onnx").write_bytes(lookup_model(rows))
    (folder / "1_Dense" / "model.safetensors").write_bytes(safetensors({"linear.weight": weight}))
    known = {"query_length": QUERY_LENGTH, "document_length": DOCUMENT_LENGTH, **told}
    module = "sentence_transformers.models.Transformer"
    written: dict[str, Any] = {
        "modules.json": [{"path": "", "type": module}, {"path": "1_Dense", "type": "pylate.models.Dense.Dense"}],
        "config_sentence_transformers.json": known,
        "tokenizer_config.json": {"mask_token": "[MASK]", "pad_token": "[PAD]", "unk_token": "[UNK]"},
        "1_Dense/config.json": {"in_features": STATES, "out_features": DIM, "bias": False},
    }
    for name, content in written.items():
        (folder / name).write_text(json.dumps(content))
    return Made(folder, ids, rows, weight)


def _split(text: str) -> list[str]:
    return [word for word, _ in pre_tokenizers.BertPreTokenizer().pre_tokenize_str(text.lower())]


def _tokenizer(ids: dict[str, int]) -> Tokenizer:
    made = Tokenizer(models.WordLevel(ids, unk_token="[UNK]"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    ends = [("[CLS]", ids["[CLS]"]), ("[SEP]", ids["[SEP]"])]
    made.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    made.add_special_tokens(SPECIAL)
    return made


def safetensors(arrays: Mapping[str, NDArray[np.float32]]) -> bytes:
    """Return arrays as a file of safetensors."""
    header: dict[str, Any] = {}
    end = 0
    for name, array in arrays.items():
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [end, end + array.nbytes]}
        end += array.nbytes
    told = json.dumps(header).encode()
    return len(told).to_bytes(8, "little") + told + b"".join(array.tobytes() for array in arrays.values())


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def _field(number: int, value: int | str | bytes) -> bytes:
    """Write a field of a protobuf message."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _value(name: str, kind: int, *sizes: str | int) -> bytes:
    """Write a ValueInfoProto: 1 is float32, 7 int64."""
    dims = b"".join(_field(1, _field(1 if isinstance(size, int) else 2, size)) for size in sizes)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, dims)))


def lookup_model(rows: NDArray[np.float32], *, cached: bool = False) -> bytes:
    """Write a ModelProto that gathers rows (v, h) by `input_ids` (b, n), and takes a cache as language models do."""
    table = b"".join(_field(1, size) for size in rows.shape)
    table += _field(2, 1) + _field(8, "rows") + _field(9, rows.tobytes())
    node = _field(1, "rows") + _field(1, "input_ids") + _field(2, "states") + _field(4, "Gather")
    names = ("input_ids", "attention_mask", *(["position_ids"] if cached else []))
    inputs = [_value(name, 7, "b", "n") for name in names]
    inputs += [_value(f"past_key_values.0.{name}", 1, "b", 2, "past", 4) for name in ("key", "value") if cached]
    graph = _field(1, node) + _field(2, "words") + _field(5, table) + b"".join(_field(11, i) for i in inputs)
    graph += _field(12, _value("states", 1, "b", "n", rows.shape[1]))
    return _field(1, 8) + _field(7, graph) + _field(8, _field(2, 13))
