"""The figures of CiteVQA (arXiv 2605.12882) beyond `evaluation.metrics`: pages of several documents, the strict figure.

Scores of judges are 0 to 5. `citation_recall` and `citation_precision` in `evaluation.metrics` take any gold boxes. The
paper gives them different ones (its appendix C.3): Rec, with SAA, is of the crucial boxes alone; Prec is of B_gt, the
crucial and the supplemental boxes together, since a citation of a supplemental box is no mistake; F1 is of these two
figures as they are reported. The published scoring code differs: it divides the gold boxes that were met by the number
of cited boxes and calls that precision, which exceeds 1 where one box meets two; it leaves precision and F1 out where
nothing was cited, and F1 where both are 0, where ours are 0; its page recall does not look at the document.
"""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.metrics import ENOUGH, PageBox, mean_of_all

GOOD = 4.0
"""The score of a judge from which an answer is right, and a citation relevant."""
BEST = 5.0


def page_recall(gold: Sequence[PageBox], cited: Sequence[PageBox]) -> float | None:
    """Return Page, the share of gold pages, each a page of a document, on which something is cited.

    >>> gold = [PageBox(3, (0, 0, 1, 1), 1), PageBox(3, (0, 0, 1, 1), 2)]
    >>> page_recall(gold, [PageBox(3, (0, 0, 0.1, 0.1), 1)])
    0.5
    """
    pages = {box.place for box in gold}
    return len(pages & {box.place for box in cited}) / len(pages) if pages else None


def relevance(pairs: Sequence[float | None]) -> float | None:
    """Return Rel, 0 to 5: the mean over the pairs (A_i, b_i) of a statement of the answer and a box that it cites, of
    how well the box supports the statement; 0 without a pair, None unless all are judged.

    >>> relevance([5.0, 2.0])
    3.5
    """
    return mean_of_all(pairs) if pairs else 0.0


def strict_attributed_accuracy(answer: float | None, relevance: float | None, recall: float | None) -> float | None:
    """Return SAA = [Ans >= 4 and (Rel >= 4 or Rec >= 0.6)]: right, and proven by relevant or gold places.

    It is None when the answer was not judged, and when it is right but the known scores of its proof do not decide.

    >>> strict_attributed_accuracy(5, 2, 0.6)
    1.0
    >>> strict_attributed_accuracy(3, 5, 1.0)
    0.0
    """
    if answer is None:
        return None
    if answer < GOOD:
        return 0.0
    if (relevance is not None and relevance >= GOOD) or (recall is not None and recall >= ENOUGH):
        return 1.0
    return None if relevance is None or recall is None else 0.0


def share(score: float | None) -> float | None:
    """Return a judge's score of 0 to 5 as a share of 1, as the paper's tables have it (in percent).

    >>> share(4)
    0.8
    """
    return None if score is None else score / BEST
