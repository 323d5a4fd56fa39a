"""The checkpoints of visual embedders: found on disk or the hub, and checked before anything is loaded."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from configs import embedder_spec
from indexing.embed.weights import add_sampled, checkpoint_folder, read_json_object, tensor_entries, unreadable
from indexing.errors import CheckpointMissing, CheckpointUnfit, ExtraMissing

FILES = ["*.safetensors", "*.json", "*.jinja", "tokenizer.model", "merges.txt", "vocab.txt"]
"""The files of a hub's folder that are downloaded, without its subfolders."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A checkpoint on disk: `name` as a collection records it, `folder` its path.

    `base` is the folder of the whole model (another one where `folder` holds an adapter to it), `config` the model's
    config.json.
    """

    name: str
    folder: Path
    base: Path
    config: Mapping[str, Any]

    @property
    def is_adapter(self) -> bool:
        """True if it is an adapter to another checkpoint."""
        return self.base != self.folder

    def unfit(self, embedder: str, why: str) -> CheckpointUnfit:
        """Return the error that says why an embedder does not take it."""
        return CheckpointUnfit(f"{embedder} cannot use the checkpoint {self.name}: {why}")


def require_extra(embedder: str) -> None:
    """Raise ExtraMissing when a package is not installed that the embedder needs."""
    require_packages(embedder_spec("visual", embedder).packages, f"the visual embedder {embedder}")


def require_packages(names: Sequence[str], who: str) -> None:
    """Raise ExtraMissing when a package of the extra `visual` is not installed."""
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    if missing:
        raise ExtraMissing(
            f"{who} needs {', '.join(missing)}: pip install 'vouch[visual]' (on a machine without a GPU, install torch "
            "for the CPU first)"
        )


def locate(name: str, embedder: str) -> Checkpoint:
    """Return the checkpoint that a setting names, downloaded if on the hub. Raises CheckpointMissing/Unfit."""
    if not name:
        raise CheckpointMissing(
            f"the visual embedder {embedder} needs weights: --checkpoint FOLDER, or owner/name on the Hugging Face hub"
        )
    local = Path(name).expanduser().is_dir()
    folder = checkpoint_folder(name, FILES, "*/*")
    adapter = read_json_object(folder / "adapter_config.json")
    base = folder
    if adapter is not None and not any(folder.glob("model*.safetensors")):  # merged ones may keep the adapter's file
        beside = folder / "base"  # where `vouch models` puts it
        base_name = str(beside if beside.is_dir() else adapter.get("base_model_name_or_path") or "")
        base = checkpoint_folder(base_name, FILES, "*/*", fetch=not local, adapter=name)
    config = read_json_object(base / "config.json")
    checkpoint = Checkpoint(str(folder) if local else name, folder, base, config or {})
    if config is None:
        raise CheckpointMissing(f"{base}: it has no config.json: give the folder in which a model was saved")
    if not tensors(base) or not tensors(folder):
        raise checkpoint.unfit(embedder, f"there are no weights as safetensors in {folder}")
    return checkpoint


def tensors(folder: Path) -> dict[str, tuple[int, ...]]:
    """Return names and shapes of all tensors in a folder's safetensors, from their headers. Raises CheckpointUnfit."""
    shapes: dict[str, tuple[int, ...]] = {}
    for file in sorted(folder.glob("*.safetensors")):
        try:
            shapes |= {name: tuple(entry["shape"]) for name, entry in tensor_entries(file)[0].items()}
        except (KeyError, TypeError) as error:
            raise unreadable(file, error) from None
    return shapes


def fingerprint(checkpoint: Checkpoint, *settings: object) -> str:
    """Return a hash of configuration, weights and the settings that affect vectors, 16 hex digits."""
    digest = hashlib.sha256(repr(settings).encode())
    for folder in dict.fromkeys((checkpoint.base, checkpoint.folder)):
        for file in sorted([*folder.glob("*config.json"), *folder.glob("*.safetensors")]):
            add_sampled(digest, file.name, file)
    return digest.hexdigest()[:16]
