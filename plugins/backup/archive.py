"""Write a backup file from a folder, and extract one while checking every file against its contents.

The folder is a temporary one on the disk of the home; the next process deletes those of killed ones.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tarfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import IO

from indexing import BackupUnreadable
from indexing.storage import FolderRoot, ProcessFolder, write_error
from plugins.backup.contents import CONTENTS, MOST_CONTENTS, BackedUpFile, BackupContents, contents_of

_PIECE = 1 << 20
_BLOCK = 512
_MOST_HEADERS = 4096
"""The most bytes of the headers of one file in the archive: tarfile holds them in memory."""
_ENDS = 20 * _BLOCK * 2  # the zeros after the last file: tar pads to records of 20 blocks


@contextlib.contextmanager
def staging_folder(root: FolderRoot) -> Iterator[Path]:
    """Yield a new folder in the home at `root`. Raises DiskFull, CollectionDamaged."""
    above = root.folder / ".backups"
    try:
        staging = ProcessFolder(above)
    except OSError as error:
        raise write_error(above, error) from error
    try:
        yield staging.folder
    finally:
        staging.close()
        with contextlib.suppress(OSError):  # another process has its folder there
            above.rmdir()


def digests(folder: Path) -> tuple[BackedUpFile, ...]:
    """Return the path, size and checksum of all files in a folder."""
    files = []
    for file in FolderRoot(folder).all_files():
        with (folder / file.key).open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
        files.append(BackedUpFile(path=file.key, size=file.size, sha256=digest))
    return tuple(files)


def write_archive(target: Path, folder: Path, contents: BackupContents) -> None:
    """Write a backup of the files in a folder to `target` atomically. Raises DiskFull, CollectionDamaged."""
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    head = contents.model_dump_json(indent=1).encode()
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with (
            os.fdopen(descriptor, "wb") as out,
            tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive,
        ):
            archive.addfile(_member(CONTENTS, len(head)), BytesIO(head))
            for file in contents.files:
                with (folder / file.path).open("rb") as content:
                    archive.addfile(_member(file.path, file.size), content)
            archive.close()
            out.flush()
            os.fsync(out.fileno())
        os.link(part, target)  # unlike a renaming, it takes no other file's place
    except FileExistsError:
        raise
    except OSError as error:
        raise write_error(target, error) from error
    finally:
        part.unlink(missing_ok=True)


def _member(path: str, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(path)
    member.size, member.mode = size, 0o600
    return member


def read_contents(path: Path) -> BackupContents:
    """Return the table of contents of a backup. Raises BackupUnreadable, OSError."""
    with path.open("rb") as content:
        return _read_first_file(path, content)


def extract(path: Path, folder: Path) -> BackupContents:
    """Extract every file of a backup into an empty folder; return its table of contents.

    The files must come in the order of that table, with its sizes and checksums. Raises BackupUnreadable, DiskFull.
    """
    with path.open("rb") as content:
        contents = _read_first_file(path, content)
        content.seek(0)
        with _translate_errors(path), tarfile.open(fileobj=content, mode="r:") as archive:
            archive.next()
            for file in contents.files:
                _extract_next(path, archive, file, folder / file.path)
            if archive.next() is not None:
                raise BackupUnreadable(
                    f"{path} holds files that its table of contents does not list: use another backup"
                )
    return contents


def _read_first_file(path: Path, content: IO[bytes]) -> BackupContents:
    """Read the table of contents, the first file, without tarfile: a hostile header could make it fill the memory."""
    with _translate_errors(path):
        head = tarfile.TarInfo.frombuf(content.read(_BLOCK), "utf-8", "strict")
        if head.type != tarfile.REGTYPE or head.name != CONTENTS or not 0 <= head.size <= MOST_CONTENTS:
            raise BackupUnreadable(f"{path} is not a Vouch backup: give a file that `vouch backup` has written")
        raw = content.read(head.size)
        if len(raw) < head.size:
            raise BackupUnreadable(f"{path} was cut off: use another backup")
    contents = contents_of(raw)
    most = contents.size + len(raw) + (_MOST_HEADERS + _BLOCK) * (len(contents.files) + 1) + _ENDS
    size = os.fstat(content.fileno()).st_size
    if not contents.size <= size <= most:
        why = "was cut off" if size < most else "holds files that its table of contents does not list"
        raise BackupUnreadable(f"{path} {why}: use another backup")
    return contents


def _extract_next(path: Path, archive: tarfile.TarFile, file: BackedUpFile, target: Path) -> None:
    """Extract the next file of an archive to `target`. Raises BackupUnreadable if it is not `file`, DiskFull."""
    member = archive.next()
    if member is None:
        raise BackupUnreadable(f"{path} was cut off before {file.path}: use another backup")
    plain = member.type in (tarfile.REGTYPE, tarfile.AREGTYPE) and member.sparse is None
    if not plain or member.name != file.path or member.size != file.size:
        raise BackupUnreadable(
            f"{path} holds {member.name!r:.200} where its table of contents lists {file.path}: use another backup"
        )
    source, digest = archive.extractfile(member), hashlib.sha256()
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with target.open("xb") as out:
            while source and (piece := source.read(_PIECE)):
                digest.update(piece)
                out.write(piece)
    except OSError as error:
        raise write_error(target, error) from error
    if digest.hexdigest() != file.sha256:
        raise BackupUnreadable(
            f"{path} is damaged: {file.path} differs from the file that was backed up: use another backup"
        )


@contextlib.contextmanager
def _translate_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (tarfile.TarError, EOFError, UnicodeDecodeError, ValueError, OverflowError) as error:
        raise BackupUnreadable(f"{path} cannot be read as a backup ({type(error).__name__}): use another one") from None
