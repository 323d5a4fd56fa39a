"""Embedders: text or pixels -> multi-vectors, one file an embedder."""
