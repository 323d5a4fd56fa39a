"""The edges of LanceDB: text quoted for its filters, and its errors turned into ours."""

from __future__ import annotations

import pyarrow as pa

from indexing.errors import CollectionDamaged, DiskFull
from indexing.storage import ObjectRoot, StorageRoot, redacted, refusal


def quoted(value: str) -> str:
    """Return a string literal for a LanceDB filter."""
    return "'" + value.replace("'", "''") + "'"


class translated:  # noqa: N801  reads as a verb: with translated(path)
    """A context that turns LanceDB's errors, which come as RuntimeError, ValueError or OSError, into ours."""

    def __init__(self, path: StorageRoot) -> None:
        """Keep the place, which is named in the message."""
        self._path = path

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Raise DiskFull, CollectionDamaged, StoreUnreachable or StoreDenied for an error of LanceDB."""
        if isinstance(error, (RuntimeError, ValueError, OSError, pa.ArrowException)):
            said = str(error)
            if isinstance(self._path, ObjectRoot):
                known = refusal(str(self._path), said)
                if known:
                    raise known from None
                said = redacted(said)
            if "No space left" in said or "os error 28" in said:
                raise DiskFull(
                    f"{self._path}: the disk is full: free some space and run the same command again"
                ) from error
            cause = None if isinstance(self._path, ObjectRoot) else error  # it may hold what `redacted` took out
            raise CollectionDamaged(
                f"{self._path}: cannot be read or written ({said.splitlines()[0][:200]})"
            ) from cause
