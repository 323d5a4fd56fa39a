"""Quote the lines with the e-mail addresses, links and telephone numbers that a question asks for, by their form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from indexing import Collection, Document, Element, Hints
from indexing.language import STOPWORDS, lower_words
from rag.attribution import boxes_of
from rag.calculation import MOST_PAGES
from rag.methods.quote.form import plain_words
from rag.methods.quote.pieces import pieces
from rag.question import PAGE_WORDS
from rag.types import Citation, Evidence, Sentence

MOST_QUESTION, MOST_CHARS = 160, 2000
"""The most characters of a question, and of an element, that are looked at."""
LEAST_DIGITS = 7
"""The least digits of a telephone number."""
MOST_READ, MOST_QUOTED = 40, 3
"""The pages with something like an address that are read, the first, and the most lines that are quoted."""
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


def address_asked(question: str) -> tuple[str, list[str]] | None:
    """Return the kind of address that a question asks for and the rest of its words; None for other questions.

    >>> address_asked("What is the e-mail address of the harbour?")
    ('mail', ['of', 'the', 'harbour'])
    """
    match = _ADDRESS_ASKED.fullmatch(question) if len(question) <= MOST_QUESTION else None
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
    hits = own[:1] or hits
    lines: dict[str, tuple[Sentence, Evidence]] = {}
    for element, (start, end) in hits:
        first, last = next(((a, b) for a, b in pieces(element) if a <= start and end <= b), (start, end))
        item = Evidence(f"D{len(lines) + 1}", element, names[element.doc_id], 0.0)
        citation = Citation.of(item, element.text[first:last], boxes_of(element, first, last))
        short = (start - first, end - first)
        if citation.quote in lines:  # of several addresses in one line none is the answer by itself
            continue
        several = sum(e is element and first <= a < last for e, (a, _) in hits) > 1
        sentence = Sentence(citation.quote, (citation,), "quoted", "an address, by its form")
        lines[citation.quote] = (sentence if several else replace(sentence, short=short), item)
    return list(lines.values())[:MOST_QUOTED]


def addresses_in(kind: str, element: Element) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of the addresses of a kind in an element; phone numbers need a word such as "call"."""
    text = element.text[:MOST_CHARS]
    if kind == "phone" and not _CALLED.search(text):
        return
    for match in ADDRESSES[kind][0].finditer(text):
        value = match[0].rstrip(".,;:")
        if kind != "phone" or sum(map(str.isdigit, value)) >= LEAST_DIGITS:
            yield match.start(), match.start() + len(value)
