"""Run a model in this process, with llama.cpp's OpenAI-compatible server on a loopback port.

It listens only on 127.0.0.1 and requires a new random key each time, so that other users of the machine cannot call it.
`ServedModel` uses it like any server: closing a stream stops the model. `xllamacpp` (extra `local`) provides llama.cpp;
it is imported when a model is loaded. Before that the header of the file is read, as llama.cpp reports only that it
failed. Layout: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import mmap
import secrets
import struct
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from indexing import cores
from rag.errors import EngineMissing, MemoryShort, ModelFileUnusable, PromptTooLong
from rag.llm.settings import ModelSettings

_NUMBERS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
"""The formats of the numbers by their types in the file; 8 is a string, 9 an array."""
_STRING, _ARRAY = 8, 9
_MOST_KEPT = 1024
"""The most entries of an array that is kept (one number a layer); vocabularies are passed over."""
_LONGEST = 1 << 20
"""The most characters of a text, and of keys: no file that llama.cpp loads has more."""
_HALF = 2
"""The bytes of a number in the cache of a context."""


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """The header of a model file: the architecture (`clip` for the vision part of a model), and its sizes.

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
    """A reader of successive values in the bytes of a file. Raises struct.error at the end, ValueError for bad ones."""

    def __init__(self, data: mmap.mmap) -> None:
        self.data = data
        self.at = 4

    def number(self, kind: int) -> Any:
        """Return the next number, of a type in `_NUMBERS`."""
        form = _NUMBERS.get(kind)
        if form is None:
            raise ValueError(kind)
        (value,) = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return value

    def count(self) -> int:
        """Return the next 64-bit number. Raises ValueError above the largest plausible count."""
        value = int(self.number(10))
        if value > _LONGEST:
            raise ValueError(value)
        return value

    def text(self) -> str:
        start = self.at + 8
        self.at = start + self.count()
        return self.data[start : self.at].decode("utf-8", "replace")

    def value(self) -> Any:
        """Return the next value, which begins with its type; None for an array of texts, or a long one."""
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
        if n <= _MOST_KEPT:
            return [self.number(inner) for _ in range(n)]
        self.at += n * struct.calcsize(_NUMBERS[inner]) if inner in _NUMBERS else len(self.data)
        return None


def _header(cursor: _Cursor, size: int) -> GgufHeader:
    """Return the header that begins at the cursor, after "GGUF"; `size` is that of the file in bytes."""
    if cursor.number(4) not in (2, 3):
        raise ValueError("version")
    cursor.count()  # the tensors, which llama.cpp reads itself
    values: dict[str, Any] = {}
    for _ in range(cursor.count()):
        key = cursor.text()
        values[key] = cursor.value()
    architecture = str(values.get("general.architecture", ""))
    own = {key.removeprefix(f"{architecture}."): value for key, value in values.items()}
    return GgufHeader(architecture, _count_or_zero(own.get("context_length")), _cache(own), size)


def _cache(own: Mapping[str, Any]) -> int:
    """Return the bytes of a token's keys and values over all layers; 0 if the file does not say."""
    layers, heads = _count_or_zero(own.get("block_count")), _count_or_zero(own.get("attention.head_count"))
    side = _count_or_zero(own.get("embedding_length")) // heads if heads else 0
    width = sum(_count_or_zero(own.get(f"attention.{name}_length", side)) for name in ("key", "value"))
    kv_heads = own.get("attention.head_count_kv", heads)
    pairs = sum(map(_count_or_zero, kv_heads)) if isinstance(kv_heads, list) else layers * _count_or_zero(kv_heads)
    return pairs * width * _HALF


def _count_or_zero(value: Any) -> int:
    """Return a value of the file if it is a plausible count, else 0."""
    return value if isinstance(value, int) and 0 <= value < 1 << 40 else 0


_WORKING_BYTES = 300_000_000
"""The memory that llama.cpp computes in, besides weights and contexts."""
_GB = 1e9


def check_files(settings: ModelSettings) -> GgufHeader:
    """Return the header of the model's file. Raises ModelFileUnusable for one of its files, EngineMissing."""
    header = read_header(Path(settings.gguf))
    if header.architecture == "clip":
        raise ModelFileUnusable(
            f"{settings.gguf} is the vision part of a model: set it as rag.model.mmproj, and the model itself "
            "as rag.model.gguf"
        )
    if settings.mmproj and read_header(Path(settings.mmproj)).architecture != "clip":
        raise ModelFileUnusable(
            f"{settings.mmproj} is not the vision part of a model (usually named mmproj-...gguf): set "
            "rag.model.mmproj to that file, or leave it out"
        )
    _xllamacpp()
    return header


def limit_context(settings: ModelSettings) -> ModelSettings:
    """Return the settings with the context limited to the length that the model was trained for.

    Raises PromptTooLong if that leaves no room for a prompt, and what `check_files` raises.
    """
    trained_tokens = check_files(settings).context_tokens or settings.context_tokens
    if trained_tokens <= settings.max_output_tokens:
        raise PromptTooLong(
            f"{settings.name} was trained for {trained_tokens} tokens of prompt and reply together: lower "
            f"rag.model.max_output_tokens (now {settings.max_output_tokens}) to {trained_tokens // 4}"
        )
    return settings.model_copy(update={"context_tokens": min(trained_tokens, settings.context_tokens)})


class Engine:
    """A model that is loaded: `base_url` and `key` are those of its server, which ends with this object.

    It holds a context for each call that can be under way at once: `concurrency` whole ones, and as many streamed.
    """

    def __init__(self, settings: ModelSettings) -> None:
        """Load the files of settings from `limit_context`. Raises MemoryShort, ModelFileUnusable, EngineMissing."""
        header, xllamacpp = check_files(settings), _xllamacpp()
        contexts = 2 * settings.concurrency
        if all(device["type"].name.endswith("_CPU") for device in xllamacpp.get_device_info()):
            _check_memory(settings, header, contexts)
        self.key = secrets.token_urlsafe(32)
        params = xllamacpp.CommonParams()
        params.model.path = settings.gguf
        params.mmproj.path = settings.mmproj
        params.model_alias = {settings.name}
        params.n_parallel = contexts
        params.n_ctx = contexts * settings.context_tokens
        params.kv_unified = False
        params.cache_ram_mib = 0  # else old prompts are kept in gigabytes
        threads = settings.threads or max(1, cores() // 2)
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
        params.n_threads_http = contexts + 2
        params.hostnames, params.port, params.api_keys = ["127.0.0.1"], 0, [self.key]
        params.ui = params.endpoint_slots = False
        params.offline = True
        params.verbosity = -1  # it would write on our standard error
        try:
            self._server = xllamacpp.Server(params)
        except RuntimeError:
            files = f"{settings.gguf} with {settings.mmproj}" if settings.mmproj else settings.gguf
            raise ModelFileUnusable(
                f"llama.cpp cannot load {files}: it is damaged, or of a kind that xllamacpp "
                f"{xllamacpp.__version__} does not support: download it again, or pip install -U xllamacpp"
            ) from None
        self.base_url = f"{self._server.listening_address}/v1"


def engine_of(settings: ModelSettings) -> Engine:
    """Return the running engine of a model, or start one; it runs while it is referenced. Raises as `Engine` does."""
    key = (
        *(settings.name, settings.gguf, settings.mmproj, settings.threads),
        *(settings.context_tokens, settings.concurrency),
    )
    with _LOADING:
        engine = _ENGINES.get(key)
        if engine is None:
            engine = _ENGINES[key] = Engine(settings)
        return engine


_ENGINES: WeakValueDictionary[tuple[object, ...], Engine] = WeakValueDictionary()
_LOADING = threading.Lock()


def _check_memory(settings: ModelSettings, header: GgufHeader, contexts: int) -> None:
    """Raise MemoryShort if the machine has less free memory than the model needs."""
    import psutil

    eyes = Path(settings.mmproj).stat().st_size if settings.mmproj else 0
    cache = header.cache * settings.context_tokens * contexts
    need = header.size + eyes + cache + _WORKING_BYTES
    free = psutil.virtual_memory().available
    if need > free:
        raise MemoryShort(
            f"{settings.name} takes about {need / _GB:.1f} GB of memory ({(header.size + eyes) / _GB:.1f} of weights, "
            f"{cache / _GB:.1f} of context), and {free / _GB:.1f} GB are free: lower rag.model.context_tokens (now "
            f"{settings.context_tokens}), or take a smaller model"
        )


def _xllamacpp() -> Any:
    """Return the package that brings llama.cpp. Raises EngineMissing where it is not installed, or cannot be loaded."""
    try:
        import xllamacpp
    except ImportError as error:
        raise EngineMissing(
            f"a model in this process (rag.model.gguf) needs xllamacpp ({error}): pip install 'vouch[local]'"
        ) from None
    return xllamacpp
