"""Make keys and signatures in the files of minisign, for those who have none of its program.

A secret key is the one of `minisign -G -W`, without a password: its file is readable for its owner alone.
"""

from __future__ import annotations

import base64
import hashlib
import os
import time
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from plugins.evidence.errors import PackUnusable
from plugins.evidence.signature import decode_last_line
from ui.export import write_atomically


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
