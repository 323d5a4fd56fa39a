"""Complete a quote that continues on another page, leads into a list, or explains a term. Each part is cited."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from itertools import takewhile

import indexing as ix  # heads_term is taken from it when it is called: it loads the parser
from indexing import RAISED_DIGITS, Element, option_named
from indexing.language import sentence_spans
from rag.attribution import boxes_of
from rag.methods.quote.pieces import Span, after_bullet
from rag.types import Citation, Evidence, Sentence

HALF_WORDS = 5
"""The least words of a half that ends in the middle of a sentence; fewer are a label or a name."""
MOST_WORDS = 90
"""The most words of a sentence that is put together; with more, it is none."""
MOST_ITEMS, MOST_LISTED = 9, 150
"""The most items of a list that are quoted with what leads into it, and the most words of all: a longer one is looked
at on its page."""
MOST_TERM, MOST_TERM_WORDS = 6, 14
"""The most words of a heading that is quoted with the text that explains it ("1000-59999: Accounts of users."), and
of any line that names an option or a term."""
SIDES = "abcdefghijklmnopq"
"""The letters behind the label of a quote, one for each of its further parts: more than there are items."""
_OPEN = re.compile(r"[^\W_]|[,;\-\u2010\u2011]")
_LEADS = re.compile(r"(?::|\b(?:are|were|include|includes|included))\s*\Z")
"""The end of what leads into a list, whatever its length."""
_HYPHENS = "-\u2010\u2011"
_APART = frozenset({"picture", "table", "caption", "footnote", "formula", "header", "footer", "group"})
"""The kinds of element that may stand between two halves."""


def whole_sentence(
    sentence: Sentence,
    source: Evidence,
    span: tuple[int, int],
    page: Sequence[Element],
    around: Callable[[Element], Sequence[Element]],
    *,
    term: bool = True,
) -> tuple[Sentence, list[Evidence]]:
    """Return a quote with the rest of its sentence from other elements, and the evidence of that rest.

    The rest is the other half in the next column or page, the list after a lead-in sentence ("It is due to:"), or, if
    `term` is True, the term or option above that the quote explains. `span` is the quote in the text of the evidence
    `source`; `page` has the elements of its page in reading order, and `around` returns those of the page and of the
    pages before and after it. A complete quote is returned unchanged.
    """
    element, (start, end) = source.element, span
    last = end >= len(element.text.rstrip())
    before = element.kind == "text" and start == 0 and element.text[:1].islower()
    after = element.kind == "text" and last and _is_open(element.text[start:end])
    leads = element.kind in ("text", "list") and last and bool(_LEADS.search(element.text, start, end))
    explains = term and element.kind == "text" and not before and bool(element.section)
    names = term and element.kind in ("text", "list") and start == 0 and last
    if not (before or after or leads or explains or names):
        return sentence, []
    near = [e for e in (around(element) if before or after or leads else page) if e.kind not in _APART]
    place = next((n for n, e in enumerate(near) if e.id == element.id), 0)
    front = _last_of(near[place - 1]) if before and place else None
    front = _term_of(near[:place], element) if explains else front
    behind = _first_of(near[place + 1]) if after and place + 1 < len(near) else None
    explanation = _explanation_of(element, near[place + 1 :]) if names and front is None else None
    behind = behind or explanation
    halves = [half for half in (front, (element, start, end), behind) if half is not None]
    words = sum(len(e.text[a:b].split()) for e, a, b in halves)
    items = _items_of(near[place + 1 :], MOST_LISTED - words) if (leads or after) and behind is None else []
    if words > MOST_WORDS or len(halves) + len(items) < 2:
        return sentence, []
    texts = [e.text[a:b] for e, a, b in halves]
    if (explanation or (explains and front is not None)) and not texts[0].endswith(":"):
        texts[0] += ":"
    text = reduce(lambda first, second: _join(first, second, near), texts)
    item_texts = [e.text[a:b] for e, a, b in items]
    text = reduce(_append_item, item_texts[1:], " ".join([text, *item_texts[:1]]))
    parts = zip(SIDES, [*halves, *items], strict=False)
    additions = [_cite(source, side, half) for side, half in parts if half[0] is not element]
    own, more = sentence.citations, [citation for _, citation in additions]
    return replace(sentence, text=text, citations=(*own[:1], *more, *own[1:])), [evidence for evidence, _ in additions]


def _cite(source: Evidence, side: str, span: Span) -> tuple[Evidence, Citation]:
    """Return the evidence of a part of a quote, with `side` appended to the label of `source`, and its citation."""
    element, start, end = span
    evidence = replace(source, label=source.label + side, element=element)
    return evidence, Citation.of(evidence, element.text[start:end], boxes_of(element, start, end))


def _append_item(text: str, item: str) -> str:
    ends = (":", ";", ",", ".", "!", "?", " and", " or")
    return f"{text} {item}" if text.endswith(ends) else f"{text}; {item}"


def _is_open(text: str) -> bool:
    """Return True if a text ends in the middle of a sentence."""
    return len(text.split()) >= HALF_WORDS and bool(_OPEN.fullmatch(text.rstrip().rstrip(RAISED_DIGITS)[-1:]))


def _term_of(near: Sequence[Element], element: Element) -> Span | None:
    """Return the term that an element explains: the line right above it, if that names an option or a term.

    A heading does so if it is an option, below which other text may stand between, or short with a colon.
    """
    if not near:
        return None
    headings = (e for e in reversed(near) if e.kind == "heading")
    above = next(headings, near[-1]) if option_named(element.section[-1]) else near[-1]
    text = above.text.rstrip()
    if above.page != element.page or len(text.split()) > MOST_TERM_WORDS:
        return None
    is_term = above is near[-1] and ix.heads_term(above, element)
    if above.kind == "heading":
        short = text.endswith(":") and len(text.split()) <= MOST_TERM
        is_term = above.text == element.section[-1] and bool(is_term or option_named(text) or short)
    return (above, 0, len(text)) if is_term else None


def _explanation_of(element: Element, near: Sequence[Element]) -> Span | None:
    """Return the first sentence of the text that explains the term or option which an element names."""
    if not near or len(element.text.split()) > MOST_TERM_WORDS or not ix.heads_term(element, near[0]):
        return None
    spans = sentence_spans(near[0].text)
    return (near[0], *spans[0]) if spans else None


def _last_of(element: Element) -> Span | None:
    """Return the unfinished sentence at the end of an element."""
    spans = sentence_spans(element.text) if element.kind == "text" else []
    return (element, *spans[-1]) if spans and _is_open(element.text[spans[-1][0] : spans[-1][1]]) else None


def _first_of(element: Element) -> Span | None:
    """Return the first sentence of an element if it goes on with one from before: it begins with a small letter."""
    spans = sentence_spans(element.text) if element.kind == "text" and element.text[:1].islower() else []
    return (element, *spans[0]) if spans else None


def _items_of(elements: Sequence[Element], words: int) -> list[Span]:
    """Return the list items at the beginning of `elements`; [] for more than MOST_ITEMS, or than `words` words."""
    items = list(takewhile(lambda element: element.kind == "list", elements))
    if len(items) > MOST_ITEMS or sum(len(e.text.split()) for e in items) > words:
        return []
    return [(e, after_bullet(e.text, 0, len(e.text)), len(e.text.rstrip())) for e in items]


def _join(first: str, second: str, near: Sequence[Element]) -> str:
    """Return two halves of a sentence joined; a word that was hyphenated between them is put together.

    The hyphen stays if the word is written with one elsewhere on the pages.
    """
    if first[-1] not in _HYPHENS:
        return f"{first} {second}"
    left, right = first[:-1].split()[-1:], second.split()[:1]
    compound = f"{''.join(left)}-{''.join(right)}".rstrip(".,;:")
    keeps = any(compound in e.text for e in near)
    return f"{first}{second}" if keeps else f"{first[:-1]}{second}"
