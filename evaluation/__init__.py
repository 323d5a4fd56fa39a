"""Benchmarks of the papers and of speed; each prints our number beside a reference."""

from typing import TYPE_CHECKING

import indexing  # noqa: F401  first: it tells ONNX Runtime, which pymupdf loads, to report to nobody
from indexing.late import late

if TYPE_CHECKING:
    from evaluation.arguments import above_zero, positive, share
    from evaluation.cli import main
    from evaluation.errors import HOPELESS, EvaluationError, GoldUnreadable, RunRefused, Unshowable
    from evaluation.progress import say

__all__ = [
    "HOPELESS",
    "EvaluationError",
    "GoldUnreadable",
    "RunRefused",
    "Unshowable",
    "above_zero",
    "main",
    "positive",
    "say",
    "share",
]

_LATE = (
    dict.fromkeys(("above_zero", "positive", "share"), "arguments")
    | dict.fromkeys(("HOPELESS", "EvaluationError", "GoldUnreadable", "RunRefused", "Unshowable"), "errors")
    | {"main": "cli", "say": "progress"}
)
__getattr__ = late("evaluation", _LATE)
