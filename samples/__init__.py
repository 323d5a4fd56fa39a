"""Vouch's own sample collection: original documents, their questions, and the code that sets both."""

import os
from pathlib import Path

# PyMuPDF imports onnxruntime where its layout package is installed, and onnxruntime calls home unless told not to.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

DOCUMENTS = Path(__file__).parent / "documents"
"""The folder of the sample documents; it lies in an installed Vouch too."""
