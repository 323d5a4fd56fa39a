"""Caches of models' work: pages embedded before their document is published, and texts about elements.

A visual model can take seconds for a page, so the run after one that was stopped embeds only what is missing. Each page
is a file whose name has the id of its document, and a hash of the embedder and of all that it sees of the page.

The key of a text is its element, the model that wrote it and the version of its prompt. The texts of a document are
deleted with it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from indexing.embed import PageEmbedder, RegionVectors, VisualEmbedder, passage
from indexing.storage import FolderRoot
from indexing.types import SILENT_KINDS, BBox, Element, ParsedPage

if TYPE_CHECKING:
    from indexing.store.database import Store


_DIGEST = hashlib.sha256().digest_size


class EmbeddingCache:
    """The embedded pages in `place`, which is created with the first. `reused` counts those of earlier runs."""

    def __init__(self, place: FolderRoot, visual: VisualEmbedder | None) -> None:
        """Keep the place; nothing is cached for an embedder of words, which is as fast as reading a file."""
        self._place = place
        self._identity = ""
        if visual is not None and visual.visual_kind != "words":
            self._identity = f"{visual.name} {visual.fingerprint} {visual.dim}"
        self.reused = 0

    def embed(self, pages: Sequence[ParsedPage], embedder: PageEmbedder) -> list[RegionVectors]:
        """Return a multi-vector for each page, in order, cached or embedded by `embedder`. Raises DiskFull."""
        if not self._identity:
            return embedder.embed_pages(pages) if pages else []
        keys = [self._key(page) for page in pages]
        regions_by_key = {key: regions for key in dict.fromkeys(keys) if (regions := self._read(key)) is not None}
        self.reused += sum(key in regions_by_key for key in keys)
        missing = {key: page for key, page in zip(keys, pages, strict=True) if key not in regions_by_key}
        new_regions = embedder.embed_pages(list(missing.values())) if missing else []
        for key, regions in zip(missing, new_regions, strict=True):
            self._write(key, regions)
            regions_by_key[key] = regions
        return [regions_by_key[key] for key in keys]

    def forget(self, doc_ids: Iterable[str]) -> None:
        """Delete the pages of documents, also those that an earlier run has left."""
        for doc_id in doc_ids if self._identity else ():
            for file in list(self._place.files(f"{doc_id}-")):
                self._place.delete(file.key)

    def _key(self, page: ParsedPage) -> str:
        """Return the file name of a page: the id of its document, and a hash of all that its vectors depend on."""
        digest = hashlib.sha256(self._identity.encode("utf-8", "replace"))
        digest.update(hashlib.sha256(page.image).digest())
        for ordinal, element in enumerate(page.elements):
            if element.kind not in SILENT_KINDS:
                content = ordinal, element.kind, element.bbox.as_tuple(), element.whole_image, passage(element)
                digest.update(f"{content}".encode("utf-8", "replace"))
        return f"{page.page.doc_id}-{digest.hexdigest()[:40]}.page"

    def _read(self, key: str) -> RegionVectors | None:
        """Return the regions of a page; None if they are missing, or the file is damaged."""
        try:
            content = self._place.read(key)
        except OSError:
            return None
        if hashlib.sha256(content[_DIGEST:]).digest() != content[:_DIGEST]:
            return None
        with np.load(BytesIO(content[_DIGEST:]), allow_pickle=False) as arrays:
            boxes = tuple(BBox(*box) for box in arrays["boxes"].tolist())
            return RegionVectors(arrays["vectors"], arrays["counts"], boxes, arrays.get("owners"))

    def _write(self, key: str, regions: RegionVectors) -> None:
        boxes = np.array([box.as_tuple() for box in regions.boxes], np.float64).reshape(-1, 4)
        owners: dict[str, Any] = {} if regions.owners is None else {"owners": regions.owners}
        content = BytesIO()
        np.savez(content, vectors=regions.vectors, counts=regions.counts, boxes=boxes, **owners)
        arrays = content.getvalue()
        self._place.write(key, hashlib.sha256(arrays).digest() + arrays)


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
