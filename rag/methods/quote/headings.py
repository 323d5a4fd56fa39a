"""Headings that name, or ask, what a question asks: what stands below them answers, as a definition, steps or a list.

The steps of a deed are quoted as one, behind their heading, and so are the items of a list that is asked for by its
name. Each is cited, and so is the heading, which says what they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from itertools import takewhile

from indexing import Element, option_named, options_of
from rag.methods.quote.form import HOW_TO, MOST_WORDS, WORD, asks_how, plain_words, stem, wanted_of
from rag.methods.quote.pieces import Span, after_bullet
from rag.methods.quote.run_on import MOST_ITEMS, MOST_LISTED, SET_IN, SIDES, cited_part, listed
from rag.types import Evidence, Sentence

SAME = 0.75
"""The share of the words of a question and of a heading in both of them from which both ask the same."""
DEED = 0.6
"""The share of the words of "How do I ...?" that a heading has which names that deed."""
MOST_HEAD = 100
"""The characters of a piece in which the thing that it defines stands before a colon."""
MOST_THINGS = 16
"""The most items of a list that is asked for by its name."""
_OPPOSITES = (
    ("on", "off"), ("up", "down"), ("in", "out"), ("before", "after"), ("with", "without"), ("above", "below"),
    ("over", "under"), ("more", "less"), ("most", "least"),
)  # fmt: skip
"""Stop words that say the opposite of each other."""
_KINDS_TEXT = "option flag switch argument parameter command builtin function method variable setting field keyword"
_KINDS = frozenset(stem(w) for w in _KINDS_TEXT.split())
"""The words for what the name beside them is, in a question about it ("the shift builtin")."""
_VALUES = re.compile(r"\[[^\[\]]{0,200}\]|<[^<>]{0,200}>")
"""The arguments of a thing, as its heading has them: "shift [n]"."""
_PLURAL = re.compile(r"\s*what are the\b", re.IGNORECASE)
_STEPS = frozenset(stem(w) for w in ("steps", "needed", "need", "required", "necessary", "take"))
"""The words of "How many steps are needed to ...?" besides those of the deed."""
_HOW_MANY = re.compile(r"\W{0,9}how many steps\b", re.IGNORECASE)
_NUMBER = re.compile(r"(\d{1,2})[.):]?\s", re.ASCII)
"""The number that a step begins with."""


def heads_list(question: str, heading: str) -> bool:
    """Return True for the heading that is just the things of "What are the X?": the list below it tells them."""
    return bool(_PLURAL.match(question)) and heads_definition(question, heading)


def heads_definition(question: str, heading: str) -> bool:
    """Return True for the heading that is just the thing of "What is X?": what stands below it says what X is.

    The heading of an option has its values, too, and that of a command its arguments.
    """
    wanted = wanted_of(question).defined
    if wanted and option_named(heading):
        named = set(options_of(heading)).intersection(options_of(question))
        return bool(named) and set(wanted) <= _KINDS.union(stem(word) for o in named for word in WORD.findall(o))
    own = tuple(stem(word) for word in WORD.findall(_VALUES.sub(" ", heading)) if not word[0].isdigit())
    return bool(own) and (wanted == own or tuple(word for word in wanted if word not in _KINDS) == own)


def begins_definition(question: str, text: str) -> bool:
    """Return True for a piece that begins with the thing of "What is X?", or most of its name, and a colon.

    >>> begins_definition("What is the ferry port of call?", "Port of call: a place where boats stop.")
    True
    """
    wanted = wanted_of(question)
    head, colon, _ = text[:MOST_HEAD].partition(":")
    own = {stem(word) for word in WORD.findall(head)} if colon and not wanted.does else set()
    return bool(own) and own <= {*wanted.defined} and 2 * len(own) >= len(wanted.defined)


def asks_same(question: str, heading: str) -> bool:
    """Return True for a heading that asks what the question asks: what stands below it answers.

    So does what stands below the name of a deed, its verb among the words, where it is asked how to do that.

    >>> asks_same("How much does a ferry cost?", "2.3 How much do ferries cost?")
    True
    >>> asks_same("How do I moor a ferry at the quay?", "Mooring a ferry")
    True
    """
    if _turns_round(question, heading):
        return False
    asked, own = ({stem(word) for word in plain_words(text) if not word[0].isdigit()} for text in (question, heading))
    if heading.rstrip().endswith("?"):
        return len(asked & own) >= SAME * len(asked | own) > 0
    how = HOW_TO.search(question)
    asked -= _STEPS
    if how is None or not own <= asked or len(own) < max(2, DEED * len(asked)):
        return False
    return stem(how["deed"] or "") not in asked - own


def _turns_round(question: str, heading: str) -> bool:
    """Return True if one has the opposite of a little word that the other has: to switch off is not to switch on."""
    asked, own = ({word.lower() for word in WORD.findall(text)[:MOST_WORDS]} for text in (question, heading))
    return any(
        (one in asked and other in own - asked) or (other in asked and one in own - asked) for one, other in _OPPOSITES
    )


def names_subject(question: str, heading: str) -> bool:
    """Return True for a heading of one word, a name by its form ("TIDE_LIMIT", "tide2"), that the question has too."""
    words = heading.split()
    if len(words) != 1 or not (any(c.isdigit() or c == "_" for c in heading) or heading[1:] != heading[1:].lower()):
        return False
    return any(heading == word.strip("?.,:;!'\"()") for word in question.split())


def with_steps(
    sentence: Sentence, said: Evidence, question: str, around: Callable[[Element], Sequence[Element]]
) -> tuple[Sentence, list[Evidence]] | None:
    """Return a quote with all steps of which it is one, and the evidence of the others; None if it is no step.

    `around` gives the elements of its page, of the page before and of the page after, in reading order. Below the
    heading that names just the deed, the items of a list are its steps, and the text among them; mere text is an
    explanation. Below any other heading those that are numbered from 1 on are. The items of "What are the X?" stand
    below the heading "X".
    """
    if not asks_how(question) and not heads_list(question, " ".join(said.element.section[-1:])):
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


def counted_steps(question: str, sentence: Sentence) -> Sentence | None:
    """Return the number of the steps that `sentence`, by `with_steps`, tells; None where they are not asked for.

    Where some are numbered these count, else the items of the list.
    """
    if not _HOW_MANY.match(question):
        return None
    heading, *steps = sentence.citations
    numbered = sum(bool(_NUMBER.match(step.quote)) for step in steps)
    number = str(numbered or sum(step.kind == "list" for step in steps))
    text = f"{number} (counted the steps below “{heading.quote}”)."
    return replace(sentence, text=text, verdict="computed", reason="counted in the text", short=(0, len(number)))


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
        if deed is not None and heads_list(question, deed.text):
            items = [e for e in steps if e.kind == "list"]
            return _spans(deed, items, MOST_THINGS) if len(items) > 1 else []
        if deed is not None and asks_same(question, deed.text) and (spans := _spans(deed, steps)):
            return spans
    return _spans(heading, _numbered(element, below)) if heading and asks_how(question) else []


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


def _spans(heading: Element, steps: Sequence[Element], most: int = MOST_ITEMS) -> list[Span]:
    """Return the pieces to be quoted, none if these are no steps, or too many, or too long."""
    items = sum(e.kind == "list" or bool(_NUMBER.match(e.text)) for e in steps)
    if not 0 < len(steps) <= min(most, 2 * items):
        return []
    spans = [(heading, 0, len(heading.text.rstrip()))]
    spans += [(e, after_bullet(e.text, 0, len(e.text)), len(e.text.rstrip())) for e in steps]
    return spans if sum(len(e.text[a:b].split()) for e, a, b in spans) <= MOST_LISTED else []
