"""Text embedders other than MiniLM: late-interaction checkpoints, embedding servers, and their fits."""

from indexing.embed.text.colbert import ColBERT
from indexing.embed.text.fit import CollectionFit, FitFile
from indexing.embed.text.served import ServedEmbedder

__all__ = ["ColBERT", "CollectionFit", "FitFile", "ServedEmbedder"]
