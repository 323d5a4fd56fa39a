"""Attention: the analysis of where a model on this machine looks while it answers."""

from evaluation.attention import cli

__all__ = ["cli"]
