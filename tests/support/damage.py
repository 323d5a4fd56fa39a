"""Damage to the files of a collection, as bad disks do it."""

import struct
from pathlib import Path

_FOOTER = 16
"""The bytes at the end of a manifest, which begin with the place of its content."""


def damage_manifests(table: Path) -> None:
    """Give the content of each manifest of a table a length that it does not have: LanceDB panics over it."""
    for manifest in table.rglob("*.manifest"):
        content = manifest.read_bytes()
        (at,) = struct.unpack("<Q", content[-_FOOTER:-8])
        manifest.write_bytes(content[:at] + struct.pack("<I", 0x61616161) + content[at + 4 :])
