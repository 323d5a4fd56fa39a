"""The embedder's training: `python -m evaluation.fit embedder`."""

from evaluation.fit.embedder.cli import main

__all__ = ["main"]
