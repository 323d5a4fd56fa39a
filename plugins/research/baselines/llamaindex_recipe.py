"""The recipe of a LlamaIndex user: pages as documents, a sentence splitter, MiniLM, a vector store, a retriever.

The store is LanceDB when `llama-index-vector-stores-lancedb` is there (it is in the extra `bench`), else LlamaIndex's
own, which keeps all vectors in memory and a copy on disk. One thing is kinder than the recipe: chunks have 256 tokens,
not 1,024, since MiniLM reads no more than that.
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from plugins.research.baselines.page_text import PageText
from plugins.research.baselines.sentence_vectors import SentenceEncoder

CHUNK_TOKENS = 256
OVERLAP = 20
INSTALL = "pip install 'vouch[bench]'"


def store_name() -> str | None:
    """Return the name of the store that the recipe will use; None when LlamaIndex is not installed."""
    if _missing("llama_index.core"):
        return None
    return "default store" if _missing("llama_index.vector_stores.lancedb") or _missing("pandas") else "LanceDB"


def recipe(
    pages: Sequence[PageText], folder: Path, encoder: SentenceEncoder, limit: int
) -> Callable[[str, str | None], list[tuple[str, int]]]:
    """Index the pages into `folder` and return a search of them.

    It finds the pages of the best `limit` chunks, best first, in all documents or in one.
    """
    from llama_index.core import Document, StorageContext, VectorStoreIndex
    from llama_index.core.node_parser import SentenceSplitter
    from llama_index.core.vector_stores import MetadataFilter, MetadataFilters

    inner = ["document", "page"]
    documents = [
        Document(text=p.text, metadata={"document": p.doc_id, "page": p.number}, excluded_embed_metadata_keys=inner)
        for p in pages
        if p.text.strip()
    ]
    splitter = SentenceSplitter(chunk_size=CHUNK_TOKENS, chunk_overlap=OVERLAP)
    nodes = splitter.get_nodes_from_documents(documents)
    embedding = _embedding(encoder)
    if store_name() == "LanceDB":
        logging.getLogger("llama_index.vector_stores.lancedb").setLevel(logging.ERROR)
        lance = importlib.import_module("llama_index.vector_stores.lancedb")  # of an extra: mypy does without it
        context = StorageContext.from_defaults(vector_store=lance.LanceDBVectorStore(uri=str(folder)))
        index = VectorStoreIndex(nodes, embed_model=embedding, storage_context=context)
    else:
        index = VectorStoreIndex(nodes, embed_model=embedding)
        index.storage_context.persist(str(folder))

    def search(question: str, document: str | None) -> list[tuple[str, int]]:
        filters = MetadataFilters(filters=[MetadataFilter(key="document", value=document)]) if document else None
        found = index.as_retriever(similarity_top_k=limit, filters=filters).retrieve(question)
        return list(dict.fromkeys((n.node.metadata["document"], int(n.node.metadata["page"])) for n in found))

    return search


def _embedding(encoder: SentenceEncoder) -> Any:
    """Return our encoder as a LlamaIndex embedding; the class can only be made once LlamaIndex is imported."""
    from llama_index.core.base.embeddings.base import BaseEmbedding

    class MiniLMEmbedding(BaseEmbedding):
        """The embedding of all-MiniLM-L6-v2, one vector a text."""

        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            found: list[list[float]] = encoder.encode(texts).tolist()
            return found

        def _get_text_embedding(self, text: str) -> list[float]:
            return self._get_text_embeddings([text])[0]

        def _get_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embeddings([query])[0]

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_query_embedding(query)

    return MiniLMEmbedding(model_name="all-MiniLM-L6-v2", embed_batch_size=64)


def _missing(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is None
    except ModuleNotFoundError:
        return True
