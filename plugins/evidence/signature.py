"""Check a signature in the files of minisign (https://jedisct1.github.io/minisign/), which makes keys and signatures.

A signature is that of Ed25519 over the BLAKE2b-512 of a file ("ED"); a second one covers it with its trusted comment.
"""

from __future__ import annotations

import base64
import hashlib

from indexing import ExtraMissing
from plugins.evidence.errors import PackUnusable

MOST_CHARS = 4096
"""The most characters of a file of a key, or of a signature."""


PublicKey = tuple[bytes, bytes]
"""A public key of Ed25519: its id (8 bytes), and itself (32 bytes)."""


def public_key(text: str) -> PublicKey:
    """Read the text of the file of a public key, or its last line alone. Raises PackUnusable."""
    raw = decode_last_line(text, 42)
    if not raw.startswith(b"Ed"):
        raise PackUnusable("not a public key of minisign: give its file, or the line that begins with RW")
    return raw[2:10], raw[10:]


def check_signature(text: str, data: bytes, key: PublicKey | None) -> tuple[bool, str]:
    """Return whether `key` signed `data` by the signature file `text`, and by whom; (False, claimed id) without a key.

    Raises PackUnusable for text that is no signature, and ExtraMissing.
    """
    lines = text.splitlines() if len(text) <= MOST_CHARS else []
    raw, second = (decode_last_line(lines[1], 74), decode_last_line(lines[3], 64)) if len(lines) == 4 else (b"", b"")
    if not (raw.startswith(b"ED") and second and lines[2].startswith("trusted comment: ")):
        raise PackUnusable("the signature is damaged, or none that minisign makes of a hashed file: get it again")
    ident, signature, comment = raw[2:10], raw[10:], lines[2].removeprefix("trusted comment: ")
    signer = ident[::-1].hex().upper()
    if key is None:
        return False, signer
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        step = f"pip install 'vouch[signatures]', or check it with minisign -V; it says to be by {signer}"
        raise ExtraMissing(f"signatures need the package cryptography: {step}") from None
    try:
        public = Ed25519PublicKey.from_public_bytes(key[1])
        public.verify(signature, hashlib.blake2b(data).digest())
        public.verify(second, signature + comment.encode())
    except InvalidSignature:
        return False, signer
    return key[0] == ident, f"{signer} ({comment})"


def decode_last_line(text: str, size: int) -> bytes:
    """Return the bytes of the base64 in the last line of a text; b"" if they are not `size` bytes."""
    try:
        raw = base64.b64decode(text[-MOST_CHARS:].strip().rpartition("\n")[2], validate=True)
    except ValueError:
        return b""
    return raw if len(raw) == size else b""
