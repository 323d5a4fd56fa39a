"""Train the last layers of the text embedder: `python -m evaluation.fit embedder`."""

from evaluation.fit.embedder.cli import main

__all__ = ["main"]
