"""Load the weights of a checkpoint into the model they were trained for, on its device, and choose its batch size."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar

import numpy as np
import psutil
from numpy.typing import NDArray

from indexing.embed.visual.checkpoints import Checkpoint
from indexing.embed.weights import first_line
from indexing.errors import ExtraMissing
from indexing.vectors import normalize

PAGE_BYTES = {"cuda": 1 << 30, "cpu": 2 << 30}
"""The most memory, in bytes, that a page takes while it is embedded; the largest models and vocabularies come near."""
MOST_PAGES = {"cuda": 32, "cpu": 4}
TOKENIZERS = ("tokenizer.json", "tokenizer_config.json", "tokenizer.model", "vocab.json")
"""The files of a tokenizer, of which a checkpoint has one at least."""
T = TypeVar("T")
Result = TypeVar("Result")


def device_of(setting: str) -> str:
    """Return the device of a setting: auto is the GPU if there is one."""
    import torch

    if setting != "auto":
        return setting
    return "cuda" if torch.cuda.is_available() else "cpu"


def inference() -> AbstractContextManager[Any]:
    """Return a context in which this thread computes without gradients."""
    import torch

    mode: AbstractContextManager[Any] = torch.inference_mode()
    return mode


def pages_at_once(device: str) -> int:
    """Return how many pages fit in the free memory of a device, at least 1."""
    import torch

    kind = "cuda" if device.startswith("cuda") else "cpu"
    free = torch.cuda.mem_get_info(device)[0] if kind == "cuda" else psutil.virtual_memory().available
    return int(max(1, min(MOST_PAGES[kind], free // PAGE_BYTES[kind])))


def load(model: Any, checkpoint: Checkpoint, embedder: str, device: str, *, words: bool = False, **more: Any) -> Any:
    """Return a model of the class `model` with the weights of a checkpoint, for inference; `more` goes to the class.

    It is in bf16 on a GPU, fp32 elsewhere, or in a given `dtype`. With `words` it keeps the head of the language model,
    which only generates text. Raises CheckpointUnfit if the checkpoint lacks a weight of the model: transformers would
    only warn and use random values.
    """
    import torch

    more.setdefault("dtype", torch.bfloat16 if device.startswith("cuda") else torch.float32)
    if checkpoint.is_adapter:
        more["adapter_kwargs"] = {"_adapter_model_path": str(checkpoint.folder)}
    with quiet():
        try:
            instance, info = model.from_pretrained(
                str(checkpoint.base),
                local_files_only=True,
                use_safetensors=True,
                output_loading_info=True,
                **more,
            )
        except (OSError, ValueError, KeyError, RuntimeError, AttributeError) as error:
            raise checkpoint.unfit(embedder, first_line(error)) from None
    lacking = sorted({*info["missing_keys"], *(name for name, *_ in info["mismatched_keys"])})
    if lacking:
        names = ", ".join(lacking[:3]) + (" and others" if len(lacking) > 3 else "")
        raise checkpoint.unfit(
            embedder, f"{len(lacking)} weights of {model.__name__} are missing ({names}), so it is a different model"
        )
    if not words:
        _remove_language_head(instance)
    return instance.to(device).eval()


def processor(kind: Any, checkpoint: Checkpoint, who: str) -> Any:
    """Return the processor or tokenizer (`kind`) of a checkpoint, or of the model it adapts. Raises CheckpointUnfit."""
    folders = [f for f in (checkpoint.folder, checkpoint.base) if any((f / name).exists() for name in TOKENIZERS)]
    if not folders:  # transformers would make one without a word in it
        raise checkpoint.unfit(
            who, f"its {kind.__name__} cannot be loaded (there is no tokenizer beside it): download it again"
        )
    folder = folders[0]
    with quiet():
        try:
            return kind.from_pretrained(str(folder), local_files_only=True, trust_remote_code=False)
        except (OSError, ValueError, KeyError) as error:
            raise checkpoint.unfit(
                who, f"its {kind.__name__} cannot be loaded ({first_line(error)}): download it again"
            ) from None


def _remove_language_head(model: Any) -> None:
    """Remove the language model's head: vectors do not need it, and it uses more memory than the rest of a page."""
    import torch

    for name, _ in list(model.named_modules()):
        if name.rpartition(".")[2] == "lm_head":
            model.get_submodule(name.rpartition(".")[0]).lm_head = torch.nn.Identity()


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Hide the progress bars and warnings of transformers; errors are still raised."""
    from transformers.utils import logging

    before, had_progress_bar = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(before)
        if had_progress_bar:
            logging.enable_progress_bar()


@contextlib.contextmanager
def importing(who: str) -> Iterator[None]:
    """Raise ExtraMissing for packages that are installed but cannot be imported, for example in wrong versions."""
    try:
        yield
    except (ImportError, RuntimeError) as error:
        raise ExtraMissing(
            f"the packages of {who} cannot be imported ({first_line(error)}): install them again, with torch "
            "and torchvision of the same release: pip install 'vouch[visual]'"
        ) from error


def in_batches(items: Sequence[T], size: int, embed: Callable[[Sequence[T]], Sequence[Result]]) -> list[Result]:
    """Run `embed`, which returns one result per item, on `size` items at a time, and fewer if memory runs out."""
    import torch

    results: list[Result] = []
    while len(results) < len(items):
        batch = items[len(results) : len(results) + size]
        try:
            results += embed(batch)
        except torch.OutOfMemoryError:
            if len(batch) == 1:
                raise
            size = len(batch) // 2
        else:
            continue
        torch.cuda.empty_cache()  # only after the handler: until then the error references the tensors of the batch
    return results


def to_device(batch: Any, device: str, dtype: Any) -> dict[str, Any]:
    """Move a processor's output to the device, floats in the model's type; labels are for training, and left out."""
    return {
        name: value.to(device, dtype) if value.is_floating_point() else value.to(device)
        for name, value in batch.items()
        if hasattr(value, "is_floating_point") and name != "labels"
    }


def plain(text: str) -> str:
    """Return a text without control tokens: those that look like one (<|image_pad|>, <image>) are broken up."""
    return re.sub(r"<(?=[|/a-z])", "< ", text)


def unit_rows(rows: Any) -> NDArray[np.float32]:
    """Return a tensor's rows (n, d) as unit vectors. Raises ValueError for values that are not numbers."""
    array: NDArray[np.float32] = rows.float().cpu().numpy()
    if not np.isfinite(array).all():
        raise ValueError("the model returned values that are not numbers")
    return normalize(array)
