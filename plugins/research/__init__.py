"""Fit and examine models, and make benchmark data."""
