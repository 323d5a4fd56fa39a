"""Complete a quote that continues on another page, leads into a list or an indented line, or explains a term.

Each part is cited. So is the previous sentence of the same text if a quote begins with a pronoun.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce

import indexing as ix  # heads_term is taken from it when it is called: it loads the parser
from indexing import RAISED_DIGITS, Element, option_named
from indexing.language import lexicon_values, sentence_spans
from rag.attribution.localize import boxes_of
from rag.methods.quote.pieces import Span, after_bullet
from rag.types import Citation, Evidence, Sentence

HALF_WORDS = 5
"""The least words of a half that ends in the middle of a sentence; fewer are a label or a name."""
MOST_WORDS = 90
"""The most words of a sentence that is put together; with more, it is none."""
MOST_ITEMS, MOST_LISTED = 9, 150
"""The most items of a list that are quoted with what leads into it, or steps with their heading, and the most words of
all: a longer one is looked at on its page."""
SUBJECT_WORDS = 40
"""The most words of a sentence that is quoted with the one after it, which has a pronoun for its subject."""
MOST_TERM = 6
"""The most words of a heading that is quoted with the text that explains it ("1000-59999: Accounts of users.")."""
SET_IN, FARTHEST = 0.015, 0.02
"""How far a line that belongs to a text is set in, at least, and how far below it stands, in sizes of the page."""
MOST_APART = 30
"""The most words of a line set apart that goes on with a sentence."""
SIDES = "abcdefghijklmnopq"
"""The letters behind the label of a quote, one for each of its further parts: one more than there are items."""
_OPEN = re.compile(r"[^\W_]|[,;\-\u2010\u2011]")
_PRONOUN = re.compile(
    r"(?:It(?! (?:is|was) (?:worth|\w+ (?:to|that))\b)|They|He|She|"
    r"(?:This|These|That|Those) (?:is|are|was|were|has|have|had|can|could|will|would|may|might|must|should|does|do|"
    r"means?|includes?)) |"
    r"[^.!?;:]{0,40}\b(?:do|does|did|doing) (?:so\b|this(?:[,.]| (?:by|in|with|using|for|from|is|you|we|and)\b))"
)
"""A pronoun that a sentence begins with and that stands for something said before it, or "do this" at its beginning."""
_LEADS = re.compile(r"(?::|\b(?:are|were|include|includes|included))\s*\Z")
"""The end of what leads into a list, whatever its length."""
_NUMBERS = {word: value for word, value in lexicon_values("numbers", "en").items() if 2 <= value <= 9}
_DIGIT = re.compile(r"(?<![\w.,])[2-9](?![\w%]|[.,]\d)")
_COUNT = re.compile(rf"\b(?:{'|'.join(_NUMBERS)})\b", re.IGNORECASE)
_FOLLOWING = re.compile(
    r"\b(?:(?:the|these) following|as follows|(?:listed|described|shown|given) below)\b|"
    r"^there (?:are|is) (?:also |only )?(?:(?:a )?(?:few|couple|number|variety)|several|some|various|many|different)\b",
    re.IGNORECASE,
)
"""The words of a sentence that ends with a full stop and announces a list."""
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

    The rest is the other half in the next column or page, the list after a lead-in sentence ("It is due to:", "Boats
    must"), an indented line ("You can start it by", then "make tide"), or the term or option above that the quote
    explains. `span` is the quote in the text of the evidence `source`; `page` has the elements of its page in reading
    order, and `around` returns those of the page and of the pages before and after it. A complete quote is returned
    unchanged; without `term`, so is an explanation.
    """
    element, (start, end) = source.element, span
    last = end >= len(element.text.rstrip())
    before = element.kind == "text" and start == 0 and element.text[:1].islower()
    after = element.kind == "text" and last and _is_open(element.text[start:end])
    leads = element.kind in ("text", "list") and last and bool(_LEADS.search(element.text, start, end))
    stops = element.kind == "text" and last and element.text[end - 1] in ".?" and _announces(element.text[start:end])
    explains = term and element.kind == "text" and not before and bool(element.section)
    if not (before or after or leads or stops or explains):
        return sentence, []
    near = [e for e in (around(element) if before or after or leads or stops else page) if e.kind not in _APART]
    place = next((n for n, e in enumerate(near) if e.id == element.id), None)
    if place is None:
        return sentence, []
    front = _last_of(near[place - 1]) if before and place else None
    front = _term_of(near[:place], element) if explains else front
    behind = _following(element, near[place + 1 : place + 3], after=after) if after or leads else []
    spans = [s for s in (front, (element, start, end), *behind) if s is not None]
    words = sum(len(e.text[a:b].split()) for e, a, b in spans)
    items = _items_of(near[place + 1 :], MOST_LISTED - words) if (leads or after or stops) and not behind else []
    count = sum(e.kind == "list" for e, _, _ in items)
    items = [] if stops and not _announces(element.text[start:end], count) else items
    if (leads or stops) and not items and not behind:
        items = _items_by_headings(element, near[place + 1 :], _count_in(element.text[start:end]))
    if words > MOST_WORDS or len(spans) + len(items) < 2:
        return sentence, []
    halves = zip(SIDES, (front, *(behind or items)), strict=False)
    additions = [cite_half(source, side, half) for side, half in halves if half is not None]
    texts = [e.text[a:b] for e, a, b in spans]
    if explains and front is not None and not texts[0].endswith(":"):
        texts[0] += ":"
    text = reduce(lambda whole, half: _join_halves(whole, half, near), texts)
    if items:
        for n, (e, a, b) in enumerate(items):
            text = append_item(text, e.text[a:b]) if n and e.kind != "text" else f"{text} {e.text[a:b]}"
    own, parts = sentence.citations, [citation for _, citation in additions]
    return replace(sentence, text=text, citations=(*own[:1], *parts, *own[1:])), [evidence for evidence, _ in additions]


def with_next(spans: Sequence[tuple[int, int]], end: int) -> int:
    """Return the end of the piece after the one that ends at `end`: the reason of a thing is often told right after."""
    return next((b for a, b in spans if a >= end), end)


def with_subject(text: str, before: tuple[int, int] | None, start: int) -> int:
    """Return where the sentence `before` begins if the one at `start` begins with a pronoun: it says what that is.

    The rest of a sentence that another page or column begins does not.
    """
    if before is None or not _PRONOUN.match(text, start) or text[before[0]].islower():
        return start
    return before[0] if len(text[before[0] : start].split()) <= SUBJECT_WORDS else start


def cite_half(source: Evidence, side: str, span: Span) -> tuple[Evidence, Citation]:
    """Return the evidence of a part of a quote, with `side` appended to the label of `source`, and its citation."""
    element, start, end = span
    evidence = replace(source, label=source.label + side, element=element)
    return evidence, Citation.of(evidence, element.text[start:end], boxes_of(element, start, end))


def append_item(whole: str, item: str) -> str:
    """Return a text with one more item of a list, or one more step, at its end."""
    ends = (":", ";", ",", ".", "!", "?", " and", " or")
    return f"{whole} {item}" if whole.endswith(ends) else f"{whole}; {item}"


def _announces(text: str, items: int | None = None) -> bool:
    """Return True for a sentence that announces a list, such as a question, or that states its number of `items`.

    Without `items`, any number counts.

    >>> _announces("There are three ways to moor a boat.", 3), _announces("The three boats were moored.", 5)
    (True, False)
    """
    if items is not None and not 1 < items <= MOST_ITEMS:
        return False
    counts = {_NUMBERS[number.lower()] for number in _COUNT.findall(text)}
    announces = text.endswith("?") or bool(_FOLLOWING.search(text))
    return announces or bool(counts if items is None else items in counts)


def _is_open(text: str) -> bool:
    """Return True if a text ends in the middle of a sentence."""
    return len(text.split()) >= HALF_WORDS and bool(_OPEN.fullmatch(text.rstrip().rstrip(RAISED_DIGITS)[-1:]))


def _is_term(heading: Element, below: Element) -> bool:
    """Return True for a heading that what stands below it explains: of an option, of a term, or short with a colon."""
    text = heading.text.rstrip()
    if option_named(text) or ix.heads_term(heading, below):
        return True
    return text.endswith(":") and len(text.split()) <= MOST_TERM


def _term_of(near: Sequence[Element], element: Element) -> Span | None:
    """Return the term that an element explains: the last heading before it on its page, which stands right above it.

    Below that of an option of a command other text may stand between: all of it explains the option.
    """
    further = option_named(element.section[-1])
    above = next((n for n in reversed(range(len(near))) if near[n].kind == "heading" or not further), None)
    if above is None or (near[above].page, near[above].text) != (element.page, element.section[-1]):
        return None
    heading, below = near[above], [*near, element][above + 1]
    is_term = heading.kind == "heading" and _is_term(heading, below)
    return (heading, 0, len(heading.text.rstrip())) if is_term else None


def _last_of(element: Element) -> Span | None:
    """Return the unfinished sentence at the end of an element."""
    spans = sentence_spans(element.text) if element.kind == "text" else []
    return (element, *spans[-1]) if spans and _is_open(element.text[spans[-1][0] : spans[-1][1]]) else None


def _first_of(element: Element) -> Span | None:
    """Return the first sentence of an element if it goes on with one from before: it begins with a small letter."""
    spans = sentence_spans(element.text) if element.kind == "text" and element.text[:1].islower() else []
    return (element, *spans[0]) if spans else None


def _following(element: Element, below: Sequence[Element], *, after: bool) -> list[Span]:
    """Return the continuation of the last sentence of an element: an indented line, its other half, or both.

    With `after` the sentence is unfinished; else it ends with a colon, and only an indented line belongs to it.
    """
    apart = bool(below) and _is_apart(element, below[0], plain=not after)
    spans: list[Span] = [(below[0], 0, len(below[0].text.rstrip()))] if apart else []
    rest = _first_of(below[len(spans)]) if after and len(below) > len(spans) else None
    return [*spans, rest] if rest else spans


def _is_apart(element: Element, below: Element, *, plain: bool) -> bool:
    """Return True for an indented element right below another on its page: a line of code, a formula in words.

    Without `plain` it must not look like a sentence.
    """
    (left, _, right, foot), (inset, head, _, _) = element.bbox.as_tuple(), below.bbox.as_tuple()
    near = below.page == element.page and left + SET_IN <= inset < right and -SET_IN <= head - foot <= FARTHEST
    text = below.text.rstrip()
    sentence = text.endswith((".", "!", "?", ":", ";")) or text.count(" ") >= MOST_APART
    return near and below.kind in ("text", "heading") and bool(text) and (plain or not sentence)


def _items_of(elements: Sequence[Element], words: int) -> list[Span]:
    """Return the items of the list that these elements begin with, none if they are too many or have more words.

    The rest of an item that the next page or column begins with is a text, and comes right after it.
    """
    items: list[Element] = []
    for before, element in zip((None, *elements), elements, strict=False):
        if element.kind != "list" and not (before and before.kind == "list" and _goes_on(before, element)):
            break
        items.append(element)
    if len(items) > MOST_ITEMS or sum(len(e.text.split()) for e in items) > words:
        return []
    return [(e, after_bullet(e.text, 0, len(e.text)), len(e.text.rstrip())) for e in items]


def _count_in(text: str) -> int:
    """Return the number from two to nine in a text, as a word or a digit; 0 if there is none or more than one."""
    numbers = {_NUMBERS[word.lower()] for word in _COUNT.findall(text)} | {int(n) for n in _DIGIT.findall(text)}
    return numbers.pop() if len(numbers) == 1 else 0


def _items_by_headings(element: Element, elements: Sequence[Element], count: int) -> list[Span]:
    """Return the `count` headings that are the items a sentence announces, each with a text below it, or an empty list.

    They are on its page, begin right below it, and are aligned.
    """
    heads = [(n, e) for n, e in enumerate(elements) if e.kind == "heading" and e.page == element.page][:count]
    if not count or len(heads) < count or heads[0][0] > 0:
        return []
    left = heads[0][1].bbox.x0
    alike = all(abs(e.bbox.x0 - left) <= SET_IN and len(e.text.split()) <= 2 * MOST_TERM for _, e in heads)
    below = [elements[n + 1].kind if n + 1 < len(elements) else "" for n, _ in heads]
    return [(e, 0, len(e.text.rstrip())) for _, e in heads] if alike and {*below} <= {"text", "list"} else []


def _goes_on(item: Element, rest: Element) -> bool:
    """Return True for the rest of an item that stands on another page, or in another column."""
    apart = rest.page != item.page or rest.bbox.y0 < item.bbox.y0
    return rest.kind == "text" and apart and rest.text[:1].islower() and _is_open(item.text)


def _join_halves(first: str, second: str, near: Sequence[Element]) -> str:
    """Join two halves of a sentence, and a word that was hyphenated between them.

    The hyphen stays if the word is written with one elsewhere on the pages.
    """
    if first[-1] not in _HYPHENS:
        return f"{first} {second}"
    left, right = first[:-1].split()[-1:], second.split()[:1]
    compound = f"{''.join(left)}-{''.join(right)}".rstrip(".,;:")
    keeps = any(compound in e.text for e in near)
    return f"{first}{second}" if keeps else f"{first[:-1]}{second}"
