"""Benchmarks of conversion: the words of a known source that are found on its pages, and the time that takes."""
