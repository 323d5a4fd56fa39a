"""The steps of a deed, where it is asked how to do that -> one quote of them all, behind their heading.

Each step is cited, and so is the heading, which says what they are steps of.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from itertools import takewhile

from indexing import Element
from rag.methods.quote.form import asks_how, asks_same
from rag.methods.quote.pieces import Span, after_bullet
from rag.methods.quote.run_on import MOST_ITEMS, MOST_LISTED, SET_IN, SIDES, cited_part, listed
from rag.types import Evidence, Sentence

_NUMBER = re.compile(r"(\d{1,2})[.):]?\s", re.ASCII)
"""The number that a step begins with."""


def with_steps(
    sentence: Sentence, said: Evidence, question: str, around: Callable[[Element], Sequence[Element]]
) -> tuple[Sentence, list[Evidence]] | None:
    """Return a quote with all steps of which it is one, and the evidence of the others; None if it is no step.

    `around` gives the elements of its page, of the page before and of the page after, in reading order. Below the
    heading that names just the deed, the items of a list are its steps, and the text among them; mere text is an
    explanation. Below any other heading those that are numbered from 1 on are.
    """
    if not asks_how(question):
        return None
    near = around(said.element)
    element = _as_read(sentence.text, said.element, near)
    spans = _steps_of(element, near, question)
    if not spans:
        return None
    sides = iter(SIDES)
    cited = [cited_part(said, "" if span[0].id == said.element.id else next(sides), span) for span in spans]
    head, *parts = [citation.quote for _, citation in cited]
    text = f"{head.removesuffix(':')}: {reduce(listed, parts)}"
    citations = tuple(citation for _, citation in cited)
    return replace(sentence, text=text, citations=citations), [e for e, _ in cited if e.label != said.label]


def _as_read(text: str, element: Element, near: Sequence[Element]) -> Element:
    """Return the text that has the words of a picture, which may be a frame around a step and its drawing.

    Anything else comes back as it is.
    """
    if element.kind != "picture":
        return element
    same = (e for e in near if e.page == element.page and e.kind in ("list", "text") and text in e.text)
    return next(same, element)


def _steps_of(element: Element, near: Sequence[Element], question: str) -> list[Span]:
    """Return the heading of the steps of which an element is one, and the steps; none if it is no step."""
    heading, below = _section_of(element, near)
    for deed, steps in ((heading, below), _past_boxes(element, near)):
        if deed is not None and asks_same(question, deed.text) and (spans := _spans(deed, steps)):
            return spans
    return _spans(heading, _numbered(element, below)) if heading else []


def _past_boxes(element: Element, near: Sequence[Element]) -> tuple[Element | None, list[Element]]:
    """Return the heading that an element is not set out from, and the lists and texts of its page that are so, too.

    Between them may stand boxes, set in or beside, with headings of their own ("Caution").
    """
    own = next((n for n, e in enumerate(near) if e.id == element.id), 0)
    above = _governing(near, own)
    if above is None or near[above].page != element.page:
        return None, []
    heading = near[above]
    after = (
        n for n, e in enumerate(near) if n > above and e.kind == "heading" and e.bbox.x0 <= heading.bbox.x0 + SET_IN
    )
    end = next(after, len(near))
    below = [n for n in range(above + 1, end) if near[n].kind in ("list", "text") and near[n].page == heading.page]
    return heading, [near[n] for n in below if _governing(near, n) == above]


def _governing(near: Sequence[Element], place: int) -> int | None:
    """Return the place of the last heading before an element that does not begin right of it."""
    left = near[place].bbox.x0 + SET_IN
    return next((n for n in reversed(range(place)) if near[n].kind == "heading" and near[n].bbox.x0 <= left), None)


def _section_of(element: Element, near: Sequence[Element]) -> tuple[Element | None, list[Element]]:
    """Return the heading right above an element, and the lists and texts from there to the next heading."""
    own = next((n for n, e in enumerate(near) if e.id == element.id), 0)
    above = next((n for n in reversed(range(own)) if near[n].kind == "heading"), None)
    if above is None or not element.section or near[above].text != element.section[-1]:
        return None, []
    below = [e for e in takewhile(lambda e: e.kind != "heading", near[above + 1 :]) if e.kind in ("list", "text")]
    return (near[above], below) if any(e.id == element.id for e in below) else (None, [])


def _numbered(element: Element, below: Sequence[Element]) -> Sequence[Element]:
    """Return the run of elements numbered from 1 on that an element is part of, with the texts among them."""
    run: list[int] = []
    for n, each in enumerate(below):
        if number := _NUMBER.match(each.text):
            count = int(number[1])
            if count == 1 and any(e.id == element.id for e in below[:n]):
                break
            run = [n] if count == 1 else [*run, n] if run and count == len(run) + 1 else []
    steps = below[run[0] : run[-1] + 1] if len(run) > 1 else ()
    return steps if any(e.id == element.id for e in steps) else ()


def _spans(heading: Element, steps: Sequence[Element]) -> list[Span]:
    """Return the pieces to be quoted, none if these are no steps, or too many, or too long."""
    items = sum(e.kind == "list" or bool(_NUMBER.match(e.text)) for e in steps)
    if not 0 < len(steps) <= min(MOST_ITEMS, 2 * items):
        return []
    spans = [(heading, 0, len(heading.text.rstrip()))]
    spans += [(e, after_bullet(e.text, 0, len(e.text)), len(e.text.rstrip())) for e in steps]
    return spans if sum(len(e.text[a:b].split()) for e, a, b in spans) <= MOST_LISTED else []
