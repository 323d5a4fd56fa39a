"""Import the package first: it silences onnxruntime, which comes in with PyMuPDF, before a test imports PyMuPDF."""

import indexing  # noqa: F401
