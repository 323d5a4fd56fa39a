"""Describe figures, tables and texts with a model before any question is asked."""

from rag.knowledge.extract import Extractor, Knowledge, describe, with_knowledge
