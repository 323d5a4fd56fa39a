"""The figures of VISA (Ma et al. 2024, arXiv 2412.14457): short answers, and the one box that proves each.

Boxes are fractions of the page, origin top left. They are as the paper's text has them: scoring code of its authors
was not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from evaluation.metrics.core import MEETS, PageBox, iou

MAX_DIFFERENCE = 20
"""The number of characters by which a short answer and the gold may differ in length."""
_ARTICLES = frozenset({"a", "an", "the"})
_WORD = re.compile(r"\w+(?:[.,:/'’-]\w+)*")


def relaxed_exact_match(gold: str, said: str) -> bool:
    """Return EM of section 5: one is a subsequence of the other, and they differ by 20 characters at most.

    The words are compared in their order, case, articles and punctuation aside; the characters counted are those of
    these words, a blank between them. A text without words matches nothing.

    >>> relaxed_exact_match("Albert Einstein", "It was Albert Einstein.")
    True
    >>> relaxed_exact_match("1905", "Somewhere between the years 1899 and 1905")
    False
    """
    a, b = words(gold), words(said)
    if not a or not b or abs(len(" ".join(a)) - len(" ".join(b))) > MAX_DIFFERENCE:
        return False
    short, long = sorted((a, b), key=len)
    return is_subsequence(short, long)


def box_accuracy(gold: Sequence[PageBox], said: PageBox | None) -> float | None:
    """Return bounding box accuracy: 1 when the box meets the gold box on its page at IoU >= 0.5; None without gold.

    >>> box_accuracy([PageBox(1, (0, 0, 1, 1))], PageBox(1, (0, 0, 1, 0.5)))
    1.0
    """
    if not gold:
        return None
    return float(said is not None and any(said.place == g.place and iou(said.bbox, g.bbox) >= MEETS for g in gold))


def words(text: str) -> list[str]:
    """Return the words that are compared."""
    return [word for word in _WORD.findall(text.lower()) if word not in _ARTICLES]


def is_subsequence(short: Iterable[str], long: Sequence[str]) -> bool:
    """Return True if all of `short` stands in `long`, in its order, with anything in between."""
    rest = iter(long)
    return all(word in rest for word in short)
