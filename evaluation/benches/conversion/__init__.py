"""Benchmarks of what is made readable: words of a known source that are found on its pages, sheets that were turned."""
