"""Method visa: a vision model answers from whole pages and draws the box itself."""

from rag.methods.visa import boxes
from rag.methods.visa.method import VisaMethod

__all__ = ["VisaMethod", "boxes"]
