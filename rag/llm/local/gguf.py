"""Read the header of a GGUF file: the model, its longest context, and the memory that a context takes.

This comes before loading, as llama.cpp reports only that it failed: here a file that is missing, truncated or of
another format has a clear message. Layout: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag.errors import ModelFileUnusable

_NUMBERS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
"""The formats of the numbers by their types in the file; 8 is a string, 9 an array."""
_STRING, _ARRAY = 8, 9
_KEPT = 1024
"""The most entries of an array that is kept (one number a layer); vocabularies are passed over."""
_LONGEST = 1 << 20
"""The most characters of a text, and of keys, tensors and dimensions: no file that llama.cpp loads has more."""
_ALIGNED = 32
"""The number of bytes of which the place of the weights is a multiple, where the file says no other."""
_HALF = 2
"""The bytes of a number in the cache of a context."""


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """A header: the architecture (`clip` for the eyes of a vision model), and how it is built.

    `context_tokens` is the longest context that the model was trained for, 0 where the file does not say; `cache` the
    bytes that a token of context takes in memory.
    """

    architecture: str
    context_tokens: int
    cache: int
    size: int


def read_header(path: Path) -> GgufHeader:
    """Return the header of a file. Raises ModelFileUnusable, which names the file, its fault, and the next step."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            if data[:4] != b"GGUF":
                raise ModelFileUnusable(f"{path} is not a GGUF file: give a model file that ends in .gguf")
            return _header(_Cursor(data), len(data))
    except FileNotFoundError:
        raise ModelFileUnusable(f"there is no file {path}: check the path in rag.model") from None
    except IsADirectoryError:
        raise ModelFileUnusable(f"{path} is a folder: give the .gguf file in it") from None
    except OSError as error:
        raise ModelFileUnusable(f"{path} cannot be read ({error.strerror}): check its permissions") from None
    except (ValueError, struct.error):  # an empty file cannot be mapped
        raise ModelFileUnusable(f"{path} is damaged or cut off: download it again") from None


class _Cursor:
    """A place in the bytes of a file, from which values are read one after the other. Raises struct.error at the end.

    Raises ValueError for what no file has.
    """

    def __init__(self, data: mmap.mmap) -> None:
        self.data = data
        self.at = 4

    def number(self, kind: int) -> Any:
        form = _NUMBERS.get(kind)
        if form is None:
            raise ValueError(kind)
        (value,) = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return value

    def count(self) -> int:
        value = int(self.number(10))
        if value > _LONGEST:
            raise ValueError(value)
        return value

    def text(self) -> str:
        start = self.at + 8
        self.at = start + self.count()
        return self.data[start : self.at].decode("utf-8", "replace")

    def value(self) -> Any:
        """Return a value of a key; None for an array that is passed over."""
        kind = self.number(4)
        if kind == _STRING:
            return self.text()
        if kind != _ARRAY:
            return self.number(kind)
        inner, n = self.number(4), self.count()
        if inner == _STRING:
            for _ in range(n):
                length = self.count()
                self.at += length
            return None
        if n <= _KEPT:
            return [self.number(inner) for _ in range(n)]
        self.at += n * struct.calcsize(_NUMBERS[inner]) if inner in _NUMBERS else len(self.data)
        return None


def _header(cursor: _Cursor, size: int) -> GgufHeader:
    if cursor.number(4) not in (2, 3):
        raise ValueError("version")
    tensors, keys = cursor.count(), cursor.count()
    values: dict[str, Any] = {}
    for _ in range(keys):
        key = cursor.text()
        values[key] = cursor.value()
    last = 0
    for _ in range(tensors):
        cursor.text()
        for _ in range(cursor.number(4)):
            cursor.number(10)
        cursor.number(4)
        last = max(last, cursor.number(10))
    step = _whole(values.get("general.alignment")) or _ALIGNED
    if -(-cursor.at // step) * step + last >= size:
        raise ValueError("cut off")
    architecture = str(values.get("general.architecture", ""))
    own = {key.removeprefix(f"{architecture}."): value for key, value in values.items()}
    return GgufHeader(architecture, _whole(own.get("context_length")), _cache(own), size)


def _cache(own: Mapping[str, Any]) -> int:
    """Return the bytes of a token's keys and values over all layers; 0 if the file does not say."""
    layers, heads = _whole(own.get("block_count")), _whole(own.get("attention.head_count"))
    side = _whole(own.get("embedding_length")) // heads if heads else 0
    width = sum(_whole(own.get(f"attention.{name}_length", side)) for name in ("key", "value"))
    kv_heads = own.get("attention.head_count_kv", heads)
    pairs = sum(map(_whole, kv_heads)) if isinstance(kv_heads, list) else layers * _whole(kv_heads)
    return pairs * width * _HALF


def _whole(value: Any) -> int:
    """Return a number of the file that can be one, else 0."""
    return value if isinstance(value, int) and 0 <= value < 1 << 40 else 0
