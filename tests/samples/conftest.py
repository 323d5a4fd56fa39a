"""Import the package first: it silences onnxruntime, which comes in with PyMuPDF, before a test imports PyMuPDF."""

import samples  # noqa: F401
