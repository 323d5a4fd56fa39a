"""The figures of MCiteBench (Hu et al. 2025, arXiv 2503.02589): how well sentences cite the given items.

Sentence and citation scores come from a judge; sources are compared with the gold without one. An answer whose
sentences cite nothing has 0 in every figure here. The published code leaves it out of every mean, those of the sources
too: its figures are of the answers that cite.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from evaluation.metrics import f1, mean, mean_of_all

RATINGS = (0, 1, 2)
"""The ratings of an answer (section 3.3, and the published prompts): wrong or irrelevant, in part or with significant

gaps, right. They are the same for locating and for explanation questions.
"""
SUPPORT = (0.0, 0.5, 1.0)
"""How far sources support a sentence: the paper's 0, 1, 2, halved. 1 means most of its information, 0.5 more than half
of it beside a part that is not supported.
"""


def accuracy(rating: float | None) -> float | None:
    """Return the accuracy of an answer: its rating of 0, 1 or 2, halved, so that it is a share; None without one.

    >>> accuracy(1)
    0.5
    """
    return None if rating is None else rating / max(RATINGS)


def citation_recall(sentences: Sequence[float | None]) -> float | None:
    """Return citation recall: the mean over sentences of how far their citations together support them: 0, 0.5, 1.

    A sentence that cites nothing has 0; the published code leaves it out, and is the mean over sentences that cite. It
    leaves out sentences without a judgement, too; ours is None as a whole then, as a mean over the others would be
    another figure. None without a sentence.

    >>> citation_recall([1.0, 0.5, 0.0])
    0.5
    """
    return mean_of_all(sentences)


def citation_precision(sentences: Sequence[Sequence[float | None]]) -> float | None:
    """Return citation precision: the share of a sentence's citations that support it (0 or 1 each), as a mean over
    sentences that cite. It is 0 when no sentence cites, where the published code has no precision, and so no F1; None
    without a sentence or where a judgement is missing.

    >>> citation_precision([[1.0, 0.0], [1.0], []])
    0.75
    """
    if not sentences or any(score is None for scores in sentences for score in scores):
        return None
    shares = [mean([s for s in scores if s is not None]) for scores in sentences if scores]
    return mean(shares) if shares else 0.0


def source_f1(gold: AbstractSet[str], cited: AbstractSet[str]) -> float | None:
    """Return source F1 of the cited items against the gold items, as sets; None without gold.

    >>> round(source_f1({"a", "b"}, {"a"}) or 0, 3)
    0.667
    """
    if not gold:
        return None
    common = len(gold & cited)
    return f1(common / len(cited) if cited else 0.0, common / len(gold))


def source_exact_match(gold: AbstractSet[str], cited: AbstractSet[str]) -> float | None:
    """Return source exact match: 1 when exactly the gold items are cited; None without gold.

    >>> source_exact_match({"a"}, {"a", "b"})
    0.0
    """
    return float(gold == cited) if gold else None
