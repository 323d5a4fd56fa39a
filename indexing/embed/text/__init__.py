"""Text embedders of one's own: late-interaction checkpoints, servers of single vectors, and what is fitted for them."""

from indexing.embed.text.colbert import ColBERT
from indexing.embed.text.fit import CollectionFit, FitFile
from indexing.embed.text.served import ServedEmbedder

__all__ = ["ColBERT", "CollectionFit", "FitFile", "ServedEmbedder"]
