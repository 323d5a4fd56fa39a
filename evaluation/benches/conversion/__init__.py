"""Benchmarks of conversion: where the boxes of converted files stand, beside what is drawn."""
