"""The metrics of six papers, the functions they share, and the uncertainty of each.

Figures that one paper alone defines stand in a module of its name.
"""

from evaluation.metrics import agreement, attention, citeaudit, citevqa, mavis, mcitebench, mmdocir, visa
from evaluation.metrics.attention import Shares, Span, distribution, item_shares, of_members, per_token
from evaluation.metrics.core import (
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
from evaluation.metrics.denotation import denotes
from evaluation.metrics.mmdocir import layout_recall, macro
from evaluation.metrics.ranking import ndcg, recall_at, reciprocal_rank
from evaluation.metrics.resampling import PairedDifference, correlation_interval, difference, interval, interval_of
from evaluation.metrics.visa import box_accuracy, relaxed_exact_match

__all__ = [
    "PageBox",
    "PairedDifference",
    "Shares",
    "Span",
    "agreement",
    "attention",
    "auroc",
    "box_accuracy",
    "box_recall",
    "citation_precision",
    "citation_recall",
    "citeaudit",
    "cited_pages",
    "citevqa",
    "containment",
    "correlation_interval",
    "denotes",
    "difference",
    "distribution",
    "f1",
    "interval",
    "interval_of",
    "iou",
    "item_shares",
    "layout_recall",
    "macro",
    "mavis",
    "mcitebench",
    "mean",
    "mmdocir",
    "ndcg",
    "of_members",
    "page_recall",
    "per_token",
    "quantile",
    "quantile_error",
    "recall_at",
    "reciprocal_rank",
    "relaxed_exact_match",
    "standard_error",
    "strict_accuracy",
    "visa",
]
