"""Train the last layers of the text embedder: `python -m plugins.research.fit embedder`."""

from plugins.research.fit.embedder.cli import main

__all__ = ["main"]
