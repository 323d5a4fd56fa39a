"""References: fits the weights that read the fields of an entry, on entries printed from real records."""

from evaluation.fit.references.fitting import main

__all__ = ["main"]
