"""Benchmarks of speed, memory and size: each prints our number beside a reference."""
