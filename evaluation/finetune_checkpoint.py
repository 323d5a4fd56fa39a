"""Checkpoints that `evaluation.finetune` can train: which they are, how they are loaded, and merged with an adapter."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from indexing.embed import loading
from indexing.embed.checkpoints import Checkpoint
from indexing.errors import ExtraMissing
from rag.model_settings import Boxes

NEEDED = ("torch", "torchvision", "transformers", "peft")
WHO = "fine-tuning"


@dataclass(frozen=True, slots=True)
class Family:
    """Checkpoints of an architecture: their class in transformers, and how they write boxes."""

    name: str
    architecture: str
    boxes: Boxes


FAMILIES = {
    "qwen2_5_vl": Family("Qwen2.5-VL", "Qwen2_5_VLForConditionalGeneration", "absolute_pixels"),
    "qwen3_vl": Family("Qwen3-VL", "Qwen3VLForConditionalGeneration", "relative_1000"),
}
"""By the model_type of their configuration."""


def require_extra() -> None:
    """Raise ExtraMissing when a package is not installed."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise ExtraMissing(
            f"{WHO} needs {', '.join(missing)}: pip install 'vouch[visual]' (on a machine without a GPU, install torch "
            "for the CPU first)"
        )


def family_of(checkpoint: Checkpoint) -> Family:
    """The family of a checkpoint. Raises CheckpointUnfit for one that is not known, or an adapter."""
    if checkpoint.adapted:
        raise checkpoint.unfit(WHO, "it is an adapter: merge it first (--out ADAPTER --merge FOLDER), and name that")
    kind = checkpoint.config.get("model_type")
    if kind not in FAMILIES:
        known = ", ".join(f"{family.name} ({name})" for name, family in FAMILIES.items())
        raise checkpoint.unfit(WHO, f"its model_type is {kind!r}, and only {known} can be trained: name one of these")
    return FAMILIES[kind]


def base(checkpoint: Checkpoint, dtype: Any) -> Any:
    """The model of a checkpoint as it is. Raises CheckpointUnfit when it is damaged, or lacks weights."""
    import transformers

    architecture = getattr(transformers, family_of(checkpoint).architecture)
    with loading.quiet():
        try:
            model, told = architecture.from_pretrained(
                str(checkpoint.base), dtype=dtype, local_files_only=True, use_safetensors=True, output_loading_info=True
            )
        except (OSError, ValueError, KeyError, RuntimeError, AttributeError) as error:
            raise checkpoint.unfit(WHO, first_line(error)) from None
    lacking = sorted({*told["missing_keys"], *(name for name, *_ in told["mismatched_keys"])})
    if lacking:
        raise checkpoint.unfit(WHO, f"{len(lacking)} of its weights are missing ({lacking[0]}, ...): fetch it again")
    return model


def processor_of(checkpoint: Checkpoint) -> Any:
    """Its tokenizer and image processor. Raises CheckpointUnfit."""
    from transformers import AutoProcessor

    with loading.quiet():
        try:
            return AutoProcessor.from_pretrained(str(checkpoint.base), local_files_only=True, trust_remote_code=False)
        except (OSError, ValueError, KeyError) as error:
            raise checkpoint.unfit(
                WHO, f"its processor cannot be loaded ({first_line(error)}): fetch it again"
            ) from None


def merge(checkpoint: Checkpoint, adapter: Path, out: Path) -> None:
    """Write the checkpoint with the adapter's changes in its weights, in their own type, and its processor.

    Raises CheckpointUnfit when the adapter is not one to this checkpoint, ExtraMissing.
    """
    with importing():
        from peft import PeftModel
    try:
        tuned = PeftModel.from_pretrained(base(checkpoint, "auto"), str(adapter))
        merged = tuned.merge_and_unload(safe_merge=True)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise checkpoint.unfit(WHO, f"the adapter in {adapter} does not go with it ({first_line(error)})") from None
    out.mkdir(parents=True, exist_ok=True)
    with loading.quiet():
        merged.save_pretrained(out)
        processor_of(checkpoint).save_pretrained(out)
    for weights in out.glob("*.safetensors"):
        shutil.copymode(out / "config.json", weights)  # a server may be another user than the one who merged
    for file in checkpoint.base.glob("*.json"):  # such as the older forms of chat template and tokenizer
        if not (out / file.name).exists() and not file.name.endswith(".index.json"):
            shutil.copyfile(file, out / file.name)


@contextmanager
def importing() -> Iterator[None]:
    """Raises ExtraMissing for packages that cannot be imported, as when versions do not fit."""
    require_extra()
    try:
        yield
    except (ImportError, RuntimeError) as error:
        raise ExtraMissing(
            f"the packages of {WHO} cannot be imported ({first_line(error)}): install them again, torch and "
            "torchvision of the same release: pip install 'vouch[visual]'"
        ) from error


def first_line(error: Exception) -> str:
    """What an error of somebody else's says, on one line."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:240]
