"""A sentence and the evidence that it names -> the sentence with its verdict and the boxes that prove it.

Checking and localizing meet here: verify each citation, repair once, box the proven places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from indexing import Element
from rag.attribution.localize import BY_WORDS
from rag.attribution.verify import Check, repair, verify_all
from rag.types import Citation, Evidence, Judge, Localizer, Sentence


def attributed(
    text: str,
    cited: Sequence[Evidence],
    evidence: Sequence[Evidence],
    judge: Judge | None = None,
    localizer: Localizer = BY_WORDS,
) -> Sentence:
    """Return a sentence with those of its citations that prove it, boxed by `localizer`.

    `cited` is the evidence it names, `evidence` all that was retrieved. A sentence that none of its citations proves is
    pointed once to the evidence that proves it best; if none does it stays, unsupported and without a citation. Where
    one citation proves it, those that prove it in part add nothing and are dropped; so is a second naming of the same
    element. A sentence that names nothing, and that nothing proves, is unchecked.
    """
    named = _each_once(cited)
    checks = list(zip(named, verify_all(text, [item.element for item in named], judge=judge), strict=True))
    proven = [(item, check) for item, check in checks if check.verdict != "unsupported"]
    if not proven:
        tried = {item.element.id for item in named}
        others = [item for item in evidence if item.element.id not in tried]
        again = repair(text, [item.element for item in others], judge=judge)
        if again is not None:
            proven = [(others[again[0]], again[1])]
    if not proven:
        reason = checks[0][1].reason if checks else "it names no source"
        return Sentence(text, (), "unsupported" if checks else "unchecked", reason)
    best = max((check for _, check in proven), key=lambda check: check.score)
    kept = [(item, check) for item, check in proven if check.verdict == best.verdict]
    return Sentence(text, tuple(_citation(text, *pair, localizer) for pair in kept), best.verdict, best.reason)


def relocated(sentence: Sentence, elements: Sequence[Element], localizer: Localizer) -> Sentence:
    """Return the sentence with its boxes as another localizer draws them.

    Only a sentence that is proven, even if in part, has any. `elements` are those that it cites, among others.
    """
    by_id = {e.id: e for e in elements}
    proven = sentence.verdict in ("quoted", "supported", "partial")
    citations = []
    for citation in sentence.citations:
        bare = replace(citation, boxes=(), context=())
        if proven and citation.element_id in by_id:
            located = localizer(citation.quote or sentence.text, by_id[citation.element_id])
            bare = replace(bare, boxes=located.boxes, context=located.context)
        citations.append(bare)
    return replace(sentence, citations=tuple(citations))


def _citation(text: str, evidence: Evidence, check: Check, localizer: Localizer) -> Citation:
    """Cite lines or cells inside the element; the element alone where these are not certain."""
    located = localizer(text, evidence.element, check.spans)
    quote = " ".join(evidence.element.text[a:b] for a, b in check.spans)
    return Citation.of(evidence, quote, located.boxes, located.context)


def _each_once(cited: Sequence[Evidence]) -> list[Evidence]:
    return list({item.element.id: item for item in cited}.values())
