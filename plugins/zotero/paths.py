"""Paths: where the file of an attachment lies. A name leads nowhere but to where such files lie."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath, PureWindowsPath

from indexing import FileMissing, NotReadable

_KEY = re.compile(r"[A-Za-z0-9]{1,32}")


def stored_file(storage: Path, key: str, name: str) -> Path:
    """Return the file `name` that Zotero keeps under a key. Raises NotReadable, FileMissing.

    A name that leads out of the folder of the key, as by `..` or a link, is refused.
    """
    if not _KEY.fullmatch(key) or name in ("", ".", "..") or {"/", "\\", "\0"} & set(name):
        raise NotReadable(f"{name}: points outside the folder of its library: attach the file again in Zotero")
    return _inside(storage / key / name, storage, "not on this machine: open it once in Zotero, which downloads it")


def relative_file(base: Path, path: str) -> Path:
    """Return the file at a path below a folder. Raises NotReadable for one that leads out of it, FileMissing."""
    said = PurePosixPath(path)
    if "\0" in path or said.is_absolute() or ".." in said.parts or not said.parts:
        raise NotReadable(f"{path}: points outside {base}: link the file again, below that folder")
    return _inside(base / said, base, "no such file: check that the whole library was copied")


def linked_file(path: str) -> Path:
    """Return the file at a whole path. Raises NotReadable for a path with `..`, FileMissing where nothing is."""
    said = PurePosixPath(path)
    if PureWindowsPath(path).drive and not said.is_absolute():
        raise FileMissing(
            f"{path}: a path from another operating system: index on the machine where this library is used"
        )
    if "\0" in path or not said.is_absolute() or ".." in said.parts:
        raise NotReadable(f"{path}: not an absolute path: link the file again in Zotero")
    return _there(Path(path), "no such file: restore the linked file, or link it again in Zotero")


def _inside(file: Path, folder: Path, absent: str) -> Path:
    found = _there(file, absent)
    try:
        inside = file.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError) as error:
        raise NotReadable(f"{file}: cannot be accessed ({error}): check the folder") from None
    if not inside:
        raise NotReadable(f"{file}: a link to outside {folder}: index its target directly")
    return found


def _there(file: Path, absent: str) -> Path:
    try:
        there = file.is_file()
    except (OSError, ValueError) as error:
        raise NotReadable(f"{file}: cannot be accessed ({error}): check the name") from None
    if not there:
        raise FileMissing(f"{file}: {absent}")
    return file.absolute()


def file_of(folder: Path, path: str) -> Path:
    """Return the file that an export in `folder` names, by a whole path or one below it. Raises FileError."""
    whole = PurePosixPath(path).is_absolute() or bool(PureWindowsPath(path).drive)
    return linked_file(path) if whole else relative_file(folder, path)
