"""The figures that one paper alone defines, in a module of its name, and those of a ranking."""

from plugins.research.metrics import citevqa, mavis, mcitebench
from plugins.research.metrics.ranking import ndcg, recall_at, reciprocal_rank
from plugins.research.metrics.visa import box_accuracy, relaxed_exact_match
