"""Unpack the documents of an uploaded archive, with limits that are enforced while reading.

Nothing that an archive declares is trusted: sizes are counted while unpacking, names are never used as paths. Encrypted
entries, links, archives inside archives and paths that lead elsewhere are left out, with the reason.
"""

from __future__ import annotations

import contextlib
import errno
import re
import shutil
import stat
import struct
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ui.errors import BadArchive, NotKept, TooMuch
from ui.show import clean

MB = 1024 * 1024
_CHUNK = 1 << 16
_SMALL = MB
"""The bytes below which the ratio is not limited: a short page of blanks compresses a thousandfold."""
_DIRECTORY_BYTES_AN_ENTRY = 1024
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""The methods of compression that are unpacked; others can yield any size at once, before a limit is checked."""
_END = struct.Struct("<4s4H2LH")
_END_MARK, _END64_MARK = b"PK\x05\x06", b"PK\x06\x07"
_NAME_BYTES = 180
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one archive: documents, entries, MB of a document, bytes of all, and their ratio to its size."""

    files: int
    entries: int
    file_mb: int
    total_bytes: int
    ratio: int


@dataclass(frozen=True, slots=True)
class Unpacked:
    """The documents of an archive, each in a folder of its own, and the entries left out: (name, reason)."""

    files: tuple[Path, ...]
    left_out: tuple[tuple[str, str], ...]


def unpack(archive: Path, into: Path, limits: Limits) -> Unpacked:
    """Write the documents of `archive` below `into`, a new folder. Raises BadArchive, NotKept, TooMuch.

    The second document of a name has the name of its folder added. After an error `into` is deleted.
    """
    try:
        _check_directory(archive, limits)
        with zipfile.ZipFile(archive) as zip_file:
            return _Unpacking(zip_file, into, limits, max(1, archive.stat().st_size)).run()
    except (BadArchive, TooMuch):
        shutil.rmtree(into, ignore_errors=True)
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError) as error:
        shutil.rmtree(into, ignore_errors=True)
        if isinstance(error, OSError) and error.errno in _DISK_FULL:
            raise NotKept(
                f"could not be unpacked ({error.strerror}): make room on the server, then add it again"
            ) from None
        reason = clean(str(error)).replace(str(archive), archive.name)[:120]
        raise BadArchive(f"damaged, or not a zip archive ({reason or type(error).__name__}): make it again") from None


def _check_directory(archive: Path, limits: Limits) -> None:
    """Raise TooMuch for too long a list of entries before it is read into memory, BadArchive for no ZIP."""
    size = archive.stat().st_size
    with archive.open("rb") as file:
        file.seek(max(0, size - 65_600))
        tail = file.read()
    at = tail.rfind(_END_MARK)
    if at < 0 or len(tail) - at < _END.size:
        raise BadArchive("not a zip archive, or cut short: make it again")
    *_, entries, directory, _, _ = _END.unpack_from(tail, at)
    if tail[max(0, at - 20) : at].startswith(_END64_MARK) or entries == 0xFFFF or directory == 0xFFFFFFFF:
        raise TooMuch(f"more than 65,534 entries or 4 GB (max_zip_entries is {limits.entries:,}): split it")
    if entries > limits.entries or directory > limits.entries * _DIRECTORY_BYTES_AN_ENTRY:
        raise _too_many(entries, limits)


def _too_many(entries: int, limits: Limits) -> TooMuch:
    return TooMuch(f"{entries:,} entries, the limit is {limits.entries:,} (max_zip_entries): split it")


class _Unpacking:
    """One run over an archive."""

    def __init__(self, archive: zipfile.ZipFile, into: Path, limits: Limits, size: int) -> None:
        self._archive = archive
        self._into = into
        self._limits = limits
        self._size = size
        self._n_written = 0
        self._files: list[Path] = []
        self._left_out: list[tuple[str, str]] = []
        self._seen: set[str] = set()
        self._names: set[str] = set()

    def run(self) -> Unpacked:
        entries = self._archive.infolist()
        if len(entries) > self._limits.entries:
            raise _too_many(len(entries), self._limits)
        self._into.mkdir(parents=True)
        for entry in entries:
            path = _path_of(entry)
            if path.endswith("/") or _is_clutter(path):
                continue
            if reason := self._objection(entry, path):
                self._left_out.append((clean(path), reason))
                continue
            if len(self._files) >= self._limits.files:
                raise TooMuch(f"has more documents than may wait, {self._limits.files:,} (max_files): split it")
            self._files.append(self._unpack_entry(entry, self._unique_name(path)))
        return Unpacked(tuple(self._files), tuple(self._left_out))

    def _objection(self, entry: zipfile.ZipInfo, path: str) -> str:
        """Return the reason to leave out an entry with this path; "" for one to unpack."""
        from indexing.parse import readable_formats

        readable = readable_formats()
        kind = stat.S_IFMT(entry.external_attr >> 16)
        parts = PurePosixPath(path).parts
        suffix = PurePosixPath(path).suffix.lower()
        repeated = path in self._seen
        self._seen.add(path)
        reasons = (
            (kind not in (0, stat.S_IFREG), "a link or a device, not a file"),
            (path.startswith("/") or bool(re.match(r"[A-Za-z]:", path)), "an absolute path"),
            (".." in parts or "\0" in entry.orig_filename, "a path that leads out of the archive"),
            (repeated, "the same name twice"),
            (suffix in (".zip", ".7z", ".rar", ".tar", ".gz", ".tgz"), "an archive inside an archive: unpack it first"),
            (suffix not in readable, f"Vouch reads {', '.join(sorted(readable))}"),
            (bool(entry.flag_bits & 0x1), "encrypted: unpack it first, and upload the files in it"),
            (entry.compress_type not in _METHODS, "compressed in an unusual way: make the archive again"),
        )
        return next((reason for holds, reason in reasons if holds), "")

    def _unique_name(self, path: str) -> str:
        """Return a file name that is unique in the archive: the entry's own, else with its folder or a number."""
        pure, name = PurePosixPath(path), ""
        for stem in (pure.stem, f"{pure.stem} ({pure.parent})".replace("/", ", "), f"{pure.stem} ({len(self._names)})"):
            name = file_name(f"{stem}{pure.suffix}")
            if name.casefold() not in self._names:
                break
        self._names.add(name.casefold())
        return name

    def _unpack_entry(self, entry: zipfile.ZipInfo, name: str) -> Path:
        """Unpack an entry piece by piece to a file, and return its path. Raises TooMuch once a limit is passed."""
        folder = self._into / str(len(self._files) + 1)
        folder.mkdir()
        target, limits, own = folder / name, self._limits, 0
        with self._archive.open(entry) as source, target.open("xb") as out:
            while piece := source.read(_CHUNK):
                own += len(piece)
                self._n_written += len(piece)
                if own > limits.file_mb * MB:
                    raise TooMuch(f"{name} in it has more than {limits.file_mb:,} MB (max_file_mb)")
                if self._n_written > limits.total_bytes:
                    raise TooMuch(f"unpacks to more than may wait, {limits.total_bytes / MB:,.0f} MB (max_waiting_mb)")
                if own > _SMALL and own > limits.ratio * max(1, entry.compress_size):
                    raise TooMuch(f"{name} in it unpacks to more than {limits.ratio} times its size (max_zip_ratio)")
                if self._n_written > _SMALL and self._n_written > limits.ratio * self._size:
                    raise TooMuch(f"unpacks to more than {limits.ratio} times its size (max_zip_ratio)")
                out.write(piece)
        return target


def _path_of(entry: zipfile.ZipInfo) -> str:
    """Return the path of an entry with slashes; names that are UTF-8, but not marked as such, are decoded."""
    name = entry.orig_filename
    if not entry.flag_bits & 0x800:
        with contextlib.suppress(UnicodeError):  # else it is of the old code page, as Python has read it
            name = name.encode("cp437").decode("utf-8")
    return name.replace("\\", "/")


def _is_clutter(path: str) -> bool:
    """Return True for files that operating systems add to archives: hidden files, resource forks."""
    return any((part.startswith(".") and part != "..") or part == "__MACOSX" for part in PurePosixPath(path).parts)


def file_name(name: str) -> str:
    """Return `name` fit for any file system, with its suffix: no separators, at most 180 bytes, not hidden."""
    plain = re.sub(r"[/\\:\0]+", "-", clean(name)).lstrip(". ")
    suffix = PurePosixPath(plain).suffix if len(PurePosixPath(plain).suffix) <= 6 else ""
    stem = plain[: len(plain) - len(suffix)] if suffix else plain
    stem = stem.encode()[: _NAME_BYTES - len(suffix)].decode(errors="ignore").rstrip(". ")
    return f"{stem or 'document'}{suffix}"
