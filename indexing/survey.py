"""What stands in a collection, counted over all of its pages at once."""

from __future__ import annotations

from indexing.collection import Collection
from indexing.embed.minilm import DIM
from indexing.store import Store


def kinds_in(collection: Collection) -> dict[str, int]:
    """How many elements a collection has of each kind, the commonest first. Raises CollectionDamaged."""
    keys = Store(collection.path / "db", DIM).snapshot().element_keys()
    counts = {row["values"]: row["counts"] for row in keys["kind"].value_counts().to_pylist()}
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
