"""Passwords, hashed with Argon2id (RFC 9106): checks take as long for unknown names; old hashes are replaced."""

from __future__ import annotations

import hashlib
import secrets
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from ui.errors import BadPerson

LEAST_PASSWORD = 8
"""The least characters of a password."""
_LONGEST = 1024
"""The most characters: what is longer is no password, and would cost time."""
_HASHER = PasswordHasher()


def hash_password(password: str) -> str:
    """Return the hash of a new password, with its salt and parameters. Raises BadPerson for one of the wrong length."""
    if not LEAST_PASSWORD <= len(password) <= _LONGEST:
        raise BadPerson(f"a password must have {LEAST_PASSWORD} to {_LONGEST:,} characters")
    return _HASHER.hash(password)


def fits(stored_hash: str | None, password: str) -> bool:
    """Return True where a password has this hash; where there is none, False after the same time."""
    try:
        _HASHER.verify(stored_hash or _nobodys(), password[: _LONGEST + 1])
    except (Argon2Error, InvalidHashError):
        return False
    return stored_hash is not None


def is_dated(stored_hash: str) -> bool:
    """Return True for a hash that was made with other parameters than those of today."""
    return _HASHER.check_needs_rehash(stored_hash)


def digest(secret: str) -> str:
    """Return the hash of a random secret of ours (a session, a token, an invitation): nobody can guess one."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


@cache
def _nobodys() -> str:
    """Return the hash of a random password."""
    return _HASHER.hash(secrets.token_urlsafe(32))
