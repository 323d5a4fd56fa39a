"""Identifiers that come out of databases, archives and forms: each is checked here before it becomes part of a path.

A function that returns its argument raises ValueError if it is not valid; pydantic models use it as a validator.
"""

from __future__ import annotations

import re

COLLECTION_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
"""The pattern of the names of collections, and of ids in addresses of the page."""
_COLLECTION_NAME = re.compile(COLLECTION_NAME)
_SHA256 = re.compile(r"[0-9a-f]{64}")
_DOCUMENT_ID = re.compile(r"[0-9a-f]{16}\+?")
_DEEPEST = 14
_LONGEST = 255


def is_collection_name(name: str) -> bool:
    """Return True if a collection can have this name."""
    return _COLLECTION_NAME.fullmatch(name) is not None


def is_sha256(text: str) -> bool:
    """Return True for a SHA-256 as 64 lower-case hexadecimal digits."""
    return _SHA256.fullmatch(text) is not None


def sha256_digest(text: object) -> str:
    """Return `text` if it is a SHA-256: 64 lower-case hexadecimal digits. Raises ValueError."""
    if not isinstance(text, str) or not is_sha256(text):
        raise ValueError(f"{text!r:.80} is not a SHA-256")
    return text


def document_id(text: object) -> str:
    """Return `text` if it is a document id: 16 hexadecimal digits, and "+" while it is replaced, or ValueError."""
    if not isinstance(text, str) or not _DOCUMENT_ID.fullmatch(text):
        raise ValueError(f"{text!r:.80} is not the id of a document")
    return text


def relative_path(text: str) -> str:
    """Return `text` if it is a relative path with slashes that cannot leave its folder on any system, or ValueError."""
    parts = text.split("/")
    if not all(part not in ("", ".", "..") and part.isprintable() and "\\" not in part for part in parts):
        raise ValueError(f"{text!r:.200} is not a valid path")
    if len(parts) > _DEEPEST or any(len(part.encode("utf-8", "replace")) > _LONGEST for part in parts):
        raise ValueError(f"{text!r:.200} is too long a path")
    return text
