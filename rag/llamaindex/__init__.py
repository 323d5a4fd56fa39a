"""The interfaces of LlamaIndex: a retriever and a query engine for a collection. It takes seconds to import."""

from rag.llamaindex.query_engine import VouchQueryEngine
from rag.llamaindex.retriever import VouchRetriever

__all__ = ["VouchQueryEngine", "VouchRetriever"]
