"""Weights -> a model in memory that is the one they were trained as, on its device, and how many pages it can take."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
import psutil
from numpy.typing import NDArray

from indexing.embed.checkpoints import Checkpoint
from indexing.errors import ExtraMissing

PAGE_BYTES = {"cuda": 1 << 30, "cpu": 2 << 30}
"""Memory that a page takes at most while it is embedded; the largest models with the largest vocabularies come near."""
MOST_PAGES = {"cuda": 32, "cpu": 4}
T = TypeVar("T")


def device_of(setting: str) -> str:
    """The device of a setting: auto is the GPU if there is one."""
    import torch

    if setting != "auto":
        return setting
    return "cuda" if torch.cuda.is_available() else "cpu"


def pages_at_once(device: str) -> int:
    """How many pages fit in the memory that is free now."""
    import torch

    kind = "cuda" if device.startswith("cuda") else "cpu"
    free = torch.cuda.mem_get_info(device)[0] if kind == "cuda" else psutil.virtual_memory().available
    return int(max(1, min(MOST_PAGES[kind], free // PAGE_BYTES[kind])))


def load(model: Any, checkpoint: Checkpoint, embedder: str, device: str, *, words: bool = False, **more: Any) -> Any:
    """A model of that class with the weights of a checkpoint, for inference: bf16 on a GPU, fp32 elsewhere.

    With `words` it keeps what makes words of states; no embedder needs it.

    Raises CheckpointUnfit when any weight of the model is not in the checkpoint: transformers would draw it at random,
    and say so in a warning at most.
    """
    import torch

    exact = not device.startswith("cuda")
    if checkpoint.adapted:
        more["adapter_kwargs"] = {"_adapter_model_path": str(checkpoint.folder)}
    with quiet():
        try:
            loaded, told = model.from_pretrained(
                str(checkpoint.base),
                dtype=torch.float32 if exact else torch.bfloat16,
                local_files_only=True,
                use_safetensors=True,
                output_loading_info=True,
                **more,
            )
        except (OSError, ValueError, KeyError, RuntimeError, AttributeError) as error:
            raise checkpoint.unfit(embedder, _said(error)) from None
    lacking = sorted({*told["missing_keys"], *(name for name, *_ in told["mismatched_keys"])})
    if lacking:
        names = ", ".join(lacking[:3]) + (" and others" if len(lacking) > 3 else "")
        raise checkpoint.unfit(
            embedder, f"{len(lacking)} weights of {model.__name__} are not in it ({names}), so it is another model"
        )
    if not words:
        _without_words(loaded)
    return loaded.to(device).eval()


def _without_words(model: Any) -> None:
    """Take out what would make words of states: no vector needs it, and it takes more than all the rest of a page."""
    import torch

    for name, _ in list(model.named_modules()):
        if name.rpartition(".")[2] == "lm_head":
            model.get_submodule(name.rpartition(".")[0]).lm_head = torch.nn.Identity()


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Within it transformers shows no bars and warns of nothing: what matters is raised."""
    from transformers.utils import logging

    before, shown = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(before)
        if shown:
            logging.enable_progress_bar()


@contextlib.contextmanager
def importing(embedder: str) -> Iterator[None]:
    """Raises ExtraMissing for packages that are installed and cannot be imported, as when versions do not fit."""
    try:
        yield
    except (ImportError, RuntimeError) as error:
        raise ExtraMissing(
            f"the packages of the visual embedder {embedder} cannot be imported ({_said(error)}): install them again, "
            "torch and torchvision of the same release: pip install 'vouch[visual]'"
        ) from error


def in_batches(items: Sequence[T], size: int, embed: Any) -> list[Any]:
    """`embed` (a list of items -> as many results) over all items, `size` at a time, fewer where memory runs out."""
    import torch

    done: list[Any] = []
    while len(done) < len(items):
        batch = items[len(done) : len(done) + size]
        try:
            done += embed(batch)
        except torch.OutOfMemoryError:
            if len(batch) == 1:
                raise
            torch.cuda.empty_cache()
            size = max(1, len(batch) // 2)
    return done


def moved(batch: Any, device: str, dtype: Any) -> dict[str, Any]:
    """What a processor made, on the device, floating point as the model has it; labels are for training, and left."""
    return {
        name: value.to(device, dtype) if value.is_floating_point() else value.to(device)
        for name, value in batch.items()
        if hasattr(value, "is_floating_point") and name != "labels"
    }


def plain(text: str) -> str:
    """Text that is only text: what looks like a control token (<|image_pad|>, <image>) is taken apart."""
    return re.sub(r"<(?=[|/a-z])", "< ", text)


def unit(rows: Any) -> NDArray[np.float32]:
    """A tensor's rows (n, d) as unit vectors; ValueError when a model gave what is no number."""
    found: NDArray[np.float32] = rows.float().cpu().numpy()
    if not np.isfinite(found).all():
        raise ValueError("the model gave values that are no numbers")
    lengths: NDArray[np.float32] = np.maximum(np.linalg.norm(found, axis=1, keepdims=True), np.float32(1e-9))
    return found / lengths


def _said(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:240]
