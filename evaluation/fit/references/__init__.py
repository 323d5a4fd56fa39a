"""Fit the weights that parse the fields of a reference, on entries printed from real records."""

from evaluation.fit.references.fitting import main

__all__ = ["main"]
