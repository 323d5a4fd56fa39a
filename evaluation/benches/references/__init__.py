"""Measure how well bibliographies are split and parsed: `python -m evaluation.benches.references`."""

from evaluation.benches.references.tally import main, measure, tally

__all__ = ["main", "measure", "tally"]
