"""The figures of VISA (Ma et al. 2024, arXiv 2412.14457): short answers, and the one box that proves each.

Boxes are fractions of the page, origin top left. The figures are as the paper's text has them, and EM compares the
characters of two answers, as the authors do. What their code does with case and punctuation was not seen.
"""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.metrics import MEETS, PageBox, iou

MAX_DIFFERENCE = 20
"""The number of characters by which a short answer and the gold may differ in length."""


def relaxed_exact_match(gold: str, answer: str) -> bool:
    """Return EM of section 5: one is a subsequence of the other, and they differ by 20 characters at most.

    Characters are compared in their order, in lower case, with one blank between words. So a number matches one with
    further digits. An empty text matches nothing.

    >>> relaxed_exact_match("Albert Einstein", "It was Albert Einstein.")
    True
    >>> relaxed_exact_match("0.922", "0.92")
    True
    >>> relaxed_exact_match("1905", "Somewhere between the years 1899 and 1905")
    False
    """
    short, long = sorted((" ".join(gold.lower().split()), " ".join(answer.lower().split())), key=len)
    return bool(short) and len(long) - len(short) <= MAX_DIFFERENCE and is_subsequence(short, long)


def box_accuracy(gold: Sequence[PageBox], box: PageBox | None) -> float | None:
    """Return bounding box accuracy: 1 when the box meets the gold box on its page at IoU >= 0.5; None without gold.

    >>> box_accuracy([PageBox(1, (0, 0, 1, 1))], PageBox(1, (0, 0, 1, 0.5)))
    1.0
    """
    if not gold:
        return None
    return float(box is not None and any(box.place == g.place and iou(box.bbox, g.bbox) >= MEETS for g in gold))


def is_subsequence(short: str, long: str) -> bool:
    """Return True if all characters of `short` are in `long`, in the same order, with anything in between."""
    rest = iter(long)
    return all(character in rest for character in short)
