"""The sources of an embedder's weights: a folder, or a name on the Hugging Face hub; and checks of their content.

Everything is loaded from a folder, offline. Only a checkpoint that is itself named by the hub is fetched first, with
the weights it builds on if it is an adapter. No code that comes with weights is ever run, and no pickle is read.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from configs import embedder_spec, parsed_json
from indexing.embed.weights import add_sampled
from indexing.errors import CheckpointMissing, CheckpointUnfit, ExtraMissing

FILES = ["*.safetensors", "*.json", "*.jinja", "tokenizer.model", "merges.txt", "vocab.txt"]
"""The files of a hub's folder that are fetched; none of the folders in it are."""
MOST_HEADER = 100_000_000
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


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
    """Find the checkpoint of a setting, fetched if it is on the hub. Raises CheckpointMissing, CheckpointUnfit."""
    if not name:
        raise CheckpointMissing(
            f"the visual embedder {embedder} needs weights: --checkpoint FOLDER, or owner/name on the Hugging Face hub"
        )
    local = Path(name).expanduser().is_dir()
    folder = _folder(name, fetch=True)
    adapter = _json(folder / "adapter_config.json")
    base = folder
    if adapter is not None and not any(folder.glob("model*.safetensors")):  # merged ones may keep the adapter's file
        base = _folder(str(adapter.get("base_model_name_or_path") or ""), fetch=not local, adapter=name)
    config = _json(base / "config.json")
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
            with file.open("rb") as stream:
                length = int.from_bytes(stream.read(8), "little")
                header = parsed_json(stream.read(min(length, MOST_HEADER)))
            shapes |= {name: tuple(t["shape"]) for name, t in header.items() if name != "__metadata__"}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise CheckpointUnfit(f"{file}: cannot be read as safetensors ({error}): download it again") from None
    return shapes


def fingerprint(checkpoint: Checkpoint, *settings: object) -> str:
    """Return 16 hex digits that identify configuration, weights and the settings that affect vectors."""
    digest = hashlib.sha256(repr(settings).encode())
    for folder in dict.fromkeys((checkpoint.base, checkpoint.folder)):
        for file in sorted([*folder.glob("*config.json"), *folder.glob("*.safetensors")]):
            add_sampled(digest, file.name, file)
    return digest.hexdigest()[:16]


def _folder(name: str, fetch: bool, adapter: str = "") -> Path:
    """Return the folder of a path or of a hub's name; `adapter` is the checkpoint that builds on it, if one does."""
    path = Path(name).expanduser()
    if path.is_dir():
        return path.resolve()
    what = f"{adapter} is an adapter to {name!r}, which" if adapter else f"the checkpoint {name!r}"
    if not _HUB_NAME.fullmatch(name):
        raise CheckpointMissing(
            f"{what} is neither an existing folder nor owner/name on the Hugging Face hub: check the spelling"
        )
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name, allow_patterns=FILES, ignore_patterns="*/*", local_files_only=not fetch))
    except (OSError, ValueError) as error:
        message = (str(error).strip().splitlines() or [type(error).__name__])[0][:160]
        advice = "check the name and the connection" if fetch else f"download it first: hf download {name}"
        raise CheckpointMissing(
            f"{what} cannot be downloaded from the Hugging Face hub ({message}): {advice}"
        ) from None


def _json(path: Path) -> dict[str, Any] | None:
    """Return the object in a file; None when there is no such file, or it holds something else."""
    try:
        value = parsed_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None
