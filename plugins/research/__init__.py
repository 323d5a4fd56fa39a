"""Fit, fine-tune and examine models, and measure Vouch on the published benchmarks."""
