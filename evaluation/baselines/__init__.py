"""Run the systems that a user could choose instead of Vouch on the same data."""

from evaluation.baselines.exact_search import Everything, best, everything, recall
from evaluation.baselines.lance_exact import LancePages, Metric

__all__ = ["Everything", "LancePages", "Metric", "best", "everything", "recall"]
