"""The steps below a heading that names a deed, where it is asked how to do that -> one quote of them all.

Each step is cited, and so is the heading, which says what they are the steps of.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import takewhile

from indexing import Element
from rag.attribution.localize import boxes_of
from rag.methods.quote.form import asks_how, asks_same
from rag.methods.quote.pieces import Span, after_bullet
from rag.types import Citation, Evidence, Sentence

MOST_STEPS = 9
"""The most steps that are quoted as one; longer instructions are looked at on their page."""
MOST_WORDS = 150
"""The most words of them, the heading's among them."""


def with_steps(
    sentence: Sentence, said: Evidence, question: str, around: Callable[[Element], Sequence[Element]]
) -> tuple[Sentence, list[Evidence]] | None:
    """Return a quote with all steps of which it is one, and the evidence of the others; None if it is no step.

    `around` gives the elements of its page, of the page before and of the page after, in reading order. Steps are the
    items of a list, and the text among them, between the heading and the next one; mere text is an explanation.
    """
    element = said.element
    if not (element.section and asks_how(question) and asks_same(question, element.section[-1])):
        return None
    near = around(element)
    own = next((n for n, e in enumerate(near) if e.id == element.id), 0)
    above = next((n for n in reversed(range(own)) if near[n].kind == "heading"), None)
    if above is None or near[above].text != element.section[-1]:
        return None
    below = takewhile(lambda e: e.kind != "heading", near[above + 1 :])
    steps = [e for e in below if e.kind in ("list", "text") and e.text.strip()]
    listed = sum(e.kind == "list" for e in steps)
    if not 0 < len(steps) <= min(MOST_STEPS, 2 * listed) or all(e.id != element.id for e in steps):
        return None
    spans: list[Span] = [(near[above], 0, len(near[above].text.rstrip()))]
    spans += [(e, after_bullet(e.text, 0, len(e.text)), len(e.text.rstrip())) for e in steps]
    if sum(len(e.text[a:b].split()) for e, a, b in spans) > MOST_WORDS:
        return None
    further = iter("abcdefghij")
    halves, citations = list[Evidence](), list[Citation]()
    for e, a, b in spans:
        evidence = said
        if e.id != element.id:
            evidence = replace(said, label=said.label + next(further), element=e)
            halves.append(evidence)
        citations.append(Citation.of(evidence, e.text[a:b], boxes_of(e, a, b)))
    head, *parts = [e.text[a:b] for e, a, b in spans]
    text = f"{head.removesuffix(':')}: {_in_a_row(parts)}"
    return replace(sentence, text=text, citations=tuple(citations)), halves


def _in_a_row(steps: Sequence[str]) -> str:
    """Return steps one after the other, with a semicolon where the one before ends without a sign."""
    first, *others = steps
    for step in others:
        first += f" {step}" if first.endswith((".", "!", "?", ":", ";", ",")) else f"; {step}"
    return first
