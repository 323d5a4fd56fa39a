"""Baselines: the systems that a user would pick instead of Vouch."""

from evaluation.baselines.exact_search import Everything, best, everything, recall
from evaluation.baselines.lance_exact import LancePages, Metric

__all__ = ["Everything", "LancePages", "Metric", "best", "everything", "recall"]
