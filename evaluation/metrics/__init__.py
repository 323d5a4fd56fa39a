"""The metrics that several benchmarks share, those of MMDocIR, and the uncertainty of each."""

from evaluation.metrics import agreement
from evaluation.metrics.core import (
    ENOUGH,
    MEETS,
    PageBox,
    box_recall,
    citation_precision,
    citation_recall,
    cited_pages,
    containment,
    covered_area,
    f1,
    iou,
    layout_recall,
    macro,
    mean,
    mean_of_all,
    page_recall,
    quantile,
    quantile_error,
    standard_error,
    strict_accuracy,
)
from evaluation.metrics.resampling import PairedDifference, correlation_interval, difference, interval, interval_of
