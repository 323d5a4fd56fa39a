"""Fit, fine-tune and examine models, make benchmark data, and measure what others would take instead."""
