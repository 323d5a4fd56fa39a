"""A retriever for LlamaIndex pipelines. Imported at first use, as LlamaIndex takes seconds."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from indexing import Mode
from rag.pipeline import Pipeline
from rag.types import Evidence

SHOWN_TO_MODELS = ("document", "page")
"""The metadata of a node that go into prompts and embeddings; boxes and ids are for code."""


class VouchRetriever(BaseRetriever):
    """A retriever of elements of one collection, in mode text, image or multi; metadata hold element, page and box."""

    def __init__(
        self,
        pipeline: Pipeline,
        mode: Mode | None = None,
        *,
        documents: Sequence[str] = (),
        where: str | None = None,
        top_k: int | None = None,
    ) -> None:
        """Keep the options, which are as for `Pipeline.retrieve`; `documents` are ids, names or paths."""
        self._pipeline = pipeline
        self._mode = mode
        self._documents = tuple(documents)
        self._where = where
        self._top_k = top_k
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """Return the best elements, best first; an image of the query (`image_path`) is read, and searched for too."""
        _, results = self._pipeline.retrieve(
            query_bundle.query_str,
            mode=self._mode,
            documents=self._documents,
            where=self._where,
            top_k=self._top_k,
            image=query_bundle.image_path,
        )
        return [NodeWithScore(node=node_of(e), score=e.score) for e in results.evidence]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """Retrieve as `_retrieve` does, in a thread: searching must not hold up the event loop."""
        return await asyncio.to_thread(self._retrieve, query_bundle)


def node_of(evidence: Evidence) -> TextNode:
    """Return a node with the element's text; `bbox` is in fractions of the displayed page, origin top left.

    Pages count from 1. The node's metadata is the same for every search, so that LlamaIndex, which compares
    nodes by their metadata, fuses an element that two retrievers find.
    """
    element = evidence.element
    metadata = {
        "document": evidence.document,
        "page": element.page,
        "kind": element.kind,
        "section": " > ".join(element.section),
        "caption": element.caption,
        "bbox": list(element.bbox.as_tuple()),
        "element_id": element.id,
        "doc_id": element.doc_id,
    }
    hidden_keys = [key for key in metadata if key not in SHOWN_TO_MODELS]
    return TextNode(
        id_=element.id,
        text=element.text,
        metadata=metadata,
        excluded_embed_metadata_keys=hidden_keys,
        excluded_llm_metadata_keys=hidden_keys,
    )
