"""Measure where a vision-language model on this machine looks while it answers."""

from evaluation.attention import cli

__all__ = ["cli"]
