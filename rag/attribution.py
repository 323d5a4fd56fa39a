"""A sentence and the evidence that it names -> the sentence with its verdict and the boxes that prove it.

Where checking and localizing meet: verify each citation, repair once, box what is proven.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from indexing import BBox, Element
from rag.extractive import Cited
from rag.localize import boxes_of, localize
from rag.types import Citation, Evidence, Localizer, Sentence
from rag.verify import Check, Judge, repair, verify_all


def quoted(proofs: Cited, elements: Sequence[Element]) -> Sentence:
    """A quote as a sentence, verbatim and so supported; cited are the regions that it, or the same, stands in.

    Shown with it are, of a table, the heads of its cells; of a picture whose caption is quoted, that caption, which is
    among `elements`.
    """
    citations = []
    for quote, region in proofs:
        element = quote.evidence.element
        boxes = boxes_of(element, quote.start, quote.end)
        context: Sequence[BBox] = ()
        if element.cells:
            context = localize(quote.text, element, ((quote.start, quote.end),)).context
        elif quote.of_caption:
            context = _caption_boxes(element, elements)
        shown = replace(quote.evidence, element=region.element)
        citations.append(Citation.of(shown, quote.text, boxes, [c for c in context if c not in boxes]))
    return Sentence(proofs[0][0].text, tuple(citations), "supported", "quoted word for word")


def attributed(
    text: str,
    cited: Sequence[Evidence],
    evidence: Sequence[Evidence],
    judge: Judge | None = None,
    localizer: Localizer = localize,
) -> Sentence:
    """A sentence with those of its citations that prove it, boxed by `localizer`.

    `cited` is what it names, `evidence` all that was retrieved. A sentence that nothing it names proves is pointed once
    to the evidence that proves it best; if none does it stays, unsupported and without a citation. Where one citation
    proves it, those that prove it in part add nothing and are dropped, as is naming the same element twice. A sentence
    that names nothing, and that nothing proves, is unchecked.
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
    """The sentence with its boxes as another localizer draws them; only what is proven, even if in part, has any.

    `elements` are those that it cites, among others.
    """
    by_id = {e.id: e for e in elements}
    proven = sentence.verdict in ("supported", "partial")
    citations = []
    for citation in sentence.citations:
        bare = replace(citation, boxes=(), context=())
        if proven and citation.element_id in by_id:
            located = localizer(citation.quote or sentence.text, by_id[citation.element_id])
            bare = replace(bare, boxes=located.boxes, context=located.context)
        citations.append(bare)
    return replace(sentence, citations=tuple(citations))


def _caption_boxes(picture: Element, elements: Sequence[Element]) -> list[BBox]:
    """Where the lines of a picture's caption stand."""
    page = [e for e in elements if (e.doc_id, e.page, e.kind) == (picture.doc_id, picture.page, "caption")]
    return [box for e in page if e.text in picture.caption for box in boxes_of(e, 0, len(e.text))]


def _citation(text: str, evidence: Evidence, check: Check, localizer: Localizer) -> Citation:
    """Lines or cells inside the element; the element alone where these are not certain."""
    located = localizer(text, evidence.element, check.spans)
    quote = " ".join(evidence.element.text[a:b] for a, b in check.spans)
    return Citation.of(evidence, quote, located.boxes, located.context)


def _each_once(cited: Sequence[Evidence]) -> list[Evidence]:
    return list({item.element.id: item for item in cited}.values())
