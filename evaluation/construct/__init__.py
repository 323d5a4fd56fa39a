"""Build benchmark data, and count what could not be made."""

from evaluation.construct.made import ConstructedRows

__all__ = ["ConstructedRows"]
