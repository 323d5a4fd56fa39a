"""Write the files of exports: each completely or not at all, and never over files that no export wrote."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path

from ui.errors import ExportError
from ui.export.sources import MARK

Files = Mapping[Path, bytes]


def check_free(files: Files) -> None:
    """Refuse to write over files that are not ours, before anything is written."""
    for path in files:
        try:
            if not os.path.lexists(path):
                continue
            foreign = not path.is_file() or not ours(path)
        except (OSError, ValueError) as error:
            raise not_written(path, error) from None
        if foreign:
            raise ExportError(
                f"{path}: already exists, and is not an export of Vouch: name another file, or move it away"
            )


def write_whole(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise not_written(path.parent, error, "is not a folder, and cannot become one") from None
    part = path.with_name(f".vouch-{os.getpid()}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except (OSError, ValueError) as error:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise not_written(path, error) from None


def ours(path: Path) -> bool:
    """Return True if an export wrote this file: it says so near its beginning or its end."""
    with path.open("rb") as file:
        head = file.read(2048)
        file.seek(max(0, path.stat().st_size - 2048))
        return MARK.encode() in head or MARK.encode() in file.read()


def not_written(path: Path, error: OSError | ValueError, what: str = "cannot be written") -> ExportError:
    """Return the error of a file or folder that the system refuses."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return ExportError(f"{path}: {what} ({reason}): choose another place, or make room")
