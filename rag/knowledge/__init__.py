"""Knowledge: what figures, tables and texts say, rewritten before any question was seen."""

from rag.knowledge.describe import describe
from rag.knowledge.extract import Extractor, Knowledge, with_knowledge

__all__ = ["Extractor", "Knowledge", "describe", "with_knowledge"]
