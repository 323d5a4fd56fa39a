"""Office packages: the ZIP of XML that a file is, read within limits, and what makes one not be read at all."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from lxml import etree

from indexing import DamagedFile, EncryptedFile, IndexingSettings, TooLarge, UnsupportedFile

MB = 1024 * 1024
MAX_PARTS = 50_000
"""The most files that a package may hold."""
MAX_XML_MB = 64
"""The largest part of which we make a tree, in MB; larger ones are read piece by piece."""
MAX_SPACES = 1000
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_UNSEEN = (f"{_OFFICE}annotation", f"{_TEXT}ruby-text", f"{_TEXT}note")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_WORD, _WORD_LOCKED = 0xA5EC, 0x0100
_SHEET_START, _SHEET_LOCKED, _SHEET_LIST = b"\x09\x08\x10\x00\x00\x06", 0x2F, 0x85
Node = etree._Element  # noqa: SLF001  its only name


class OfficePackage:
    """An opened package: its parts by name. Use it as a context manager."""

    def __init__(self, path: Path, settings: IndexingSettings) -> None:
        """Open the package. Raises EncryptedFile, TooLarge, UnsupportedFile or DamagedFile where it is not to be read.

        The sizes are those that its directory tells; a part that unpacks to more than it says is a damaged one.
        """
        self.name = path.name
        self._settings = settings
        with path.open("rb") as file:
            if file.read(8) == _OLE:
                check_ole(path)
                raise UnsupportedFile(f"{path.name}: not a {path.suffix} file but one of the older format: rename it")
        try:
            self._zip = zipfile.ZipFile(path)
            entries = self._zip.infolist()
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise damaged(path.name, error) from None
        try:
            self._parts = {entry.filename: entry for entry in entries}
            self._check(entries)
        except BaseException:
            self._zip.close()
            raise

    def __enter__(self) -> OfficePackage:
        """Return the package itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self._zip.close()

    def __contains__(self, part: str) -> bool:
        """Return True if there is a part of that name."""
        return part in self._parts

    def _check(self, entries: list[zipfile.ZipInfo]) -> None:
        """Refuse bombs by the directory, files with passwords, and those that say that they hold macros."""
        total, most = sum(entry.file_size for entry in entries), self._settings.max_unpacked_mb
        if total > most * MB:
            raise TooLarge(f"{self.name}: unpacks to {total // MB} MB, the limit is {most}: raise max_unpacked_mb")
        if len(entries) > MAX_PARTS:
            raise TooLarge(f"{self.name}: {len(entries):,} files inside, the limit is {MAX_PARTS:,}: save it again")
        if any(entry.flag_bits & 1 for entry in entries) or self._locked_odf():
            raise locked(self.name)
        if any(b"macroEnabled" in self.start(part, MB) for part in ("[Content_Types].xml",) if part in self):
            raise UnsupportedFile(
                f"{self.name}: contains macros, and Vouch does not read such files: save it without them"
            )

    def _locked_odf(self) -> bool:
        manifest = "META-INF/manifest.xml"
        return manifest in self and b"encryption-data" in self.start(manifest, MB)

    def start(self, part: str, size: int) -> bytes:
        """Return the first `size` bytes of a part."""
        with self.opened(part) as file:
            return file.read(size)

    @contextmanager
    def opened(self, part: str) -> Iterator[IO[bytes]]:
        """Open a part for reading; what is wrong with it while it is read is a DamagedFile."""
        try:
            with self._zip.open(self._parts[part]) as file:
                yield file
        except (KeyError, zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError) as error:
            raise damaged(self.name, error) from None
        except zipfile.zlib.error as error:  # type: ignore[attr-defined]
            raise damaged(self.name, error) from None
        except etree.XMLSyntaxError as error:
            raise damaged(self.name, error) from None

    def tree(self, part: str) -> Node | None:
        """Return the root of a part, None where there is no such part. Raises TooLarge and DamagedFile."""
        if part not in self:
            return None
        if self._parts[part].file_size > MAX_XML_MB * MB:
            raise TooLarge(f"{self.name}: {part} has more than {MAX_XML_MB} MB: split the file")
        with self.opened(part) as file:
            return etree.parse(file, safe_parser()).getroot()

    def events(self, part: str, tags: tuple[str, ...]) -> Iterator[Node]:
        """Yield the elements of a part that have one of `tags`, each when it is closed, and forget them."""
        with self.opened(part) as file:
            found = etree.iterparse(
                file, events=("end",), tag=tags, resolve_entities=False, no_network=True, load_dtd=False,
                huge_tree=False, remove_comments=True, remove_pis=True,
            )  # fmt: skip
            for _, node in found:
                yield node
                forget(node)


def safe_parser() -> etree.XMLParser:
    """Return a parser that fetches nothing, expands no entity, and holds to libxml2's own limits."""
    return etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )


def forget(node: Node) -> None:
    """Free a node that was read, and those before it."""
    node.clear()
    while node.getprevious() is not None:
        parent = node.getparent()
        if parent is None:
            break
        del parent[0]


def odf_words(node: Node) -> str:
    """Return the words of a paragraph of OpenDocument, the spaces and breaks that are elements among them."""
    parts = [node.text or ""]
    for child in node:
        if child.tag == f"{_TEXT}s":
            told = child.get(f"{_TEXT}c", "")
            parts.append(" " * min(int(told[:4]) if told.isdecimal() else 1, MAX_SPACES))
        elif child.tag in (f"{_TEXT}tab", f"{_TEXT}line-break"):
            parts.append(" ")
        elif child.tag not in _UNSEEN:
            parts.append(odf_words(child))
        parts.append(child.tail or "")
    return "".join(parts)


def damaged(name: str, error: BaseException) -> DamagedFile:
    """Return the error of a file that cannot be unpacked or parsed."""
    said = (str(error).strip().splitlines() or [type(error).__name__])[0][:120]
    return DamagedFile(f"{name}: damaged or cut short ({said}): get it again, or save it again")


def locked(name: str) -> EncryptedFile:
    """Return the error of a file with a password."""
    return EncryptedFile(f"{name}: locked with a password: open it in an office program and save it without one")


def check_ole(path: Path) -> None:
    """Raise EncryptedFile for a file in Microsoft's older container that says that it is encrypted.

    It is told by the name of a stream (newer files, slides), by a bit in the head of a text, or by a record at the
    start of a workbook.
    """
    with path.open("rb") as file:
        content = file.read(64 * MB)
    if not content.startswith(_OLE):
        return
    names = [name.encode("utf-16-le") for name in ("EncryptedPackage", "EncryptedSummary")]
    if any(name in content for name in names) or _locked_text(content) or _locked_sheets(content):
        raise locked(path.name)


def _locked_text(content: bytes) -> bool:
    return any(
        struct.unpack_from("<H", content, at)[0] == _WORD
        and bool(struct.unpack_from("<H", content, at + 10)[0] & _WORD_LOCKED)
        for at in range(512, len(content) - 512, 512)
    )


def _locked_sheets(content: bytes) -> bool:
    at = content.find(_SHEET_START, 512)
    while at >= 0 and at % 512:
        at = content.find(_SHEET_START, at + 1)
    for _ in range(64):
        if not 0 <= at <= len(content) - 4:
            return False
        kind, size = struct.unpack_from("<HH", content, at)
        if kind == _SHEET_LOCKED:
            return True
        if kind == _SHEET_LIST:
            return False
        at += 4 + size
    return False
