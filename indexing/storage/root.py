"""StorageRoot, a place that contains files under keys: made from a path or an address."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

from indexing.errors import BadSetting
from indexing.identifiers import is_bucket_name, relative_path
from indexing.storage.folder import FolderRoot
from indexing.storage.objects import ObjectRoot

StorageRoot: TypeAlias = FolderRoot | ObjectRoot
"""A place that contains files under keys; `str` of it is its path or address.

Failed requests to an object store raise StoreUnreachable or StoreDenied, a full disk DiskFull.
"""
Home: TypeAlias = Path | str
"""The home of collections: a folder, or the address of a prefix of an object store."""
SCHEMES = ("s3://", "gs://", "az://")
_OWN = Path(".local") / "share" / "vouch"


def is_remote(home: Home) -> bool:
    """Return True for the address of an object store. Raises BadSetting for an address that cannot be one."""
    if isinstance(home, Path) or "://" not in home:
        return False
    bucket, _, prefix = home.partition("://")[2].partition("/")
    if any(sign in home for sign in "@?#"):
        raise BadSetting(
            "VOUCH_HOME holds more than a bucket and a prefix: give credentials in the environment variables "
            "of the store (AWS_*)"
        )
    if not home.startswith(SCHEMES) or not is_bucket_name(bucket):
        raise BadSetting(
            "VOUCH_HOME is not the address of an object store: write s3://BUCKET/PREFIX, or the same with gs:// "
            "or az://"
        )
    try:
        relative_path("/".join(part for part in (bucket, *prefix.split("/")) if part))
    except ValueError:
        raise BadSetting("VOUCH_HOME has . or .. in its prefix: write s3://BUCKET/PREFIX without them") from None
    return True


def root_of(home: Home, cache_mb: int | None = None) -> StorageRoot:
    """Return the place at a path or an address; at most `cache_mb` MB of its files are cached on this machine."""
    if is_remote(home):
        return ObjectRoot.at(str(home), cache_mb)
    return FolderRoot(Path(home))


def as_root(place: StorageRoot | Path) -> StorageRoot:
    """Return a place unchanged, and a folder as a place."""
    return FolderRoot(place) if isinstance(place, Path) else place


def machine_folder(home: Home) -> Path:
    """Return the folder of this machine for files of a home that are not shared: logs, bibliographies, a key.

    It is the home itself if that is a folder, else ~/.local/share/vouch.
    """
    return Path.home() / _OWN if is_remote(home) else Path(home)
