"""Writes compound files (OLE), as Outlook does: the least of the format that a reader needs."""

import struct
from collections.abc import Mapping
from itertools import pairwise

SECTOR = 512
FREE, END, FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
NONE = 0xFFFFFFFF


class Entry:
    """An entry of the directory: a storage has children, a stream has its first sector and its size."""

    def __init__(self, name: str, kind: int) -> None:
        self.name, self.kind = name, kind
        self.children: dict[str, Entry] = {}
        self.content = b""
        self.start, self.number = END, 0
        self.right, self.child = NONE, NONE


def compound_file(streams: Mapping[str, bytes]) -> bytes:
    """Return a compound file with these streams by their paths; short ones lie in sectors of 64 bytes."""
    entries = _tree(streams)
    root = entries[0]
    chain: list[int] = []
    data = bytearray()

    def put(content: bytes) -> int:
        start, count = len(chain), -(-len(content) // SECTOR)
        chain.extend([*range(start + 1, start + count), END] if count else [])
        data.extend(content.ljust(count * SECTOR, b"\0"))
        return start if count else END

    mini, mini_chain = bytearray(), list[int]()
    for entry in entries:
        if entry.kind == 2 and len(entry.content) >= 4096:
            entry.start = put(entry.content)
        elif entry.content:
            entry.start, sectors = len(mini_chain), -(-len(entry.content) // 64)
            mini_chain += [*range(entry.start + 1, entry.start + sectors), END]
            mini += entry.content.ljust(sectors * 64, b"\0")
    root.start, root.content = put(bytes(mini)), bytes(mini)
    mini_fat = put(struct.pack(f"<{len(mini_chain)}I", *mini_chain).ljust(-(-len(mini_chain) // 128) * 512, b"\xff"))
    directory = put(b"".join(map(_told, entries)))
    count = 1
    while (len(chain) + count) * 4 > count * SECTOR:
        count += 1
    first = len(chain)
    chain.extend([FAT] * count)
    table = struct.pack(f"<{len(chain)}I", *chain).ljust(count * SECTOR, b"\xff")
    head = struct.pack(
        "<8s16sHHHHH6xIIIIIIIIII", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", bytes(16), 0x3E, 3, 0xFFFE, 9, 6,
        0, count, directory, 0, 4096, mini_fat, -(-len(mini_chain) // 128), END, 0, first,
    )  # fmt: skip
    places = struct.pack(f"<{count - 1}I", *range(first + 1, first + count))
    return (head + places).ljust(SECTOR, b"\xff") + bytes(data) + table


def _tree(streams: Mapping[str, bytes]) -> list[Entry]:
    """Return the entries of the directory, the root first, each with its number and its neighbours."""
    root = Entry("Root Entry", 5)
    entries = [root]
    for path, content in streams.items():
        at = root
        *folders, name = path.split("/")
        for folder in folders:
            if folder not in at.children:
                at.children[folder] = Entry(folder, 1)
                entries.append(at.children[folder])
            at = at.children[folder]
        at.children[name] = Entry(name, 2)
        at.children[name].content = content
        entries.append(at.children[name])
    for number, entry in enumerate(entries):
        entry.number = number
    for entry in entries:
        children = sorted(entry.children.values(), key=lambda one: (len(one.name), one.name.upper()))
        if children:
            entry.child = children[0].number
        for left, right in pairwise(children):
            left.right = right.number
    return entries


def _told(entry: Entry) -> bytes:
    name = entry.name.encode("utf-16-le") + b"\0\0"
    return struct.pack(
        "<64sHBBIII16sIQQIQ", name, len(name), entry.kind, 1, NONE, entry.right, entry.child, bytes(16), 0, 0, 0,
        entry.start, len(entry.content),
    )  # fmt: skip
