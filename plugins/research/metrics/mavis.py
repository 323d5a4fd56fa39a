"""The figures of MAVIS (Song et al. 2025, arXiv 2511.12142): informativeness, groundedness and retrieval.

The answers are long and cite images, too. Scores of facts and sentences are 0, 0.5 or 1 by a judge: not, partially,
fully. Retrieval needs none (`plugins.research.metrics.ranking`).
"""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.metrics import f1, mean_of_all


def completeness(facts: Sequence[float | None]) -> float | None:
    """Return completeness: the mean over gold facts of how far the answer addresses them; None unless all are judged.

    A question without gold facts is left out; in the published code it has 0.

    >>> completeness([1.0, 0.5])
    0.75
    """
    return mean_of_all(facts)


def relevance(sentences: Sequence[float | None]) -> float | None:
    """Return relevance: the mean over sentences a_i of r(a_i, Q, I), how far they bear on the question Q and its image
    I; 0 for an empty answer.

    Every sentence is judged. The judge is shown the image, as the paper's r is a function of it, and the gold answer,
    as in the published code, which leaves the image out and judges only sentences that cite.

    >>> relevance([1.0, 0.0])
    0.5
    """
    return mean_of_all(sentences) if sentences else 0.0


def informativeness(complete: float | None, relevant: float | None) -> float | None:
    """Return informativeness: F1 of completeness (as recall) and relevance (as precision).

    >>> informativeness(0.5, 0.5)
    0.5
    """
    return f1(relevant, complete)


def grounded_recall(sentences: Sequence[float | None]) -> float | None:
    """Return groundedness recall of section 4.2: (1/n) times the sum over all n sentences of how far their citations
    together support them: 0, 0.5, 1. A sentence that cites nothing has 0, and so has an answer without a sentence.

    The published code takes the mean over sentences that cite, and only of questions with a gold answer of more than
    500 characters; here all are scored. It is None unless all are judged.

    >>> grounded_recall([1.0, 0.5, 0.0, 0.0])
    0.375
    """
    return mean_of_all(sentences) if sentences else 0.0


def grounded_precision(sentences: Sequence[Sequence[float | None]]) -> float | None:
    """Return groundedness precision of section 4.2: (1/n) times the sum over all n sentences of the mean over their
    documents, one by one. A sentence that cites nothing has 0; the published code leaves it out.

    >>> grounded_precision([[1.0, 0.0], [1.0], [], []])
    0.375
    """
    if not sentences:
        return 0.0
    return mean_of_all([mean_of_all(scores) if scores else 0.0 for scores in sentences])


def utilization(n_given: int, n_cited: int) -> float | None:
    """Return utilization of a modality: the share of its given documents that the answer cites; None without any.

    >>> utilization(4, 1)
    0.25
    """
    return n_cited / n_given if n_given else None
