"""Run a model in this process, with llama.cpp's OpenAI-compatible server on a loopback port.

It listens only on 127.0.0.1 and requires a new random key each time, so that other users of the machine cannot call it.
`ServedModel` uses it like any server: closing a stream stops the model. `xllamacpp` (extra `local`) provides llama.cpp;
it is imported when a model is loaded.
"""

from __future__ import annotations

import secrets
import threading
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from indexing import cores
from rag.errors import EngineMissing, MemoryShort, ModelFileUnusable, PromptTooLong
from rag.llm.local.gguf import GgufHeader, read_header
from rag.llm.settings import ModelSettings

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
    """Return the running engine of a model, or start one; it runs as long as it is referenced.

    Raises what `Engine` raises.
    """
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
