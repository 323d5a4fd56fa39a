"""Use a collection from LlamaIndex, as a retriever or a query engine (seconds to import)."""

from rag.llamaindex.query_engine import VouchQueryEngine
from rag.llamaindex.retriever import VouchRetriever

__all__ = ["VouchQueryEngine", "VouchRetriever"]
