"""The reader's training: `python -m evaluation.fit reader`."""

from evaluation.fit.reader.cli import main

__all__ = ["main"]
