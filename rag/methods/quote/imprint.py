"""The imprint of a document: when it was published, and which version it is. It is told by short lines of its front.

Most documents do not say "published"; a date stands alone on the cover, in the margin or under the title. Such a line
is quoted as it is, and that it is one is all that is claimed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from indexing import Element
from rag.attribution.claims import quantities
from rag.methods.quote.pieces import Span

Imprint = Literal["date", "version"]

ALONE = 10
"""The most words of a line whose date is that of the document, as it stands on the first page and says little else."""
MOST_WORDS, LAST_WORDS = 40, 24
"""The most words of what may have such a line on the first pages, and on the last: more are running text."""
BEFORE = 40
"""The characters before a date in which a word says that it is that of the publication, or of something else."""
MOST_CHARS = 2000
"""The characters of an element that are looked at, the first."""
_YEAR = r"(?:19|20)\d\d"
_PUBLISHED = re.compile(
    r"\b(?:for release|released?|publi(?:shed|cation)|issued|dated?|e?filed|updated|revised|revision|version|edition|"
    r"printed|(?:as|correct) at|stand|veröffentlicht|erschienen|ausgabe|publié)\b",
    re.IGNORECASE,
)
_ELSE = re.compile(
    r"\b(?:ended|ending|conducted|received|accepted|retrieved|accessed|since|until|by|"
    r"dates? of (?!publication|issue|release))\b",
    re.IGNORECASE,
)
_COPYRIGHT = re.compile(rf"(?:©|\(c\)|\bcopyright\b)[^.;\d]{{0,60}}(?:{_YEAR}\s?[–-]\s?)?{_YEAR}", re.IGNORECASE)
_VERSION = re.compile(
    r"\b(?:version|release|revision|rev\.|edition|ausgabe|fassung)(?: number| no\.| nr\.)?:? ?v?\d[\w.]{0,20}|"
    r"\b(?:\d{1,2}(?:st|nd|rd|th)|first|second|third|fourth|fifth) edition\b|\bv\d{1,3}(?:\.\d{1,5}){1,3}\b",
    re.IGNORECASE,
)
_APART = ("group", "picture", "table", "formula", "footnote")
_ASKED: tuple[tuple[Imprint, re.Pattern[str]], ...] = (
    ("date", re.compile(
        r"\W{0,9}when (?:was|were) (?:the |an? )?(?P<what>[^?]{1,80}?) (?:first |last |originally )?"
        r"(?:published|issued|written)\W{0,9}", re.IGNORECASE)),
    ("version", re.compile(
        r"\W{0,9}(?:what|which)(?:['’]s| is) the (?:current |latest )?(?:version|revision|edition)(?: number)? of "
        r"(?:the |an? )?(?P<what>[^?]{1,80}?)\W{0,9}", re.IGNORECASE)),
)  # fmt: skip
_QUESTION = 160
"""The most characters of a question that is looked at."""


def imprint_asked(question: str) -> tuple[Imprint, list[str]] | None:
    """Return what a question asks of the imprint of a thing, and the words for that thing; None for another question.

    >>> imprint_asked("When was the Odyssey published?")
    ('date', ['odyssey'])
    """
    if len(question) > _QUESTION:
        return None
    found = ((about, pattern.fullmatch(question)) for about, pattern in _ASKED)
    return next(((about, re.findall(r"[^\W_]+", match["what"].lower())) for about, match in found if match), None)


def imprint(about: Imprint, pages: Sequence[Sequence[Element]]) -> list[tuple[str, list[Span]]]:
    """Return the lines that tell it, each with the reason why it is taken: of the first page that has some, the surest.

    `pages` have all elements of the document's first pages and of its last, headers and footers among them.
    """
    for number, page in enumerate(pages):
        most = MOST_WORDS if page and page[0].page == number + 1 else LAST_WORDS
        own = [e for e in page if e.kind not in _APART and len(e.text[:MOST_CHARS].split()) <= most]
        found = list(_dates(own, first=number == 0) if about == "date" else _versions(own))
        if found:
            surest = max(sure for sure, _ in found)
            reason = "a line of its imprint" if surest > 1 else "a date that stands alone on its first page"
            return [(reason, [next(span for sure, span in found if sure == surest)])]
    for page in pages if about == "date" else ():
        for element in page:
            if element.kind != "group" and (match := _COPYRIGHT.search(element.text[:MOST_CHARS])):
                return [("the year of its copyright", [(element, *match.span())])]
    return []


def _dates(page: Sequence[Element], *, first: bool) -> Iterator[tuple[int, Span]]:
    """Yield the dates that may be the document's: 2 for one that a word says is, 1 for one that stands alone."""
    for element in page:
        text = element.text[:MOST_CHARS]
        for date in (one for one in quantities(text) if one.kind == "moment" and one.year and one.month):
            before = text[max(date.start - BEFORE, 0) : date.start]
            other = _ELSE.search(before)
            said = _PUBLISHED.search(before)
            if said and other is None:
                yield 2, (element, date.start - len(before) + said.start(), date.end)
            elif first and other is None and len(text.split()) <= ALONE:
                yield 1, (element, 0, len(text.rstrip()))


def _versions(page: Sequence[Element]) -> Iterator[tuple[int, Span]]:
    """Yield the versions that may be the document's: those of short lines, whole, before those of longer ones."""
    for element in page:
        text = element.text[:MOST_CHARS]
        if match := _VERSION.search(text):
            short = len(text.split()) <= ALONE
            yield (3, (element, 0, len(text.rstrip()))) if short else (2, (element, *match.span()))
