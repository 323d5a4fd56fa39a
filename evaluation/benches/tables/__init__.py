"""Measure questions that code answers: over table cells, and by ratios of financial statements."""
