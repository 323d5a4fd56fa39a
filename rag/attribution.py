"""A sentence and the evidence that it names -> the sentence with its verdict and the boxes that prove it.

Where checking and localizing meet: verify each citation, repair once, box what is proven.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from indexing import Element
from rag.extractive import Quote
from rag.localize import boxes_of, localize
from rag.types import Citation, Evidence, Sentence
from rag.verify import Check, Judge, repair, verify


def quoted(quote: Quote, around: Sequence[Element]) -> Sentence:
    """A quote as a sentence with its citation; verbatim, so supported. A caption is cited with its figure.

    `around` are the elements of its page.
    """
    evidence = quote.evidence
    element = evidence.element
    boxes = boxes_of(element, quote.start, quote.end)
    if element.kind == "caption":
        groups = [e for e in around if e.kind == "group" and element.id in e.parts]
        if groups:
            evidence = replace(evidence, element=min(groups, key=lambda e: len(e.parts)))
    return Sentence(quote.text, (Citation.of(evidence, quote.text, boxes),), "supported", "quoted word for word")


def attributed(
    text: str, cited: Sequence[Evidence], evidence: Sequence[Evidence], judge: Judge | None = None
) -> Sentence:
    """A sentence with those of its citations that prove it.

    `cited` is what it names, `evidence` all that was retrieved. A sentence that nothing it names proves is pointed once
    to the evidence that proves it best; if none does it stays, unsupported and without a citation. Where one citation
    proves it, those that prove it in part add nothing and are dropped, as is naming the same element twice. A sentence
    that names nothing, and that nothing proves, is unchecked.
    """
    checks = [(item, verify(text, item.element, judge=judge)) for item in _each_once(cited)]
    proven = [(item, check) for item, check in checks if check.verdict != "unsupported"]
    if not proven:
        again = repair(text, [item.element for item in evidence], judge=judge)
        if again is not None and again[1].verdict != "unsupported":
            proven = [(evidence[again[0]], again[1])]
    if not proven:
        reason = checks[0][1].reason if checks else "it names no source"
        return Sentence(text, (), "unsupported" if checks else "unchecked", reason)
    best = max((check for _, check in proven), key=lambda check: check.score)
    kept = [(item, check) for item, check in proven if check.verdict == best.verdict]
    return Sentence(text, tuple(_citation(text, *pair) for pair in kept), best.verdict, best.reason)


def _citation(text: str, evidence: Evidence, check: Check) -> Citation:
    """Lines or cells inside the element; the element alone where these are not certain."""
    located = localize(text, evidence.element, check.spans)
    quote = " ".join(evidence.element.text[a:b] for a, b in check.spans)
    return Citation.of(evidence, quote, located.boxes, located.context)


def _each_once(cited: Sequence[Evidence]) -> list[Evidence]:
    return list({item.element.id: item for item in cited}.values())
