"""Benchmarks of the papers and of speed; each prints our number beside a reference."""

import indexing  # noqa: F401  first: it tells ONNX Runtime, which pymupdf loads, to report to nobody
