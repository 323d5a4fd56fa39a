"""The handling of files that are uploaded to the page: those that have arrived, the limits, the queue, its progress.

The server stores an upload as `<folder>/<64 hex digits>/<name>`.

Independent of Gradio; every method may be called from any thread.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import re
import threading
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import anyio.to_thread

from indexing import is_sha256
from ui.errors import OverSpace, TooMuch, UploadError
from ui.settings import UiSettings, ui_settings
from ui.web.collection_service import CollectionService
from ui.web.uploads.files import AcceptedFile, UploadFolder, UploadQuota
from ui.web.uploads.queue import QueuedFile, UploadQueue, WaitingFolder
from ui.web.uploads.unzip import MB

if TYPE_CHECKING:
    from ui.web.open_collections import OpenCollections


_FRESH = 60.0
"""The seconds for which an upload is kept in any case: its sender is about to queue it."""
_MINUTE = 60.0
Coming = Callable[[int], None]
"""A function that takes the number of bytes of a piece of an upload, and raises TooMuch."""
Waiting = Callable[[str | None], tuple[int, int]]
"""A function that returns the number of queued files, and their bytes: of one owner, or of all (None)."""


class Arrivals:
    """The uploads of one running page that are not queued yet. Every method may be called from any thread."""

    def __init__(
        self, folder: Path, settings: UiSettings, waiting: Waiting, clock: Callable[[], float] = time.time
    ) -> None:
        """Keep the folder where the server puts uploads; `waiting` counts queued files; `clock` returns seconds."""
        self._folder = folder
        self._settings = settings
        self._waiting = waiting
        self._clock = clock
        self._owners: dict[Path, str] = {}
        self._coming: Counter[str] = Counter()
        self._lock = threading.Lock()

    async def expect(self, owner: str) -> AbstractContextManager[Coming]:
        """Return the context of an upload; call its function with the size of each piece. Both raise TooMuch.

        If the server is full, or the owner's share, uploads that were not queued within a minute are deleted first.
        """
        files, size = await anyio.to_thread.run_sync(self._all)
        if self._is_full(files, size):
            await anyio.to_thread.run_sync(self.sweep, _FRESH)
            files, size = await anyio.to_thread.run_sync(self._all)
            if self._is_full(files, size):
                raise TooMuch(
                    f"this server holds no more than {self._settings.max_all_files:,} files or "
                    f"{self._settings.max_all_waiting_mb:,} MB for all its visitors (max_all_files, "
                    "max_all_waiting_mb): add it later"
                )
        own_files, own_size = await anyio.to_thread.run_sync(self._of, owner)
        if own_files >= self._settings.max_files or 2 * own_size >= self._settings.max_waiting_mb * MB:
            await anyio.to_thread.run_sync(self.sweep, _FRESH, owner)
        return self._count_arrival(owner, size, await anyio.to_thread.run_sync(self._of, owner))

    @property
    def too_many(self) -> str:
        """The message for more files than `room` returns."""
        return f"more than {self._settings.max_files:,} files are waiting (max_files): send fewer, or add it later"

    def room(self, owner: str) -> int:
        """Return how many files an owner may still send: up to twice max_files, since the queue refuses the surplus."""
        return self._room(self._of(owner)[0])

    def note(self, owner: str, paths: object) -> None:
        """Remember the owner of the files at `paths`, which have arrived."""
        with self._lock:
            for path in paths if isinstance(paths, list) else ():
                self._owners[Path(str(path))] = owner

    def sweep(self, older_than: float | None = None, owner: str | None = None) -> None:
        """Delete uploads that are older than the settings allow, or than so many seconds, and empty folders.

        With `owner`, only this owner's uploads.
        """
        most = self._settings.upload_minutes * _MINUTE if older_than is None else older_than
        now = self._clock()
        with self._lock:
            owners = dict(self._owners)
        for path in self._files():
            with suppress(OSError):  # taken over in this moment
                if owner in (None, owners.get(path)) and now - path.stat().st_mtime > most:
                    path.unlink()
        for folder in self._folders():
            with suppress(OSError):  # it holds a file
                if now - folder.stat().st_mtime > _FRESH:
                    folder.rmdir()
        with self._lock:
            self._owners = {path: owner for path, owner in self._owners.items() if path.exists()}

    @contextmanager
    def _count_arrival(self, owner: str, of_all: int, own: tuple[int, int]) -> Iterator[Coming]:
        """Yield the function of `expect`; `of_all` and `own` (files, bytes) are what all and the owner have already."""
        limits, so_far, (own_files, own_size) = self._settings, 0, own
        if self._room(own_files) <= 0:
            raise TooMuch(self.too_many)

        def coming(size: int) -> None:
            nonlocal so_far
            so_far += size
            with self._lock:
                self._coming[owner] += size
                mine, everybody = self._coming[owner], self._coming.total()
            if own_size + mine > limits.max_waiting_mb * MB:
                raise TooMuch(f"more than {limits.max_waiting_mb:,} MB are waiting (max_waiting_mb): add it later")
            if of_all + everybody > limits.max_all_waiting_mb * MB:
                raise TooMuch(
                    f"more than {limits.max_all_waiting_mb:,} MB of all visitors are waiting (max_all_waiting_mb): "
                    "add it later"
                )

        try:
            yield coming
        finally:
            with self._lock:
                self._coming[owner] -= so_far
                if not self._coming[owner]:
                    del self._coming[owner]

    def _room(self, own_files: int) -> int:
        return 2 * self._settings.max_files - own_files

    def _is_full(self, files: int, size: int) -> bool:
        return files >= self._settings.max_all_files or size >= self._settings.max_all_waiting_mb * MB

    def _all(self) -> tuple[int, int]:
        """Return the number of all files, arrived and queued, and their bytes."""
        return _sum(_sizes(self._files()), self._waiting(None))

    def _of(self, owner: str) -> tuple[int, int]:
        """Return the number of one owner's files, arrived and queued, and their bytes."""
        with self._lock:
            mine = [path for path, its in self._owners.items() if its == owner]
        return _sum(_sizes(mine), self._waiting(owner))

    def _folders(self) -> list[Path]:
        with suppress(OSError):  # nothing was uploaded yet
            return [path for path in self._folder.iterdir() if is_sha256(path.name) and path.is_dir()]
        return []

    def _files(self) -> list[Path]:
        return list(itertools.chain.from_iterable(_entries(folder) for folder in self._folders()))


def _entries(folder: Path) -> list[Path]:
    with suppress(OSError):  # it was removed in this moment
        return list(folder.iterdir())
    return []


def _sizes(files: Sequence[Path]) -> list[int]:
    sizes = []
    for path in files:
        with suppress(OSError):  # taken over in this moment
            sizes.append(path.stat().st_size)
    return sizes


def _sum(sizes: Sequence[int], waiting: tuple[int, int]) -> tuple[int, int]:
    return len(sizes) + waiting[0], sum(sizes) + waiting[1]


DEFAULT = "default"
"""The collection of files for which none was named."""
_LONGEST_NAME = 64


def collection_name(text: str) -> str:
    """Return a valid collection name for the name that somebody typed: `Annual reports` becomes `Annual-reports`.

    It is DEFAULT if nothing was typed. Raises UploadError if no letter or digit is left.
    """
    if not text.strip():
        return DEFAULT
    plain = unicodedata.normalize("NFKD", text.replace("\u00df", "ss")).encode("ascii", "ignore").decode("ascii")
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", plain.strip()).strip("-").lstrip("._-")[:_LONGEST_NAME]
    if not name:
        raise UploadError("a collection name needs letters a to z or digits: choose another name")
    return name


class Uploads:
    """The files that are uploaded to one running page; closed with its collections."""

    def __init__(self, open_collections: OpenCollections, inbox: Path, folder: Path | None = None) -> None:
        """Keep the collections; `inbox` is the folder where the server puts uploads.

        Queued files are in `folder`, or else in a temporary one. The attribute `left` has the names of files
        that an earlier server left there unread. Raises ProfileError for invalid settings.
        """
        self.settings = ui_settings(open_collections.profile)
        self.service = CollectionService(open_collections, self.settings)
        self._waiting_folder = WaitingFolder(folder)
        self.left = self._waiting_folder.left
        self.folder = UploadFolder(inbox, self._waiting_folder.files, self.settings)
        self.upload_queue = UploadQueue(self.service.read, self.folder.release, keeps=self._waiting_folder.keeps)
        self.arrivals = Arrivals(inbox, self.settings, self.upload_queue.waiting)
        open_collections.at_close(self.close)

    def receive(
        self,
        owner: str,
        collection: str,
        files: Sequence[Mapping[str, Any]] | None,
        password: str = "",
        account: str = "",
    ) -> tuple[QueuedFile, ...]:
        """Queue uploads for a collection: mappings with `path` and, if it is known, `orig_name`.

        `account` is the name of the uploader's account, "" for none: only its later uploads replace these documents.
        Raises UploadError, NotAllowed.
        """
        name = self._into(collection)
        pairs = [(str(file.get("path") or ""), str(file.get("orig_name") or "")) for file in files or ()]
        accepted_files = self.folder.take(pairs, self._room(owner), self._waiting(owner, name))
        self._check_room(name, accepted_files, account)
        return self.upload_queue.add(owner, name, accepted_files, password or None, account=account)

    def take_one(self, files: Sequence[Mapping[str, Any]] | Mapping[str, Any] | None) -> tuple[str, Path]:
        """Return the name and path of the one file that was uploaded; the caller deletes it by `folder.release`.

        Raises UploadError for no file, several, an archive, and a file over a limit.
        """
        uploads = [files] if isinstance(files, Mapping) else list(files or ())
        if len(uploads) != 1:
            raise UploadError("add one file at a time")
        pair = (str(uploads[0].get("path") or ""), str(uploads[0].get("orig_name") or ""))
        return self._only(self.folder.take([pair], UploadQuota(1, self.settings.max_file_mb * MB)))

    def take_bytes(self, name: str, content: bytes) -> tuple[str, Path]:
        """Write `content` to a file, and return its name and path as `take_one` does."""
        return self._only(
            self.folder.keep([(name, io.BytesIO(content))], UploadQuota(1, self.settings.max_file_mb * MB))
        )

    def _only(self, files: Sequence[AcceptedFile]) -> tuple[str, Path]:
        """Return the name and path of the only file. Raises UploadError, and deletes the files, if it is not usable."""
        first = files[0]
        if len(files) == 1 and first.path is not None and not first.archive:
            return first.name, first.path
        for one in files:
            if one.path is not None:
                self.folder.release(one.path)
        raise UploadError(f"{first.name}: {'is an archive: add the files in it' if first.archive else first.note}")

    def receive_files(
        self, owner: str, collection: str, files: Sequence[tuple[str, BinaryIO]], password: str = "", account: str = ""
    ) -> tuple[tuple[QueuedFile, str | None], ...]:
        """Queue files of programs, (name, content) pairs; return each with the id that its document will have.

        The id is None for a rejected file. `account` is as in `receive`. Raises UploadError, NotAllowed.
        """
        name = self._into(collection)
        accepted_files = self.folder.keep(files, self._room(owner), self._waiting(owner, name))
        self._check_room(name, accepted_files, account)
        documents = [_document_id(file.path) if file.path is not None else None for file in accepted_files]
        items = self.upload_queue.add(owner, name, accepted_files, password or None, account=account)
        return tuple(zip(items, documents, strict=True))

    def receive_folder(self, owner: str, collection: str, folder: str, password: str = "") -> tuple[QueuedFile, ...]:
        """Queue the documents in a folder of this machine. Raises UploadError, NotAllowed, IndexingError."""
        from indexing.ingest import find_files

        name = self._into(collection)
        room = self._room(owner)
        files = []
        for file in find_files([self.service.folder(folder)], self.settings.cap_settings(self.service.indexing)):
            size = 0 if file.error else file.path.stat().st_size
            note = str(file.error) if file.error else self._too_much(size, room)
            files.append(AcceptedFile(file.path.name, None if note else file.path, size, note))
            if not note:
                room.files -= 1
        self._check_room(name, files, release=False)
        return self.upload_queue.add(owner, name, files, password or None, uploaded=False)

    def follow(self, owner: str) -> Iterator[tuple[QueuedFile, ...]]:
        """Yield the owner's files now and after each change, until all are read."""
        return self.upload_queue.follow(owner)

    def sweep(self) -> None:
        """Delete uploads that were not queued in time, and failed files that were not tried again in time."""
        self.arrivals.sweep()
        self.upload_queue.sweep()

    def close(self) -> None:
        """Stop reading, and delete the uploads, except unread ones in `folder`: the next server reports these."""
        self.upload_queue.close()
        self._waiting_folder.close()

    def _into(self, collection: str) -> str:
        """Return `collection`, or DEFAULT for "". Raises NotAllowed if files may not be added to it."""
        name = collection.strip() or DEFAULT
        self.service.admit(name)
        return name

    def _check_room(
        self, collection: str, files: Sequence[AcceptedFile], account: str = "", *, release: bool = True
    ) -> None:
        """Raise OverSpace, and delete the files, if a quota has no room for them beside the queued files."""
        new = sum(file.size for file in files if file.path is not None)
        try:
            waiting = self.upload_queue.bytes_to_read(collection), self.upload_queue.bytes_to_read(account=account)
            self.service.check_room(collection, account, new + waiting[0], new + waiting[1])
        except OverSpace:
            for file in files:
                if release and file.path is not None:
                    self.folder.release(file.path)
            raise

    def _waiting(self, owner: str, collection: str) -> list[str]:
        """Return the names of the owner's files that are still to be read into a collection."""
        return [item.name for item in self.upload_queue.items(owner) if item.open and item.collection == collection]

    def _room(self, owner: str) -> UploadQuota:
        """Return what the owner may still upload."""
        limits = self.settings
        (files, size), (all_files, all_size) = self.upload_queue.waiting(owner), self.upload_queue.waiting(None)
        own, rest = limits.max_files - files, limits.max_all_files - all_files
        own_bytes, rest_bytes = limits.max_waiting_mb * MB - size, limits.max_all_waiting_mb * MB - all_size
        return UploadQuota(min(own, rest), min(own_bytes, rest_bytes), rest < own or rest_bytes < own_bytes)

    def _too_much(self, size: int, room: UploadQuota) -> str:
        try:
            self.folder.check(size, UploadQuota(room.files, size, room.shared))
        except UploadError as error:
            return str(error)
        return ""


def _document_id(path: Path) -> str:
    """Return the id of the document that a file becomes: the beginning of its SHA-256."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]
