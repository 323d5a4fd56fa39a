"""Office packages: the ZIP of XML parts that an Office file is, read within limits; and files that are refused."""

from __future__ import annotations

import posixpath
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import olefile
from lxml import etree

from indexing import DamagedFile, EncryptedFile, IndexingSettings, Metadata, TooLarge, UnsupportedFile

MB = 1024 * 1024
MAX_PARTS = 50_000
"""The most files that a package may hold."""
MAX_XML_MB = 64
"""The largest part of which we make a tree, in MB; larger ones are read piece by piece."""
MAX_SPACES = 1000
MAX_PROPERTY_CHARS = 300
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_UNSEEN = (f"{OFFICE}annotation", f"{TEXT}ruby-text", f"{TEXT}note")
_META = "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_TERMS = "{http://purl.org/dc/terms/}"
_DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")
_LANGUAGE = re.compile(r"[A-Za-z]{2}(?![A-Za-z])")
_WORD_LOCKED = 0x0100
_SHEET_LOCKED, _SHEET_LIST = 0x2F, 0x85
_PARSER: dict[str, Any] = {
    "resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False, "remove_comments": True,
    "remove_pis": True,
}  # fmt: skip
"""The options of a parser that fetches nothing, expands no entity, and holds to libxml2's own limits."""
_UNREADABLE = (KeyError, zipfile.BadZipFile, zlib.error, OSError, ValueError, NotImplementedError, EOFError,
               etree.XMLSyntaxError)  # fmt: skip
Node = etree._Element  # noqa: SLF001  its only name


class OfficePackage:
    """An opened package: its parts by name. Use it as a context manager."""

    def __init__(self, path: Path, settings: IndexingSettings) -> None:
        """Open the package. Raises EncryptedFile, TooLarge, UnsupportedFile or DamagedFile.

        Sizes are taken from its directory; a part that unpacks to more is damaged.
        """
        self.name = path.name
        self._settings = settings
        if olefile.isOleFile(path):
            check_ole(path)
            raise UnsupportedFile(f"{path.name}: not a {path.suffix} file but one of the older format: rename it")
        try:
            self._zip = zipfile.ZipFile(path)
        except _UNREADABLE as error:
            raise _damage_error(path.name, error) from None
        try:
            self._parts = {entry.filename: entry for entry in self._zip.infolist()}
            self._check(self._zip.infolist())
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
        """Raise an error for a zip bomb (by its directory), an encrypted file, or one that declares macros."""
        total, most = sum(entry.file_size for entry in entries), self._settings.max_unpacked_mb
        if total > most * MB:
            raise TooLarge(f"{self.name}: unpacks to {total // MB} MB, the limit is {most}: raise max_unpacked_mb")
        if len(entries) > MAX_PARTS:
            raise TooLarge(f"{self.name}: {len(entries):,} files inside, the limit is {MAX_PARTS:,}: save it again")
        manifest, types = self._read_start("META-INF/manifest.xml"), self._read_start("[Content_Types].xml")
        if any(entry.flag_bits & 1 for entry in entries) or b"encryption-data" in manifest:
            raise _lock_error(self.name)
        if b"macroEnabled" in types:
            raise UnsupportedFile(
                f"{self.name}: contains macros, and Vouch does not read such files: save it without them"
            )

    def _read_start(self, part: str) -> bytes:
        """Return the first megabyte of a part; b"" if it is missing or encrypted."""
        if part not in self or self._parts[part].flag_bits & 1:
            return b""
        with self._open_part(part) as file:
            return file.read(MB)

    @contextmanager
    def _open_part(self, part: str) -> Iterator[IO[bytes]]:
        """Open a part for reading; errors in its data are raised as DamagedFile."""
        try:
            with self._zip.open(self._parts[part]) as file:
                yield file
        except _UNREADABLE as error:
            raise _damage_error(self.name, error) from None

    def tree(self, part: str) -> Node | None:
        """Parse a part and return its root; None if there is no such part. Raises TooLarge and DamagedFile."""
        if part not in self:
            return None
        if self._parts[part].file_size > MAX_XML_MB * MB:
            raise TooLarge(f"{self.name}: {part} has more than {MAX_XML_MB} MB: split the file")
        with self._open_part(part) as file:
            return etree.parse(file, etree.XMLParser(**_PARSER)).getroot()

    def events(self, part: str, tags: tuple[str, ...]) -> Iterator[Node]:
        """Yield each element of a part that has one of `tags` once it is complete, and free it afterwards."""
        with self._open_part(part) as file:
            for _, node in etree.iterparse(file, events=("end",), tag=tags, **_PARSER):
                yield node
                node.clear()
                parent = node.getparent()
                while parent is not None and node.getprevious() is not None:
                    del parent[0]


def relations(package: OfficePackage, part: str) -> dict[str, tuple[str, str]]:
    """Return the relationships of a part, by id: the last segment of their type, the path of their target."""
    folder, name = posixpath.split(part)
    root = package.tree(f"{folder}/_rels/{name}.rels")
    return {
        one.get("Id", ""): (
            one.get("Type", "").rpartition("/")[2],
            posixpath.normpath(posixpath.join("/", folder, one.get("Target", ""))).lstrip("/"),
        )
        for one in (root if root is not None else ())
        if one.get("TargetMode") != "External"
    }


def odf_text(node: Node) -> str:
    """Return the text of an OpenDocument paragraph; its elements for spaces and breaks become spaces."""
    parts = [node.text or ""]
    for child in node:
        if child.tag == f"{TEXT}s":
            count = child.get(f"{TEXT}c", "")
            parts.append(" " * min(int(count[:4]) if count.isdecimal() else 1, MAX_SPACES))
        elif child.tag in (f"{TEXT}tab", f"{TEXT}line-break"):
            parts.append(" ")
        elif child.tag not in _UNSEEN:
            parts.append(odf_text(child))
        parts.append(child.tail or "")
    return "".join(parts)


@dataclass(frozen=True, slots=True)
class OfficeProperties:
    """The title of a file, and its metadata."""

    title: str = ""
    metadata: Metadata = field(default_factory=Metadata)


def properties(package: OfficePackage) -> OfficeProperties:
    """Return the properties of a package of Microsoft Office or OpenDocument; empty ones if it has none."""
    core, meta = package.tree("docProps/core.xml"), package.tree("meta.xml")
    root = core if core is not None else meta
    if root is None:
        return OfficeProperties()
    date = _DATE.match(_first(root, f"{_TERMS}modified", f"{_TERMS}created", f"{_DC}date", f"{_META}creation-date"))
    language = _LANGUAGE.match(_first(root, f"{_DC}language"))
    metadata = Metadata(
        date=date.group() if date else "",
        author=_first(root, f"{_META}initial-creator", f"{_DC}creator"),
        language=language.group().lower() if language else "",
    )
    return OfficeProperties(_first(root, f"{_DC}title"), metadata)


def _first(root: Node, *tags: str) -> str:
    """Return the text of the first of `tags` that has one, on one line."""
    nodes = (next(root.iter(tag), None) for tag in tags)
    texts = (" ".join("".join(map(str, node.itertext())).split()) for node in nodes if node is not None)
    return next(filter(None, texts), "")[:MAX_PROPERTY_CHARS]


def _damage_error(name: str, error: BaseException) -> DamagedFile:
    """Return the error of a file that cannot be unpacked or parsed."""
    reason = (str(error).strip().splitlines() or [type(error).__name__])[0][:120]
    return DamagedFile(f"{name}: damaged or cut short ({reason}): get it again, or save it again")


def _lock_error(name: str) -> EncryptedFile:
    return EncryptedFile(f"{name}: locked with a password: open it in an office program and save it without one")


def check_ole(path: Path) -> None:
    """Raise EncryptedFile for a file in Microsoft's older container that claims to be encrypted, DamagedFile.

    The sign is a stream's name (newer files, slides), a bit in the header of a text, or an early record of a workbook.
    """
    if not olefile.isOleFile(path):
        return
    try:
        with olefile.OleFileIO(path) as file:
            streams = {name: file.openstream(name).read(4096) for name in ("WordDocument", "Workbook", "Book")
                       if file.exists(name)}  # fmt: skip
            locked = file.exists("EncryptedPackage") or file.exists("EncryptedSummary")
    except (OSError, ValueError, IndexError, TypeError, AttributeError, RecursionError, struct.error) as error:
        raise _damage_error(path.name, error) from None
    text = streams.pop("WordDocument", b"")
    if locked or _is_text_encrypted(text) or any(map(_is_workbook_encrypted, streams.values())):
        raise _lock_error(path.name)


def _is_text_encrypted(head: bytes) -> bool:
    return len(head) >= 12 and bool(int.from_bytes(head[10:12], "little") & _WORD_LOCKED)


def _is_workbook_encrypted(head: bytes) -> bool:
    """Return True if the record of a password comes before the list of sheets."""
    at = 0
    while at <= len(head) - 4:
        kind, size = struct.unpack_from("<HH", head, at)
        if kind in (_SHEET_LOCKED, _SHEET_LIST):
            return bool(kind == _SHEET_LOCKED)
        at += 4 + size
    return False
