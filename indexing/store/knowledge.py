"""Store the texts that models wrote about a collection's elements, so that each is generated once.

The key of a text is its element, the model that wrote it and the version of its prompt. The texts of a document are
deleted with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from indexing.types import Element

if TYPE_CHECKING:
    from indexing.store.database import Store


class KnowledgeTable:
    """The stored texts of a collection, by element, model and version of the prompt (`Collection.knowledge`)."""

    def __init__(self, store: Store, lock: Callable[[], AbstractContextManager[None]]) -> None:
        """Keep the store, and `lock`, which gives the right to write."""
        self._store = store
        self._lock = lock

    def read(self, elements: Sequence[Element], model: str, prompt: str) -> dict[str, str]:
        """Return the stored texts of elements by element id; elements without one are left out."""
        return self._store.knowledge([e.id for e in elements], model, prompt)

    def keep(self, texts: Mapping[Element, str], model: str, prompt: str) -> None:
        """Store texts, replacing earlier ones. Raises CollectionLocked while another process writes."""
        rows = [
            {"element_id": e.id, "doc_id": e.doc_id, "model": model, "prompt": prompt, "text": text}
            for e, text in texts.items()
        ]
        if rows:
            with self._lock():
                self._store.keep_knowledge(rows)
