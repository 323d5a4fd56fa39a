"""Questions about the documents themselves: how many pages, tables, figures or sections they have, counted in code."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from indexing import Collection, Document, Element
from rag.calculation.counts.tally import MOST_PAGES, PageTally, tally
from rag.calculation.lexicon import ABOUT_IT, ONE_DOCUMENT
from rag.types import Citation, Evidence

MOST_CITED = 12
"""The most elements that are cited one by one."""
_ASKED = re.compile(
    r"^(?:and |so )?(?:how many|(?:what is |give |tell me )?the (?:total )?number of|count the)\s+([a-z]+)\b"
)
_NUMBERED = re.compile(r"(?:(?:chapter|section|part)\s)?(\d{1,2})[.:)]?\s+[^\W\d]", re.IGNORECASE)
"""A heading of the first level that is numbered: "2 Method", "Chapter 3: The bay", but not "2.1 Data"."""
_KINDS = {
    **dict.fromkeys(("figure", "picture", "image", "illustration", "chart", "diagram", "graph", "photo"), "picture"),
    **dict.fromkeys(("section", "heading", "chapter"), "heading"),
    **dict.fromkeys(("formula", "equation"), "formula"),
    **dict.fromkeys(("document", "file"), "document"),
    **{kind: kind for kind in ("page", "table", "footnote", "list")},
}
"""The nouns that can be counted -> the kind of element, or page or document, that they mean."""
_OF_DOCUMENTS_ALONE = ("page", "chapter", "footnote")
"""The nouns of what only documents have: "How many chapters does the Odyssey have?" asks about the one of that name."""
_BY_NUMBER = "numbered headings"


@dataclass(frozen=True, slots=True)
class ElementCount:
    """A number of pages, elements, documents or mentions, with the working in words and the places that can be shown.

    `named` is the answer where it is not the number itself but what was counted.
    """

    number: int
    working: str
    citations: tuple[Citation, ...] = ()
    named: str = ""


def element_count(question: str, collection: Collection, documents: Sequence[Document]) -> ElementCount | None:
    """Count what a question asks for in some documents; None for a question about what they say.

    One that asks about "this document" while there are several is not answered, nor is one about chapters where no
    heading has a number. Sections are the numbered headings of the first level, else all headings. Raises
    CollectionDamaged.
    """
    noun = asked_for(question)
    if noun is None:
        noun, documents = _of_one_named(question, documents)
    if noun is None or not documents:
        return None
    kind = _KINDS[noun]
    if kind == "document":
        return ElementCount(len(documents), f"counted documents: {_names(documents)}")
    several = re.search(r"\b(documents|papers|reports|files|pdfs|books|collection|all)\b", question.lower())
    if len(documents) > 1 and not several:
        return None
    if kind == "page":
        said = ", ".join(f"{d.name} {d.n_pages}" for d in documents[:MOST_CITED])
        return ElementCount(sum(d.n_pages for d in documents), f"counted pages: {said}")
    return _elements(collection, documents, noun) if sum(d.n_pages for d in documents) <= MOST_PAGES else None


def _elements(collection: Collection, documents: Sequence[Document], noun: str) -> ElementCount | None:
    """Count elements, the first of which are cited.

    None for chapters where no headings have numbers, or two have one: a manual of several books begins anew in each.
    """
    kind = _KINDS[noun]
    outlines = list(collection.outlines(kind=kind))
    tallies = ((tally(documents, outlines, way.counts), way) for way in _ways(kind))
    found, way = next((found, way) for found, way in tallies if found.number >= way.least)
    if noun == "chapter" and (way.called != _BY_NUMBER or _begins_anew(outlines, found)):
        return None
    first = [pair for pair in found.elements(collection, MOST_CITED) if pair[1].kind == kind and way.counts(pair[1])]
    cited = tuple(
        Citation.of(Evidence(f"N{n}", e, document.name, 0.0), e.text if kind == "heading" else "", ())
        for n, (document, e) in enumerate(first[:MOST_CITED], 1)
    )
    shown = cited_part(len(cited), found.number)
    return ElementCount(found.number, f"counted {way.called} on {_pages(found)}{shown}", cited)


def _begins_anew(outlines: Sequence[Element], found: PageTally) -> bool:
    """Return True where two numbered headings of a document have the same number."""
    documents = {document.id for document, _, _ in found.pages}
    numbers = Counter(
        (e.doc_id, match[1]) for e in outlines if e.doc_id in documents and (match := _NUMBERED.match(e.text))
    )
    return max(numbers.values(), default=0) > 1


def cited_part(cited: int, found: int) -> str:
    """Return the words that say that only the first `cited` of the places `found` are cited; "" where all are."""
    return f"; the first {cited} are cited" if found > cited else ""


def asked_for(question: str, named: frozenset[str] = frozenset()) -> str | None:
    """Return the noun, in the singular, that a question wants counted in documents; None for another question.

    The question may call a document by `named`, words of its name and title, and must then say what it is ("manual"),
    unless nothing but a document has such things.
    """
    plain = " ".join(question.lower().split()).strip(" ?.!")
    match = _ASKED.match(plain)
    if match is None:
        return None
    noun = match[1] if match[1] in _KINDS else {"formulae": "formula"}.get(match[1], match[1].removesuffix("s"))
    rest = re.findall(r"[^\W_]+", plain[match.end() :])
    if named and ONE_DOCUMENT.isdisjoint(rest) and noun not in _OF_DOCUMENTS_ALONE:
        return None
    return noun if noun in _KINDS and all(word in ABOUT_IT or word in named for word in rest) else None


def _of_one_named(question: str, documents: Sequence[Document]) -> tuple[str | None, list[Document]]:
    """Return what a question wants counted in the one document that it names ("the tide gauge manual"), and that one.

    "The bay manual" is not the report of the bay where another document is called a manual.
    """
    meant = [d for d in documents if asked_for(question, _words_of(d))]
    if len(meant) != 1:
        return None, []
    called = ONE_DOCUMENT.intersection(re.findall(r"[^\W_]+", question.lower())) - _words_of(meant[0])
    if any(called & _words_of(d) for d in documents if d is not meant[0]):
        return None, []
    return asked_for(question, _words_of(meant[0])), meant


def _words_of(document: Document) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W_]+", f"{document.name} {document.title}".lower()))


@dataclass(frozen=True, slots=True)
class _Way:
    """A way to count elements of a kind: what those are called that count, which do, and how many there must be."""

    called: str
    counts: Callable[[Element], bool]
    least: int


def _ways(kind: str) -> list[_Way]:
    """Return the ways to count elements of a kind, the best first; the last counts all."""
    every = _Way({"formula": "formulas", "picture": "pictures"}.get(kind, f"{kind}s"), lambda _: True, 0)
    if kind == "heading":
        return [_Way(_BY_NUMBER, lambda e: _NUMBERED.match(e.text) is not None, 2), every]
    if kind == "picture":  # what is in an image, else the image
        captioned = _Way("figures with a caption", lambda e: bool(e.caption) and not e.whole_image, 1)
        return [captioned, _Way(every.called, lambda e: not e.whole_image, 1), every]
    return [every]


def _pages(found: PageTally) -> str:
    several = len({document.id for document, _, _ in found.pages}) > 1
    pages = [f"{document.name} {number}" if several else str(number) for document, number, _ in found.pages]
    if not pages:
        return "no page"
    more = len(pages) - MOST_CITED
    said = ", ".join(pages[:MOST_CITED])
    return f"page{'s' if len(pages) > 1 else ''} {said}" + (f" and {more} more" if more > 0 else "")


def _names(documents: Sequence[Document]) -> str:
    more = len(documents) - MOST_CITED
    return ", ".join(d.name for d in documents[:MOST_CITED]) + (f" and {more} more" if more > 0 else "")
