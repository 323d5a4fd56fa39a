"""GGUF files of the tests' own: headers as llama.cpp's converter writes them, and weights of any numbers."""

import struct
from collections.abc import Mapping
from pathlib import Path

import numpy as np

LLAMA = {
    "context_length": 8192,
    "block_count": 30,
    "embedding_length": 576,
    "attention.head_count": 9,
    "attention.head_count_kv": 3,
}
"""The keys of SmolLM2-135M, of which a token of context takes 23,040 bytes."""


def gguf(path: Path, architecture: str = "llama", **changed: object) -> Path:
    """Write a file of one small tensor; `changed` replaces keys of the architecture (`__` stands for a dot)."""
    own = LLAMA | {name.replace("__", "."): value for name, value in changed.items()}
    keys: dict[str, object] = {"general.architecture": architecture, "tokenizer.ggml.tokens": ["a", "bc", "def"]}
    keys |= {f"{architecture}.{name}": value for name, value in own.items()}
    return written(path, keys, {"token_embd.weight": (16,)})


def written(path: Path, keys: Mapping[str, object], shapes: Mapping[str, tuple[int, ...]]) -> Path:
    """Write a file of these keys, and tensors of random float32 (always the same), their first side first."""
    rng = np.random.default_rng(0)
    infos, data = b"", b""
    for name, sides in shapes.items():
        place = struct.pack(f"<I{len(sides)}QIQ", len(sides), *sides, 0, len(data))
        infos += _text(name) + place
        data += _padded(rng.normal(0, 0.02, int(np.prod(sides))).astype("<f4").tobytes())
    head = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), len(keys))
    head += b"".join(_text(key) + _value(value) for key, value in keys.items())
    path.write_bytes(_padded(head + infos) + data)
    return path


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 32)


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def _value(value: object) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    if isinstance(value, list):
        inner = [_value(item) for item in value]
        return struct.pack("<I", 9) + inner[0][:4] + struct.pack("<Q", len(value)) + b"".join(i[4:] for i in inner)
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    return struct.pack("<If", 6, value) if isinstance(value, float) else struct.pack("<II", 4, value)
