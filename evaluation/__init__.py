"""Benchmarks: each prints our number beside the reference a user would pick instead."""
