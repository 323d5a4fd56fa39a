"""Signatures: by them the server recognizes names that it issued; they are made with a key in its home."""

from __future__ import annotations

import hmac
import json
import os
import secrets
from contextlib import suppress
from pathlib import Path

_KEY = "page.key"
_BYTES = 32


class Signatures:
    """The signatures made with one secret key. That of a home is kept, so they stay valid after a restart."""

    def __init__(self, key: bytes) -> None:
        """Keep the secret `key`."""
        self._key = key

    @classmethod
    def of_home(cls, home: Path) -> Signatures:
        """Return signatures by the key in `home`, which is created if it is missing or readable by other users.

        If the home cannot be written, the key is only valid for this run.
        """
        try:
            return cls(_read_key(home / _KEY) or _make_key(home / _KEY))
        except OSError:
            return cls(secrets.token_bytes(_BYTES))

    def of(self, *texts: str) -> str:
        """Return the signature of texts in this order: 32 hex digits."""
        return hmac.digest(self._key, json.dumps(texts).encode(), "sha256").hex()[:32]

    def fit(self, signature: str, *texts: str) -> bool:
        """Return True if `signature` is that of these texts, in this order."""
        return hmac.compare_digest(signature.encode(), self.of(*texts).encode())


def _read_key(path: Path) -> bytes | None:
    """Return the key in a file, None if the file is missing, readable by others or incomplete."""
    with suppress(FileNotFoundError):
        key = path.read_bytes()
        if len(key) == _BYTES and not path.stat().st_mode & 0o077:
            return key
    return None


def _make_key(path: Path) -> bytes:
    """Write a new key atomically, and return the key in the file: another process may have been first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.unlink(missing_ok=True)
    with open(part, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(secrets.token_bytes(_BYTES))
    if path.exists():  # it was no secret, or cut short
        part.replace(path)
    else:
        with suppress(FileExistsError):
            os.link(part, path)
        part.unlink()
    return _read_key(path) or secrets.token_bytes(_BYTES)
