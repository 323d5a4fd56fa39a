"""Formats defined by others, in which an answer with its boxes can be written and read."""

from rag.formats.citevqa import SCALE, CitedRegion, Reading, Statement, read_citevqa, statements_of, write_citevqa

__all__ = ["SCALE", "CitedRegion", "Reading", "Statement", "read_citevqa", "statements_of", "write_citevqa"]
