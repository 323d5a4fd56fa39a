"""Knowledge: descriptions extracted from figures and tables before any question was seen."""

from rag.knowledge.describe import describe
from rag.knowledge.extract import Extractor, Knowledge, with_knowledge

__all__ = ["Extractor", "Knowledge", "describe", "with_knowledge"]
