"""The files of checkpoints: a folder or a name on the Hugging Face hub, their JSON, their tensors, and their hash.

Everything is loaded from a folder, offline. Only a checkpoint that is itself named by the hub is fetched first, with
the weights it builds on if it is an adapter. No code that comes with weights is ever run, and no pickle is read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from configs import parsed_json
from indexing.errors import CheckpointMissing, CheckpointUnfit, ExtraMissing

if TYPE_CHECKING:
    from hashlib import _Hash

SAMPLES, SAMPLE_BYTES = 16, 4096
"""The number and size in bytes of the pieces that stand for a file of weights: reading all of it would take minutes."""
MOST_HEADER = 100_000_000
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


def checkpoint_folder(
    name: str, files: Sequence[str], ignore: str | None = None, *, fetch: bool = True, adapter: str = ""
) -> Path:
    """Return the folder at a path, or the downloaded `files` of a name on the hub, but those of `ignore`.

    Without `fetch` only the hub's cache is read. `adapter` is the name of an adapter to this checkpoint, for errors.
    Raises CheckpointMissing, ExtraMissing.
    """
    path = Path(name).expanduser()
    if path.is_dir():
        return path.resolve()
    what = f"{adapter} is an adapter to {name!r}, which" if adapter else f"the checkpoint {name!r}"
    if not _HUB_NAME.fullmatch(name):
        raise CheckpointMissing(
            f"{what} is neither an existing folder nor owner/name on the Hugging Face hub: check the spelling"
        )
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise ExtraMissing(
            f"downloading {name} needs huggingface_hub: pip install 'vouch[visual]', or give a folder"
        ) from None
    try:
        return Path(
            snapshot_download(name, allow_patterns=list(files), ignore_patterns=ignore, local_files_only=not fetch)
        )
    except (OSError, ValueError) as error:
        advice = "check the name and the connection" if fetch else f"download it first: hf download {name}"
        raise CheckpointMissing(
            f"{what} cannot be downloaded from the Hugging Face hub ({first_line(error)}): {advice}"
        ) from None


def read_json(path: Path) -> Any:
    """Return the value in a JSON file; None if the file is missing or not JSON."""
    try:
        return parsed_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def read_json_object(path: Path) -> dict[str, Any] | None:
    """Return the object in a JSON file; None if the file is missing or contains anything else."""
    value = read_json(path)
    return value if isinstance(value, dict) else None


def tensor_entries(file: Path) -> tuple[dict[str, dict[str, Any]], int]:
    """Return a safetensors file's entries by tensor name, and the offset of their bytes. Raises CheckpointUnfit."""
    try:
        with file.open("rb") as stream:
            length = int.from_bytes(stream.read(8), "little")
            header = parsed_json(stream.read(min(length, MOST_HEADER)))
        return {name: dict(entry) for name, entry in header.items() if name != "__metadata__"}, 8 + length
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise unreadable(file, error) from None


def unreadable(file: Path, error: Exception) -> CheckpointUnfit:
    """Return the error for a file of safetensors that cannot be read."""
    return CheckpointUnfit(f"{file}: cannot be read as safetensors ({error}): download it again")


def add_sampled(digest: _Hash, name: str, file: Path) -> None:
    """Add the name and size of a file, and samples of its content, to a hash. Raises OSError."""
    size = file.stat().st_size
    digest.update(f"\0{name} {size}".encode())
    with file.open("rb") as stream:
        for piece in range(SAMPLES):
            stream.seek(piece * max(size - SAMPLE_BYTES, 0) // (SAMPLES - 1))
            digest.update(stream.read(SAMPLE_BYTES))


def first_line(error: Exception) -> str:
    """Return the message of another library's error, on one line."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
