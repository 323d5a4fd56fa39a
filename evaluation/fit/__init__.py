"""Fits of the parameters that Vouch has learnt from data: `python -m evaluation.fit`."""
