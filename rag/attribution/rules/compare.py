"""Compare a sentence with all the elements that it cites together: the public face of checking by words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from indexing import Element
from rag.attribution.claims import claimed, completed
from rag.attribution.sums import reckoned
from rag.attribution.verify import Difference, contradiction, verify_all

Outcome = Literal["confirmed", "open", "contradicted"]
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The outcome of comparing a sentence with the elements that it cites.

    `coverage` is the share (0 to 1) of the sentence that they say; `reason` is for people. `proofs` are the elements
    that prove it, by their index, with the (start, end) in their text; `against` is the index of the element that
    contradicts it and `difference` what it says instead. `missing` are the words that were not found.
    """

    outcome: Outcome
    reason: str
    coverage: float
    proofs: tuple[tuple[int, tuple[Span, ...]], ...] = ()
    against: int | None = None
    difference: Difference | None = None
    missing: tuple[str, ...] = ()


def compare(
    sentence: str, elements: Sequence[Element], *, about: Sequence[str] = (), context: Sequence[str] = ()
) -> Comparison:
    """Return whether the words of some elements, taken together, confirm or contradict a sentence, or leave it open.

    `about` is the question that it answers and what stands above it, `context` is said of all elements.
    """
    bare, mistake = reckoned(claimed(sentence))
    if mistake:
        return Comparison("open", mistake, 0.0)
    claim = completed(bare, about)
    checks = verify_all(claim, elements, context=context)
    proofs = tuple((n, check.spans) for n, check in enumerate(checks) if check.verdict == "supported")
    best = max(checks, key=lambda check: check.score, default=None)
    if best is None:
        return Comparison("open", "it cites nothing", 0.0)
    if proofs:
        return Comparison("confirmed", best.reason, best.score, proofs)
    found = contradiction(claim, [e for e in elements if e.source == "layer"], context)
    if found is not None and found[1].difference is not None:
        layer = [n for n, e in enumerate(elements) if e.source == "layer"]
        return Comparison("contradicted", found[1].reason, best.score, (), layer[found[0]], found[1].difference)
    spans = tuple((n, check.spans) for n, check in enumerate(checks) if check.spans)
    return Comparison("open", best.reason, best.score, spans)
