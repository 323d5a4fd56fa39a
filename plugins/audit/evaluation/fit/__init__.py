"""Fit the weights that parse the fields of a reference, on entries printed from real records."""

from plugins.audit.evaluation.fit.fitting import main

__all__ = ["main"]
