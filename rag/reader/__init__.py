"""The reader: a small network that says of a region whether it answers a question, where, and what it supports."""

from rag.reader.encoding import InputEncoder, ReaderInput, padded

__all__ = ["InputEncoder", "ReaderInput", "padded"]
