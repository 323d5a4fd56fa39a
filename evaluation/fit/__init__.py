"""Fit the parameters that Vouch learns from data: `python -m evaluation.fit`."""
