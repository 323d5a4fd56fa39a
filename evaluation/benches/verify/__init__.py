"""Measure the verifier on pairs of sentence and evidence that are built to mislead it."""
