"""A look at an object store: it answers, may be written, and honours the conditions that the writer's lease needs."""

from __future__ import annotations

from uuid import uuid4

from indexing.errors import StoreUnreachable
from indexing.storage.objects import ObjectRoot


def probe_store(address: str) -> str:
    """Write, refuse to write twice, read and delete an object at an address; return words about it.

    Raises ExtraMissing, StoreDenied, StoreUnreachable.
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
