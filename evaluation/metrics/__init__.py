"""The metrics of six papers, the functions they share, and the uncertainty of each.

Figures that one paper alone defines stand in a module of its name.
"""

from evaluation.metrics import agreement, citevqa, mavis, mcitebench, mmdocir, visa
from evaluation.metrics.core import (
    MEETS,
    PageBox,
    auroc,
    box_recall,
    citation_precision,
    citation_recall,
    cited_pages,
    containment,
    f1,
    iou,
    mean,
    page_recall,
    quantile,
    quantile_error,
    standard_error,
    strict_accuracy,
)
from evaluation.metrics.mmdocir import layout_recall, macro
from evaluation.metrics.ranking import ndcg, recall_at, reciprocal_rank
from evaluation.metrics.resampling import PairedDifference, correlation_interval, difference, interval, interval_of
from evaluation.metrics.visa import box_accuracy, relaxed_exact_match

__all__ = [
    "MEETS",
    "PageBox",
    "PairedDifference",
    "agreement",
    "auroc",
    "box_accuracy",
    "box_recall",
    "citation_precision",
    "citation_recall",
    "cited_pages",
    "citevqa",
    "containment",
    "correlation_interval",
    "difference",
    "f1",
    "interval",
    "interval_of",
    "iou",
    "layout_recall",
    "macro",
    "mavis",
    "mcitebench",
    "mean",
    "mmdocir",
    "ndcg",
    "page_recall",
    "quantile",
    "quantile_error",
    "recall_at",
    "reciprocal_rank",
    "relaxed_exact_match",
    "standard_error",
    "strict_accuracy",
    "visa",
]
