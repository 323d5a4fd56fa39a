"""Load Qwen2.5-VL and Qwen3-VL for analysis (`vouch eval attention`) and for fine-tuning.

To answer questions they are asked of a server instead (`rag.llm`). `who` names the feature that needs them, for the
errors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from indexing.embed.visual import Checkpoint, checkpoints, loading
from rag.llm import Boxes

NEEDED = ("torch", "torchvision", "transformers", "peft")


@dataclass(frozen=True, slots=True)
class Family:
    """A family of checkpoints of an architecture: their class in transformers, and how they write boxes."""

    name: str
    architecture: str
    boxes: Boxes


FAMILIES = {
    "qwen2_5_vl": Family("Qwen2.5-VL", "Qwen2_5_VLForConditionalGeneration", "absolute_pixels"),
    "qwen3_vl": Family("Qwen3-VL", "Qwen3VLForConditionalGeneration", "relative_1000"),
}
"""The families by the model_type of their configuration."""


def require_packages(who: str) -> None:
    """Raise ExtraMissing when a package is not installed."""
    checkpoints.require_packages(NEEDED, who)


def family_of(checkpoint: Checkpoint, who: str) -> Family:
    """Return the family of a checkpoint. Raises CheckpointUnfit for one that is not known."""
    kind = checkpoint.config.get("model_type")
    if kind not in FAMILIES:
        known = ", ".join(f"{family.name} ({name})" for name, family in FAMILIES.items())
        raise checkpoint.unfit(who, f"its model_type is {kind!r}, and only {known} can be used: choose one of these")
    return FAMILIES[kind]


def load(checkpoint: Checkpoint, who: str, device: str, **more: Any) -> Any:
    """Load the model, by `loading.load` of `indexing.embed.visual`. Raises CheckpointUnfit, ExtraMissing."""
    architecture = family_of(checkpoint, who).architecture
    with loading.importing(who):
        import transformers

        model = getattr(transformers, architecture)
    return loading.load(model, checkpoint, who, device, words=True, **more)


def processor_of(checkpoint: Checkpoint, who: str) -> Any:
    """Load its tokenizer and image processor. Raises CheckpointUnfit, ExtraMissing."""
    with loading.importing(who):
        from transformers import AutoProcessor

    return loading.processor(AutoProcessor, checkpoint, who)
