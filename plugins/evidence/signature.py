"""Make keys, sign, and check signatures, in the files of minisign (https://jedisct1.github.io/minisign/).

A signature is that of Ed25519 over the BLAKE2b-512 of a file ("ED"); a second one covers it with its trusted comment.

A secret key is the one of `minisign -G -W`, without a password: its file is readable for its owner alone.
"""

from __future__ import annotations

import base64
import hashlib
import os
import time
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from indexing import ExtraMissing
from plugins.evidence.errors import PackUnusable
from ui.export import write_atomically

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


def make_key(path: Path) -> str:
    """Write a new secret key to `path` and its public key to `path`.pub; return the line of the public key."""
    secret, ident = Ed25519PrivateKey.generate(), os.urandom(8)
    public = secret.public_key().public_bytes_raw()
    body = ident + secret.private_bytes_raw() + public
    check = hashlib.blake2b(b"Ed" + body, digest_size=32).digest()
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        secrets = _base64_text(b"Ed" + bytes(2) + b"B2" + bytes(48) + body + check)
        file.write(f"untrusted comment: minisign secret key, without a password\n{secrets}\n")
    line = _base64_text(b"Ed" + ident + public)
    comment = f"untrusted comment: minisign public key {ident[::-1].hex().upper()}"
    write_atomically(Path(f"{path}.pub"), f"{comment}\n{line}\n".encode())
    return line


def signature_of(data: bytes, key: str, name: str) -> str:
    """Return a signature file for `data`, called `name`; `key` is the text of a secret key. Raises PackUnusable."""
    raw = decode_last_line(key, 158)
    if raw[:6] != b"Ed\0\0B2":
        raise PackUnusable("not a secret key of minisign without a password: sign with minisign -S, or name a new file")
    ident, secret = raw[54:62], Ed25519PrivateKey.from_private_bytes(raw[62:94])
    signature = secret.sign(hashlib.blake2b(data).digest())
    comment = f"timestamp:{int(time.time())}\tfile:{name if name.isprintable() else '?'}\thashed"
    lines = _base64_text(b"ED" + ident + signature), _base64_text(secret.sign(signature + comment.encode()))
    return f"untrusted comment: signature from vouch\n{lines[0]}\ntrusted comment: {comment}\n{lines[1]}\n"


def _base64_text(raw: bytes) -> str:
    return base64.b64encode(raw).decode()
