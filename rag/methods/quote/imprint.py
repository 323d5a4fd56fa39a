"""Find a document's date of publication, version, authors and contact addresses.

Dates and versions are short lines on the first pages, authors also sentences anywhere. Most documents do not say
"published": a date is alone on the cover, in the margin or below the title. Such a line is quoted as it is, and nothing
more is claimed. E-mail addresses, links and telephone numbers are recognized by their form, anywhere in a document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from indexing import Collection, Document, Element, Hints
from indexing.language import MODERN_YEAR, ORDINALS, STOPWORDS, lower_words, quantities, sentence_spans
from rag.attribution.localize import boxes_of
from rag.calculation import MOST_PAGES
from rag.methods.quote.form import plain_words
from rag.methods.quote.pieces import Span, pieces
from rag.question import PAGE_WORDS
from rag.types import Citation, Evidence, Sentence

Imprint = Literal["date", "version"]

ALONE = 10
"""The most words of a line whose date is that of the document, as it stands on the first page and says little else."""
MOST_WORDS, LAST_WORDS = 40, 24
"""The most words of what may have such a line on the first pages, and on the last: more are running text."""
BEFORE = 40
"""The characters before a date in which a word says that it is that of the publication, or of something else."""
MOST_CHARS = 2000
"""The characters of an element that are looked at, the first."""
SET_ALIKE = 0.7
"""The share of the height of the largest words from which another line of their page belongs to the title."""
LARGER, LARGEST = 1.3, 0.15
"""The least height of a title's letters in units of its page's usual ones, and the most as a share of the page."""
LEAST_DIGITS = 7
"""The least digits of a telephone number."""
MOST_READ, MOST_TOLD = 40, 3
"""The pages with something like an address that are read, the first, and the most addresses that are told."""
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
_COPYRIGHT = re.compile(
    rf"(?:©|\(c\)|\bcopyright\b)[^.;\d]{{0,60}}(?:{MODERN_YEAR}\s?[–-]\s?)?{MODERN_YEAR}", re.IGNORECASE
)
_VERSION = re.compile(
    r"\b(?:version|release|revision|rev\.|edition|ausgabe|fassung)(?: number| no\.| nr\.)?:? ?v?\d[\w.]{0,20}|"
    rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)|{'|'.join(ORDINALS)}) edition\b|\bv\d{{1,3}}(?:\.\d{{1,5}}){{1,3}}\b",
    re.IGNORECASE,
)
_LEGAL = re.compile(
    r"\b(?:copyright|licen[cs]ed?|lizenz|free software|freie software|logiciel libre|redistribut\w+|all rights|"
    r"warranty|permission (?:is|to)|alle rechte|tous droits)\b",
    re.IGNORECASE,
)
SUMMARY = re.compile(
    r"^\W*(?:\d+\W+)?(?:abstract|(?:executive )?summary|overview|introduction|about this \w+|(?:main|key) findings|"
    r"purpose|zusammenfassung|einleitung|überblick|résumé)\b",
    re.IGNORECASE,
)
"""The beginning of the heading of a summary, or of an introduction."""
_NUMBERED = re.compile(r"^\W*\d{1,2}(?:\.\d{1,2})*\.?\s+\w")
"""The beginning of the heading of a section with a number, which is no title."""
_APART = ("group", "picture", "table", "formula", "footnote")
_WRITTEN = re.compile(
    r"\b(?i:this|dieses|ce|cette) \w{1,20} (?:was|has been|is|wurde|a été|est) (?:\w{1,20} ){0,3}(?:"
    r"(?:written|authored|edited|maintained|compiled|prepared|geschrieben|verfasst|écrite?|rédigée?)"
    r"(?: [\wà']{1,20}){0,4} (?:by|von|par) [A-ZÀ-Þ]|von [A-ZÀ-Þ][^.!?]{1,200} (?:geschrieben|verfasst)\b)"
)
"""A sentence that says by whom the document that it stands in was written."""
_MAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")
_LINK = re.compile(r"(?:https?://|www\.)[^\s<>()\[\]|]{3,200}|\bdoi:? ?10\.\d{4,9}/[^\s<>|]{1,100}", re.IGNORECASE)
_DOI = re.compile(r"(?:https?://)?(?:dx\.)?doi(?:\.org/|:? ?)10\.", re.IGNORECASE)
_PHONE = re.compile(r"\+?\(?\d{1,4}\)?(?:[ ./-]{1,2}\(?\d{2,8}\)?){1,5}(?!\d)")
_CALLED = re.compile(r"\b(?:tel|telefon|telephone|phone|call|mobile|hotline|contact)\b|\+\d", re.IGNORECASE)
ADDRESSES: dict[str, tuple[re.Pattern[str], str]] = {
    "mail": (_MAIL, "@"),
    "link": (_LINK, r"(?i)https?://|www\.|doi"),
    "phone": (_PHONE, r"\d[ ./)-]{1,2}\(?\d"),
}
"""The forms of addresses, and a regular expression of Rust that finds the texts that may have them."""
_ABOUT = frozenset((
    "document", "paper", "article", "report", "book", "manual", "guide", "work", "publication", "brochure", "slides",
    "presentation", "page", "cover", "first", "second", "last", "author", "authors", "corresponding", "contact",
))  # fmt: skip
"""The words beside an address that say no more than that it is one of the document."""
_ADDRESS_ASKED = re.compile(
    r"\W{0,9}(?:what|which)(?:['’]s| is| are) (?:the |its |their |this )?(?:contact |official )?(?:"
    r"(?P<mail>e-?mails?(?: address(?:es)?)?)|(?P<phone>(?:tele)?phones?(?: numbers?)?)|"
    r"(?P<link>(?:web(?:site)?|internet) ?(?:links?|address(?:es)?|pages?)|urls?|websites?|homepage|doi))\b"
    r"(?P<rest>[^?]{0,100})\W{0,9}",
    re.IGNORECASE,
)
_QUESTION = 160
"""The most characters of a question that is looked at."""


def address_asked(question: str) -> tuple[str, list[str]] | None:
    """Return the kind of address that a question asks for and the rest of its words; None for other questions.

    >>> address_asked("What is the e-mail address of the harbour?")
    ('mail', ['of', 'the', 'harbour'])
    """
    match = _ADDRESS_ASKED.fullmatch(question) if len(question) <= _QUESTION else None
    if match is None:
        return None
    kind = next(kind for kind in ADDRESSES if match[kind])
    return kind, lower_words(match["rest"])


def addresses(
    question: str, documents: Sequence[Document], collection: Collection, hints: Hints
) -> list[tuple[Sentence, Evidence]]:
    """Return the lines with the addresses that a question asks for, each once; empty for other questions.

    Their elements have words of the question. Addresses on pages that the question names are preferred, and so is a DOI
    if the link to the work itself is asked for. Raises CollectionDamaged.
    """
    address = address_asked(question)
    if address is None or sum(document.n_pages for document in documents) > MOST_PAGES:
        return []
    kind, rest = address
    names = {document.id: document.name for document in documents}
    words = set(rest) - _ABOUT - STOPWORDS - PAGE_WORDS - set(map(str, hints.pages))
    places = {(e.doc_id, e.page) for e in collection.outlines(saying=ADDRESSES[kind][1]) if e.doc_id in names}
    elements = [e for own in collection.elements_on(sorted(places)[:MOST_READ]) for e in own if e.kind != "group"]
    hits = [(e, span) for e in elements for span in addresses_in(kind, e)]
    if words:
        hits = [(e, s) for e, s in hits if words & set(plain_words(f"{' '.join(e.section)} {e.text}"))]
    hits = [(e, s) for e, s in hits if e.page in hints.pages] or hits
    own = [(e, s) for e, s in hits if _DOI.match(e.text, *s)] if _ABOUT.intersection(rest) else []
    return _in_lines(own[:1] or hits, names, "an address, by its form")[:MOST_TOLD]


def _in_lines(
    places: Sequence[tuple[Element, tuple[int, int]]], names: Mapping[str, str], reason: str
) -> list[tuple[Sentence, Evidence]]:
    """Return the lines that contain the places, each once; if a line contains only one, that is its short answer."""
    lines: dict[str, tuple[Sentence, Evidence]] = {}
    for element, (start, end) in places:
        item = Evidence(f"D{len(lines) + 1}", element, names[element.doc_id], 0.0)
        line = _in_line(item, start, end, reason)
        previous = lines.get(line.text)
        if previous is None:
            lines[line.text] = (line, item)
        elif previous[0].short != line.short:
            lines[line.text] = (replace(previous[0], short=None), previous[1])
    return list(lines.values())


def _in_line(item: Evidence, start: int, end: int, reason: str) -> Sentence:
    """Return the line around `start` to `end` as a quote, with that span as its short answer."""
    element = item.element
    first, last = next(((a, b) for a, b in pieces(element) if a <= start and end <= b), (start, end))
    citation = Citation.of(item, element.text[first:last], boxes_of(element, first, last))
    return Sentence(citation.quote, (citation,), "quoted", reason, short=(start - first, end - first))


def addresses_in(kind: str, element: Element) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of the addresses of a kind in an element; phone numbers need a word such as "call"."""
    text = element.text[:MOST_CHARS]
    if kind == "phone" and not _CALLED.search(text):
        return
    for match in ADDRESSES[kind][0].finditer(text):
        value = match[0].rstrip(".,;:")
        if kind != "phone" or sum(map(str.isdigit, value)) >= LEAST_DIGITS:
            yield match.start(), match.start() + len(value)


def imprint(about: Imprint, pages: Sequence[Sequence[Element]]) -> list[tuple[str, list[Span]]]:
    """Return the line that states the date or version, with the reason: the surest one of the first page that has any.

    `pages` are all elements of the document's first pages and its last one, with headers and footers.
    """
    for number, page in enumerate(pages):
        most = MOST_WORDS if page and page[0].page == number + 1 else LAST_WORDS
        own = [e for e in page if e.kind not in _APART and len(e.text[:MOST_CHARS].split()) <= most]
        lines = list(_dates(own, first=number == 0) if about == "date" else _versions(own))
        if lines:
            surest = max(sure for sure, _ in lines)
            reason = "a line of its imprint" if surest > 1 else "a date that stands alone on its first page"
            return [(reason, [next(span for sure, span in lines if sure == surest)])]
    for page in pages if about == "date" else ():
        for element in page:
            if element.kind != "group" and (match := _COPYRIGHT.search(element.text[:MOST_CHARS])):
                return [("the year of its copyright", [(element, *match.span())])]
    return []


def is_legal(text: str) -> bool:
    """Return True for a text that says what one may do with a document, not what it is about."""
    return bool(_LEGAL.search(text[:MOST_CHARS]))


def version_in(text: str) -> tuple[int, int] | None:
    """Return (start, end) of the version that a line states, or None."""
    match = _VERSION.search(text)
    return match.span() if match else None


def date_in(text: str) -> tuple[int, int] | None:
    """Return (start, end) of the first date with a year that a line states, or None."""
    dates = (one for one in quantities(text[:MOST_CHARS]) if one.kind == "moment" and one.year)
    return next(((date.start, date.end) for date in dates), None)


def authorship_sentences(evidence: Sequence[Evidence]) -> list[Sentence]:
    """Return the first sentence such as "this manual was written by ...", in a list; an empty list without one."""
    for item in evidence:
        text = item.element.text[:MOST_CHARS]
        for start, end in sentence_spans(text) if item.element.kind == "text" else ():
            if _WRITTEN.search(text, start, end):
                citation = Citation.of(item, text[start:end], boxes_of(item.element, start, end))
                return [Sentence(text[start:end], (citation,), "quoted", "a sentence that says who wrote it")]
    return []


def title_of(front: Sequence[Sequence[Element]]) -> list[Element]:
    """Return the elements of the title: those in the largest letters of the first page, the first and what follows it.

    Headings come before other text, one of a single word only if it is larger; a title is larger than the rest of its
    page.
    """
    for page in front[:1]:
        usual = float(np.median([_height(e) for e in page if len(e.words)] or [0.0]))
        heights = _large(page, ("heading",), 2, usual) or max(
            _large(page, ("text", "caption"), 2, usual),
            _large(page, ("heading",), 1, usual),
            key=lambda found: max(found.values(), default=0.0),
        )
        heights = heights or _first(page)
        if heights:
            least = SET_ALIKE * max(heights.values())
            large = {key for key, height in heights.items() if height >= least}
            start = next(n for n, e in enumerate(page) if e.id in large)
            after = next((n for n, e in enumerate(page) if n > start and e.id not in large), len(page))
            return list(page[start:after])
    return []


def _large(page: Sequence[Element], kinds: Sequence[str], words: int, usual: float) -> dict[str, float]:
    """Return the ids of what may be a title, of these kinds and so many words or more, with the heights of its letters.

    `usual` is the height of the page's letters.
    """
    heights = {e.id: _height(e) for e in page if e.kind in kinds and _may_be_title(e, words)}
    return {key: height for key, height in heights.items() if LARGER * usual <= height <= LARGEST}


def _first(page: Sequence[Element]) -> dict[str, float]:
    """Return the id of the heading that a page begins with, if nothing that reads is larger, with its height."""
    largest = max((_height(e) for e in page[1:] if e.kind in ("heading", "text", "list")), default=0.0)
    heads = [e for e in page[:1] if e.kind == "heading" and _may_be_title(e, 1)]
    return {e.id: _height(e) for e in heads if _height(e) > largest}


def _height(element: Element) -> float:
    """Return the median height of an element's words, a fraction of the page; 0 without words."""
    boxes = element.words.boxes
    return float(np.median(boxes[:, 3] - boxes[:, 1])) if len(boxes) else 0.0


def _may_be_title(element: Element, words: int) -> bool:
    """Return True for so many words, or more, that are neither the heading of a section nor a whole sentence."""
    text = element.text.strip()
    if _NUMBERED.match(text) or (element.kind != "heading" and text.endswith(".")):
        return False
    if words == 1 and SUMMARY.match(text):
        return False
    return sum(c.isalpha() for c in text) >= len(text) / 2 and len(text.split()) >= words


def _dates(page: Sequence[Element], *, first: bool) -> Iterator[tuple[int, Span]]:
    """Yield possible dates of the document: with 2 if a word such as "published" says so, 1 for a line of its own."""
    for element in page:
        text = element.text[:MOST_CHARS]
        for date in (one for one in quantities(text) if one.kind == "moment" and one.year and one.month):
            before = text[max(date.start - BEFORE, 0) : date.start]
            other = _ELSE.search(before)
            cue = _PUBLISHED.search(before)
            if cue and other is None:
                yield 2, (element, date.start - len(before) + cue.start(), date.end)
            elif first and other is None and len(text.split()) <= ALONE:
                yield 1, (element, 0, len(text.rstrip()))


def _versions(page: Sequence[Element]) -> Iterator[tuple[int, Span]]:
    """Yield the versions that may be the document's: those of short lines, whole, before those of longer ones."""
    for element in page:
        text = element.text[:MOST_CHARS]
        if match := _VERSION.search(text):
            short = len(text.split()) <= ALONE
            yield (3, (element, 0, len(text.rstrip()))) if short else (2, (element, *match.span()))
