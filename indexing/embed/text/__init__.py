"""Text embedders other than MiniLM: late-interaction checkpoints, and embedding servers."""

from indexing.embed.text.colbert import ColBERT
from indexing.embed.text.served import ServedEmbedder

__all__ = ["ColBERT", "ServedEmbedder"]
