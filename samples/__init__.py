"""Vouch's own sample collection: seven original documents, and the questions with the boxes that answer them."""

from pathlib import Path

DOCUMENTS = Path(__file__).parent / "documents"
"""The folder of the sample documents; it lies in an installed Vouch too."""
