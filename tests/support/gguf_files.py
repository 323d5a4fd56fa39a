"""GGUF files of the tests' own: a header as llama.cpp's converter writes it, and as many bytes of weights as asked."""

from __future__ import annotations

import struct
from pathlib import Path

LLAMA = {
    "context_length": 8192,
    "block_count": 30,
    "embedding_length": 576,
    "attention.head_count": 9,
    "attention.head_count_kv": 3,
}
"""The keys of SmolLM2-135M, of which a token of context takes 23,040 bytes."""


def gguf(path: Path, architecture: str = "llama", *, weights: int = 64, **changed: object) -> Path:
    """Write a file of one tensor; `changed` replaces keys of the architecture (`__` stands for a dot)."""
    own = LLAMA | {name.replace("__", "."): value for name, value in changed.items()}
    keys: dict[str, object] = {"general.architecture": architecture, "tokenizer.ggml.tokens": ["a", "bc", "def"]}
    keys |= {f"{architecture}.{name}": value for name, value in own.items()}
    tensor = _text("token_embd.weight") + struct.pack("<IQIQ", 1, weights, 0, 0)
    head = b"GGUF" + struct.pack("<IQQ", 3, 1, len(keys))
    path.write_bytes(
        head + b"".join(_text(key) + _value(value) for key, value in keys.items()) + tensor + b"\0" * weights
    )
    return path


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def _value(value: object) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    if isinstance(value, list):
        inner = [_value(item) for item in value]
        return struct.pack("<I", 9) + inner[0][:4] + struct.pack("<Q", len(value)) + b"".join(i[4:] for i in inner)
    return struct.pack("<II", 4, value)
