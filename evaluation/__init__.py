"""Benchmarks: each prints our number beside the reference a user would pick instead."""

import indexing  # noqa: F401  first: it tells ONNX Runtime, which pymupdf loads, to report to nobody
