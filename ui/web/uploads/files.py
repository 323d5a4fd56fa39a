"""The files that are uploaded to the page: moved to a folder of their own, checked, and deleted once read.

Gradio stores an upload under the hash of its content, where anybody who guessed its path could name it as their own.
So it is moved at once into a folder that no request can name, one folder a file.
"""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePath
from typing import BinaryIO

from indexing import is_sha256
from ui.errors import NotKept, NotYours, TooMuch, UploadError
from ui.settings import UiSettings
from ui.show import clean
from ui.web.uploads.unzip import MB, Limits, file_name, unpack

_ZIP = b"PK\x03\x04"
_LEFT_OUT_SHOWN = 5


@dataclass(frozen=True, slots=True)
class AcceptedFile:
    """A file that is to be read, or was rejected: then `path` is None, and `note` the reason.

    For an archive `path` is None, too, and `note` says how many documents it contained and what was left out.
    """

    name: str
    path: Path | None
    size: int
    note: str = ""
    archive: bool = False


@dataclass(slots=True)
class UploadQuota:
    """The files and bytes that an owner may still upload; `shared`: the limit for all visitors is the smaller one."""

    files: int
    bytes: int
    shared: bool = False


class UploadFolder:
    """The uploads of one running page. Every method may be called from any thread."""

    def __init__(self, inbox: Path, files: Path, settings: UiSettings) -> None:
        """Keep `inbox`, where the server puts uploads (`<inbox>/<sha256>/<name>`), and `files`, for queued ones."""
        self.inbox = inbox.resolve()
        self._files = files.resolve()
        self._settings = settings

    def take(
        self, files: Sequence[tuple[str, str]], room: UploadQuota, waiting: Collection[str] = ()
    ) -> tuple[AcceptedFile, ...]:
        """Move uploads, as (path, name) pairs, to this folder, archives unpacked; `room` shrinks by their size.

        A name that is among those `waiting` for the same collection, or comes twice, gets a number: the second
        document of a name would replace the first. A rejected file is returned with its reason; one over a limit is
        deleted.
        """
        sources = [(file_name(name or PurePath(path).name), partial(self._move_upload, path)) for path, name in files]
        return self._accept_all(sources, room, waiting)

    def keep(
        self, files: Sequence[tuple[str, BinaryIO]], room: UploadQuota, waiting: Collection[str] = ()
    ) -> tuple[AcceptedFile, ...]:
        """Write files of programs, as (name, content) pairs, to this folder; all else is as in `take`."""
        sources = [(file_name(name), partial(self._write_file, content)) for name, content in files]
        return self._accept_all(sources, room, waiting)

    def release(self, path: Path) -> None:
        """Delete a file of this folder, and the subfolders left empty. Files elsewhere are not deleted."""
        if self._files in path.parents:
            path.unlink(missing_ok=True)
            for folder in itertools.takewhile(lambda f: f != self._files, path.parents):
                if any(folder.iterdir()):
                    break
                folder.rmdir()

    def _accept_all(
        self, files: Sequence[tuple[str, Callable[[str], Path]]], room: UploadQuota, waiting: Collection[str]
    ) -> tuple[AcceptedFile, ...]:
        """Accept or reject files, as (name, function) pairs: the function stores the file under a given name."""
        names = {name.casefold() for name in waiting}
        accepted_files: list[AcceptedFile] = []
        for display_name, put in files:
            try:
                accepted_files += [_with_unique_name(one, names) for one in self._accept(put(display_name), room)]
            except UploadError as error:
                accepted_files.append(AcceptedFile(display_name, None, 0, str(error)))
        return tuple(accepted_files)

    def _write_file(self, content: BinaryIO, name: str) -> Path:
        """Write a file to a new subfolder, and return its path. Raises NotKept."""
        try:
            target = self._new_folder() / name
            with target.open("xb") as file:
                shutil.copyfileobj(content, file)
        except OSError as error:
            raise _not_kept(error) from None
        return target

    def _move_upload(self, path: str, name: str) -> Path:
        """Move a fresh upload to a new subfolder, and return its path. Raises NotYours for any other path, NotKept."""
        upload = Path(path)
        folder = upload.parent
        if folder.parent.resolve() != self.inbox or not is_sha256(folder.name):
            raise NotYours("is not a file that was just uploaded: add it again")
        if upload.is_symlink() or folder.is_symlink() or not upload.is_file():
            raise NotYours("did not arrive, or was already added: add it again")
        try:
            target = self._new_folder() / name
            shutil.move(upload, target)
        except OSError as error:
            raise _not_kept(error) from None
        if not any(folder.iterdir()):
            folder.rmdir()
        return target

    def _new_folder(self) -> Path:
        return Path(tempfile.mkdtemp(prefix="", dir=self._files))

    def _accept(self, path: Path, room: UploadQuota) -> list[AcceptedFile]:
        """Return the file, or an archive's documents. Deletes it, and raises UploadError, if it is rejected."""
        size = path.stat().st_size
        try:
            self.check(size, room)
            if _is_archive(path):
                return self._unpack(path, room)
        except UploadError:
            self.release(path)
            raise
        room.files -= 1
        room.bytes -= size
        return [AcceptedFile(path.name, path, size)]

    def check(self, size: int, room: UploadQuota) -> None:
        """Raise TooMuch for a file of `size` bytes that is too large, or for which `room` is too small."""
        limits = self._settings
        if size > limits.max_file_mb * MB:
            raise TooMuch(f"has {size / MB:,.0f} MB, the limit is {limits.max_file_mb:,} MB (max_file_mb)")
        if room.shared and (room.files < 1 or size > room.bytes):
            raise TooMuch(
                "too many files of all visitors are waiting (max_all_files, max_all_waiting_mb): add it later"
            )
        if room.files < 1:
            raise TooMuch(f"more than {limits.max_files:,} files are waiting (max_files): add it once those are read")
        if size > room.bytes:
            raise TooMuch(f"more than {limits.max_waiting_mb:,} MB are waiting (max_waiting_mb): add it later")

    def _unpack(self, archive: Path, room: UploadQuota) -> list[AcceptedFile]:
        """Unpack and delete an archive; return first an entry with its summary, then its documents."""
        limits = self._settings
        size = archive.stat().st_size
        into = archive.parent / "unpacked"
        contents = unpack(
            archive,
            into,
            Limits(room.files, limits.max_zip_entries, limits.max_file_mb, room.bytes, limits.max_zip_ratio),
        )
        archive.unlink()
        files = [AcceptedFile(path.name, path, path.stat().st_size) for path in contents.files]
        room.files -= len(files)
        room.bytes -= sum(one.size for one in files)
        if not files:
            shutil.rmtree(archive.parent, ignore_errors=True)
        return [
            AcceptedFile(archive.name, None, size, _summary(len(files), contents.left_out), archive=True),
            *files,
        ]


def _is_archive(path: Path) -> bool:
    """Return True for a ZIP file that is not a document itself, as Office files and EPUB are."""
    from indexing.parse import is_zipped  # brings in what reads documents

    suffix = path.suffix.lower()
    if is_zipped(suffix):
        return False
    with path.open("rb") as file:
        return suffix == ".zip" or file.read(4) == _ZIP


def _not_kept(error: OSError) -> NotKept:
    return NotKept(f"could not be saved ({error.strerror}): make room on the server, then add it again")


def _with_unique_name(file: AcceptedFile, names: set[str]) -> AcceptedFile:
    """Return the file under a name that is not in `names`, and add that name to them."""
    if file.path is None:
        return file
    path, number = file.path, 2
    while path.name.casefold() in names:
        path = file.path.with_name(f"{file.path.stem} ({number}){file.path.suffix}")
        number += 1
    names.add(path.name.casefold())
    return file if path == file.path else replace(file, name=path.name, path=file.path.rename(path))


def _summary(files: int, left_out: Sequence[tuple[str, str]]) -> str:
    """Return `unpacked: 3 documents. Left out: a.exe (Vouch reads ...)`."""
    text = f"unpacked: {files:,} {'document' if files == 1 else 'documents'}."
    if left_out:
        reasons = "; ".join(f"{clean(name)}: {reason}" for name, reason in left_out[:_LEFT_OUT_SHOWN])
        more = len(left_out) - _LEFT_OUT_SHOWN
        text += f" Left out: {reasons}{f'; and {more:,} more' if more > 0 else ''}."
    return text
