"""Probe an object store: it answers, is writable, and honours the conditional writes that the writer's lease needs."""

from __future__ import annotations

from uuid import uuid4

from indexing.errors import StoreUnreachable
from indexing.storage.objects import ObjectRoot


def probe_store(address: str) -> str:
    """Write, conditionally overwrite, read and delete an object at an address; return a message about it.

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
