"""Benchmarks of speed, memory and size, each beside a reference."""
