"""Signatures: the marks by which the server knows again what it handed out itself, made with a key in its home."""

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
    """The signatures of one home: nobody else can make them, and they last from one run of the page to the next."""

    def __init__(self, key: bytes) -> None:
        """Keep the secret `key`."""
        self._key = key

    @classmethod
    def of_home(cls, home: Path) -> Signatures:
        """Return those by the key in `home`, which is made where there is none, or one that others may read.

        Where the home cannot be written, the key lasts for this run.
        """
        try:
            return cls(_read_key(home / _KEY) or _make_key(home / _KEY))
        except OSError:
            return cls(secrets.token_bytes(_BYTES))

    def of(self, *said: str) -> str:
        """Return the signature of texts in this order: 32 hex digits."""
        return hmac.digest(self._key, json.dumps(said).encode(), "sha256").hex()[:32]

    def fit(self, signature: str, *said: str) -> bool:
        """Return True where `signature` is that of these texts."""
        return hmac.compare_digest(signature.encode(), self.of(*said).encode())


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
