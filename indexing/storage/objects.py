"""ObjectRoot: a prefix of an object store as a place of files, by `obstore`, which only this module imports.

S3, Google Cloud Storage and Azure write objects atomically, and a read returns the last write.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

from indexing.errors import CollectionDamaged, ExtraMissing, StoreUnreachable
from indexing.identifiers import relative_path
from indexing.storage.cache import CachedFile, LocalCache, cache_folder
from indexing.storage.folder import StoredFile
from indexing.storage.wire import client_settings, no_bucket, refusal

if TYPE_CHECKING:
    from types import ModuleType

PIECE = 8 << 20
"""The bytes that a request reads of a large object."""
AT_ONCE = 8
"""The number of requests that are under way at a time."""


@dataclass(frozen=True, slots=True)
class ObjectMark:
    """The condition of a write that an object is unchanged: an e-tag, on Google's store a generation."""

    tag: str | None
    version: str | None

    def mode(self) -> dict[str, str]:
        """Return the condition of a put."""
        return {name: value for name, value in (("e_tag", self.tag), ("version", self.version)) if value is not None}


class ObjectRoot:
    """The objects below `prefix` in a bucket, at `address`; `cache` keeps copies of objects that are read often."""

    def __init__(self, address: str, prefix: str, bucket: Any, cache: LocalCache) -> None:
        """Keep the parts; callers use `at` and `below`. `bucket` is obstore's."""
        self._address = address
        self._prefix = prefix
        self._bucket = bucket
        self.cache = cache

    @classmethod
    def at(cls, address: str, cache_mb: int | None = None) -> ObjectRoot:
        """Return the place at an address such as s3://bucket/prefix; no request is sent yet. Raises ExtraMissing."""
        scheme, _, rest = address.partition("://")
        bucket, _, prefix = rest.partition("/")
        with _translate_errors(address):
            store = _obstore().store.from_url(f"{scheme}://{bucket}", **client_settings(address))
        path = "/".join(part for part in prefix.split("/") if part)
        cache = LocalCache(cache_folder(), None if cache_mb is None else cache_mb << 20)
        return cls(f"{scheme}://{bucket}/{path}".rstrip("/"), path, store, cache)

    def __str__(self) -> str:
        """Return its address."""
        return self._address

    @property
    def name(self) -> str:
        """The last part of its address."""
        return self._address.rpartition("/")[2]

    @property
    def parent(self) -> ObjectRoot:
        """The place that it is in."""
        address, prefix = self._address.rpartition("/")[0], self._prefix.rpartition("/")[0]
        return ObjectRoot(address, prefix, self._bucket, self.cache)

    @property
    def machine(self) -> Path:
        """The folder of this machine for work in progress, below that of the cache."""
        return self.cache.folder / "work" / f"{self.name}-{sha256(self._address.encode()).hexdigest()[:12]}"

    def below(self, name: str) -> ObjectRoot:
        """Return a place in it."""
        return ObjectRoot(f"{self._address}/{name}", self._key(name), self._bucket, self.cache)

    def folders(self) -> tuple[str, ...]:
        """Return the names of the places in it that hold something."""
        return tuple(str(each).rstrip("/").rpartition("/")[2] for each in self._list()["common_prefixes"])

    def files(self, start: str = "") -> Iterator[StoredFile]:
        """Yield the files directly in it whose keys begin with `start`, by key."""
        for each in self._list()["objects"]:
            key = each["path"].rpartition("/")[2]
            if key.startswith(start):
                yield StoredFile(key, each["size"], _tag(each))

    def all_files(self) -> list[StoredFile]:
        """Return all files in it and in the places in it, by keys with slashes."""
        with _translate_errors(self._address):
            objects = [each for some in _obstore().list(self._bucket, self._prefix) for each in some]
        start = len(self._prefix) + 1 if self._prefix else 0
        return [StoredFile(each["path"][start:], each["size"], _tag(each)) for each in objects]

    def find(self, key: str) -> StoredFile | None:
        """Return a file by its key, or None."""
        head = self._head(key)
        return StoredFile(key, head["size"], _tag(head)) if head else None

    def exists(self, key: str) -> bool:
        """Return True where there is a file."""
        return self._head(key) is not None

    def modification_time(self, key: str) -> datetime | None:
        """Return the time at which a file was written, by the clock of the store; None if there is none."""
        head = self._head(key)
        return head["last_modified"] if head else None

    def read(self, key: str) -> bytes:
        """Return the content of a file. Raises FileNotFoundError."""
        return self.read_with_mark(key)[0]

    def read_with_mark(self, key: str) -> tuple[bytes, ObjectMark]:
        """Return the content of a file and its mark. Raises FileNotFoundError."""
        with _translate_errors(self._address):
            result = _obstore().get(self._bucket, self._key(key))
            return bytes(result.bytes()), _mark(result.meta)

    def write(self, key: str, content: bytes) -> None:
        """Write a file, whole or not at all."""
        with _translate_errors(self._address):
            _obstore().put(self._bucket, self._key(key), content)

    def write_if(self, key: str, content: bytes, mark: ObjectMark | None) -> ObjectMark | None:
        """Write a file if it still has `mark`, or without one if it is missing; return its new mark, else None."""
        library = _obstore()
        conflicts = (library.exceptions.AlreadyExistsError, library.exceptions.PreconditionError, FileNotFoundError)
        with _translate_errors(self._address):
            try:
                mode = "create" if mark is None else mark.mode()
                return _mark(library.put(self._bucket, self._key(key), content, mode=mode, use_multipart=False))
            except conflicts:
                return None

    def bring(self, key: str, file: Path, *, move: bool = False) -> None:
        """Upload a file of this machine atomically, in parts if it is large."""
        with _translate_errors(self._address), file.open("rb") as content:
            _obstore().put(self._bucket, self._key(key), content)
        if move:
            file.unlink()

    def local_copy(self, file: StoredFile) -> Path:
        """Return a copy of a file on this machine, fetched unless the cache has this content."""
        return self.cache.file(self.cache_entry(file))

    def give(self, file: StoredFile, target: Path) -> None:
        """Fetch a file to a new path. Raises FileNotFoundError."""
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._fetch(file, target)

    def cache_entry(self, file: StoredFile) -> CachedFile:
        """Return the cache entry of a file, whose name depends on its address and content."""
        identity = f"{self._address}/{file.key}\0{file.tag}\0{file.size}"
        suffix = "".join(Path(file.key).suffixes[-2:])
        name = sha256(identity.encode()).hexdigest()[:40] + (suffix if suffix.isascii() and len(suffix) < 24 else "")
        return CachedFile(name, file.size, lambda target: self._fetch(file, target))

    def _fetch(self, file: StoredFile, target: Path) -> None:
        """Write an object into a new file, piece by piece, several at once. Raises FileNotFoundError if it changed."""
        starts = range(0, file.size, PIECE)
        with target.open("xb") as out:
            if len(starts) <= 1:
                out.write(self.read(file.key))
                return
            with _translate_errors(self._address), ThreadPoolExecutor(AT_ONCE) as pool:
                for piece in pool.map(lambda start: self._piece(file, start), starts):
                    out.write(piece)

    def _piece(self, file: StoredFile, start: int) -> bytes:
        end = min(start + PIECE, file.size)
        return bytes(_obstore().get_range(self._bucket, self._key(file.key), start=start, end=end))

    def delete(self, key: str) -> None:
        """Delete a file, if it is there."""
        with _translate_errors(self._address), contextlib.suppress(FileNotFoundError):
            _obstore().delete(self._bucket, self._key(key))

    def delete_unfinished(self, *patterns: str) -> None:
        """Do nothing: a store does not show unfinished objects."""

    def clear(self) -> None:
        """Delete all files in it, collection.json first: without it there is no collection for readers."""
        keys = sorted((each.key for each in self.all_files()), key=lambda key: (key != "collection.json", key))
        for first in range(0, len(keys), 500):
            with _translate_errors(self._address), contextlib.suppress(FileNotFoundError):
                _obstore().delete(self._bucket, [self._key(key) for key in keys[first : first + 500]])

    def size(self) -> int:
        """Return the bytes of all files in it, however deep."""
        return sum(each.size for each in self.all_files())

    def _key(self, key: str) -> str:
        try:
            return f"{self._prefix}/{relative_path(key)}" if self._prefix else relative_path(key)
        except ValueError as error:
            raise CollectionDamaged(f"{self._address}: {error}: restore the collection from another copy") from None

    def _list(self) -> Mapping[str, Any]:
        with _translate_errors(self._address):
            return cast("Mapping[str, Any]", _obstore().list_with_delimiter(self._bucket, self._prefix or None))

    def _head(self, key: str) -> Mapping[str, Any] | None:
        with _translate_errors(self._address):
            try:
                return cast("Mapping[str, Any]", _obstore().head(self._bucket, self._key(key)))
            except FileNotFoundError as error:
                if "NoSuchBucket" in str(error):
                    raise
                return None


def probe_store(address: str) -> str:
    """Write, conditionally overwrite, read and delete an object at an address; return a message about it.

    Raises ExtraMissing, StoreDenied, and StoreUnreachable for a store without the conditional writes of a lease.
    """
    root = ObjectRoot.at(address)
    key = f"probe-{uuid4().hex}"
    try:
        first = root.write_if(key, b"first", None)
        twice = root.write_if(key, b"second", None)
        stale = first is not None and root.write_if(key, b"third", first) and root.write_if(key, b"fourth", first)
        if first is None or twice or stale or root.read(key) != b"third":
            raise StoreUnreachable(
                f"{address}: the object store ignores the conditions If-None-Match and If-Match, so two "
                "writers would overwrite each other: use a store, or a version of it, that honours them"
            )
    finally:
        root.delete(key)
    return f"{address} is writable and honours conditional writes"


def _tag(head: Mapping[str, Any]) -> str:
    return str(head.get("e_tag") or head.get("version") or "")


def _mark(head: Mapping[str, Any]) -> ObjectMark:
    return ObjectMark(head.get("e_tag"), head.get("version"))


@contextlib.contextmanager
def _translate_errors(address: str) -> Iterator[None]:
    """Turn errors of obstore into ours, without secrets; FileNotFoundError stays."""
    base = _obstore().exceptions.BaseError
    try:
        yield
    except FileNotFoundError as error:
        if "NoSuchBucket" in str(error):
            raise no_bucket(address) from None
        raise FileNotFoundError(2, "no such object", address) from None
    except base as error:
        denial = refusal(address, str(error))
        raise denial or StoreUnreachable(
            f"{address}: the object store sent an unexpected response ({type(error).__name__}): check its "
            "endpoint, then run the same command again"
        ) from None


def _obstore() -> ModuleType:
    """Import obstore. Raises ExtraMissing."""
    try:
        import obstore
        import obstore.exceptions
        import obstore.store
    except ImportError:
        raise ExtraMissing(
            "collections on object stores need a package that is not installed: pip install 'vouch[stores]'"
        ) from None
    return obstore
