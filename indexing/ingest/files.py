"""Find the files to index: given paths, and the files in given folders."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from indexing.errors import FileError, FileMissing, NotReadable, TooLarge
from indexing.ingest.file_in_work import FileInWork
from indexing.parse import readable_formats
from indexing.settings import IndexingSettings


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to index, or the reason why it cannot be.

    A file that was attached to another, its `parent`, has a `key` for its document: `path` is that of a copy.
    """

    path: Path
    error: FileError | None = None
    key: str = ""
    parent: FileInWork | None = None


def find_files(paths: Sequence[Path], settings: IndexingSettings) -> list[FoundFile]:
    """Return the files at `paths` and in their folders, in order of names, without hidden ones and links to outside."""
    files: dict[Path, FoundFile] = {}
    for path in paths:
        for item in map(_check_name, _walk(path)):
            files.setdefault(item.path, item)
            if len(files) > settings.max_files:
                raise TooLarge(f"more than {settings.max_files} files: index subfolders one by one, or raise max_files")
    return list(files.values())


def _walk(path: Path) -> Iterator[FoundFile]:
    """Yield the file at a path, or the files in the folder; with an error what cannot be indexed."""
    try:
        is_dir = path.is_dir()
        exists = is_dir or path.exists()
    except (OSError, ValueError) as error:
        yield FoundFile(path, NotReadable(f"{path!s}: cannot be accessed ({error}): check the name"))
        return
    if not exists:
        is_address = str(path).startswith(("http:", "https:"))
        step = "save the web page as a PDF and index that" if is_address else "check the spelling"
        yield FoundFile(path, FileMissing(f"{path}: no such file or folder: {step}"))
        return
    if not is_dir:
        yield FoundFile(path.absolute())
        return
    root = path.resolve()
    errors: list[OSError] = []
    for folder, folders, names in os.walk(root, onerror=errors.append):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        for name in sorted(names):
            file = Path(folder) / name
            if name.startswith(".") or not _has_known_extension(file):
                continue
            if file.is_symlink() and root not in file.resolve().parents:
                yield FoundFile(file, NotReadable(f"{file}: a link to outside the folder: give its target directly"))
                continue
            yield FoundFile(file)
    for failure in errors:
        message = f"{failure.filename}: cannot be opened ({failure.strerror}): change its permissions"
        yield FoundFile(Path(failure.filename), NotReadable(message))


def _has_known_extension(path: Path) -> bool:
    """Return True for a file whose extension Vouch reads."""
    return path.suffix.lower() in readable_formats()


def _check_name(file: FoundFile) -> FoundFile:
    """Return the file, or one with NotReadable if its name is not UTF-8 and can be neither stored nor printed."""
    name = os.fsencode(file.path).decode("utf-8", "replace")
    if name == str(file.path):
        return file
    return FoundFile(Path(name), NotReadable(f"{name}: its name is not UTF-8: rename it"))


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
