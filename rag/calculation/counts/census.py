"""Questions about the documents themselves: how many pages, tables, figures or sections they have, counted in code."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from indexing import Collection, Document, Element
from indexing.language import lexicon_words, lower_words
from rag.attribution.localize import boxes_of
from rag.calculation.counts.contents import appendices_of, contents_of
from rag.calculation.counts.tally import MOST_PAGES, PageTally, tally
from rag.question import PAGE_WORDS, hints_of
from rag.types import Citation, Evidence

INSIDE = 0.8
"""The least share of a picture that lies in another which holds it."""
MOST_CITED = 12
"""The most elements that are cited one by one."""
_ASKED = re.compile(
    r"^(?:and |so )?(?:how many|(?:what is |give |tell me )?the (?:total )?number of|count the)\s+([a-z]+)\b"
)
_NUMBERED = re.compile(
    r"(?:(?:chapter|section|part)\s)?(\d{1,2})[.:)]?\s+[^\W\d]|(?:chapter|section|part)\s(\d{1,2})\s*\Z", re.IGNORECASE
)
"""A heading of the first level that is numbered: "2 Method", "Chapter 3: The bay", "Chapter 4", but not "2.1 Data"."""
_TABLE = re.compile(r"\W{0,3}tab(?:le|elle|leau)?\b\.? ?[\dA-Z]", re.IGNORECASE)
"""The beginning of the caption of a numbered table."""
_FIGURE = re.compile(r"\W{0,3}fig(?:ure|\.)? ?(\d{1,3})(?:[:.]|\s*\Z)", re.IGNORECASE)
"""The beginning of the caption of a numbered figure, and its number."""
_KINDS = {
    **dict.fromkeys(("figure", "picture", "image", "illustration", "chart", "diagram", "graph", "photo"), "picture"),
    **dict.fromkeys(("section", "heading", "chapter"), "heading"),
    **dict.fromkeys(("formula", "equation"), "formula"),
    **dict.fromkeys(("document", "file"), "document"),
    **dict.fromkeys(("page", "slide"), "page"),
    **{kind: kind for kind in ("table", "footnote", "list", "appendix")},
}
"""The nouns that can be counted -> the kind of element, or page or document, that they mean."""
COUNTING_WORDS = frozenset(lexicon_words("counting_words"))
DOCUMENT_NOUNS = frozenset(lexicon_words("document_nouns"))
PLACE_WORDS = frozenset(lexicon_words("place_words"))
_PLURALS = {"formulae": "formula", "appendices": "appendix", "appendixes": "appendix"}
_OF_DOCUMENTS_ALONE = ("page", "chapter", "footnote", "appendix")
"""The nouns of what only documents have: "How many chapters does the Odyssey have?" asks about the one of that name."""
_ON_PAGES = ("picture", "table", "formula", "list", "footnote")
"""The kinds that are counted on the pages that a question names."""
_PARTS_TOLD = ("chapter", "appendix")
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
    kind, pages = _KINDS[noun], hints_of(_ASKED.sub("", question.lower())).pages
    several = re.search(r"\b(documents|papers|reports|files|pdfs|books|collection|all)\b", question.lower())
    if pages and (len(documents) > 1 or kind not in _ON_PAGES or max(pages) > documents[0].n_pages):
        return None
    if kind == "document":
        return ElementCount(len(documents), f"counted documents: {_names(documents)}")
    if len(documents) > 1 and not several:
        return None
    if kind == "page":
        lengths = ", ".join(f"{d.name} {d.n_pages}" for d in documents[:MOST_CITED])
        return ElementCount(sum(d.n_pages for d in documents), f"counted pages: {lengths}")
    return _within(noun, collection, documents, [n if n > 0 else documents[0].n_pages for n in pages])


def _within(
    noun: str, collection: Collection, documents: Sequence[Document], pages: Sequence[int]
) -> ElementCount | None:
    """Count what stands in documents, on some pages or on all; None where these are too many to be gone through."""
    if sum(d.n_pages for d in documents) > MOST_PAGES:
        return None
    counted = (_parts if noun in _PARTS_TOLD else _elements)(noun, collection, documents, pages)
    numbered = _figures(documents[0], collection) if noun == "figure" and len(documents) == 1 and not pages else None
    return numbered if numbered and (counted is None or numbered.number >= counted.number) else counted


def _figures(document: Document, collection: Collection) -> ElementCount | None:
    """Count the figures of a document by the numbers of their captions; None where one is left out.

    The layout model does not find every picture, nor take every caption for one.
    """
    by_number: dict[int, Element] = {}
    for element in collection.outlines(saying=r"(?i)^\W{0,3}fig"):
        match = _FIGURE.match(element.text)
        if element.doc_id == document.id and element.kind not in ("group", "picture") and match:
            by_number[int(match[1])] = element  # the last: a list of figures comes first
    if len(by_number) < 2 or sorted(by_number) != list(range(1, len(by_number) + 1)):
        return None
    pages = sorted({(e.doc_id, e.page) for e in by_number.values()})
    whole = {e.id: e for own in collection.elements_on(pages) for e in own}
    first = [whole[by_number[n].id] for n in sorted(by_number)[:MOST_CITED]]
    cited = tuple(
        Citation.of(Evidence(f"N{n}", e, document.name, 0.0), e.text, boxes_of(e, 0, len(e.text)))
        for n, e in enumerate(first, 1)
    )
    working = f"counted captions: Figure 1 to Figure {len(by_number)}{cited_part(len(cited), len(by_number))}"
    return ElementCount(len(by_number), working, cited)


def _parts(
    noun: str, collection: Collection, documents: Sequence[Document], pages: Sequence[int]
) -> ElementCount | None:
    """Count chapters, by headings with numbers or else by the contents, or appendices; None where they do not tell."""
    counted = _elements(noun, collection, documents, pages) if noun == "chapter" else None
    if counted is not None or len(documents) > 1:
        return counted
    (document,) = documents
    contents = contents_of(noun, document, collection) if noun == "chapter" else appendices_of(document, collection)
    if contents is None:
        return None
    cited_note = cited_part(min(len(contents.citations), MOST_CITED), len(contents.citations))
    working = f"counted {contents.where}: {contents.labels[0]} to {contents.labels[-1]}{cited_note}"
    return ElementCount(len(contents.labels), working, contents.citations[:MOST_CITED])


def _elements(
    noun: str, collection: Collection, documents: Sequence[Document], pages: Sequence[int]
) -> ElementCount | None:
    """Count elements, on some pages or on all, the first of which are cited.

    None for chapters where no headings have numbers, two have one (a manual of several books begins anew in each), or
    one is left out.
    """
    kind = _KINDS[noun]
    outlines = [e for e in collection.outlines(kind=kind) if not pages or e.page in pages]
    of_these = {d.id for d in documents}
    outlines = _apart(outlines, of_these) if kind == "picture" else [e for e in outlines if e.doc_id in of_these]
    ids = {e.id for e in outlines}
    tallies = ((tally(documents, outlines, way.counts), way) for way in _ways(kind))
    count, way = next((count, way) for count, way in tallies if count.number >= way.least)
    if noun == "chapter" and (way.called != _BY_NUMBER or not _in_order(outlines, count)):
        return None
    first = [pair for pair in count.elements(collection, MOST_CITED) if pair[1].id in ids and way.counts(pair[1])]
    cited = tuple(
        Citation.of(Evidence(f"N{n}", e, document.name, 0.0), e.text if kind == "heading" else "", ())
        for n, (document, e) in enumerate(first[:MOST_CITED], 1)
    )
    cited_note = cited_part(len(cited), count.number)
    return ElementCount(
        count.number, f"counted {way.called} on {_pages(count)}{_numbering_note(kind, outlines)}{cited_note}", cited
    )


def _numbering_note(kind: str, outlines: Sequence[Element]) -> str:
    """Return the words that say how many of the tables have a number; "" where all do, or hardly any."""
    number = sum(_TABLE.match(e.caption) is not None for e in outlines) if kind == "table" else 0
    return f"; {number} of them have a number" if 1 < number < len(outlines) else ""


def _apart(pictures: Sequence[Element], doc_ids: set[str]) -> list[Element]:
    """Return pictures of documents none of which is within another.

    Of one that holds several, with the text among them, these are meant, unless it has the caption.
    """
    pages: dict[tuple[str, int], list[Element]] = {}
    for picture in pictures:
        if picture.doc_id in doc_ids:
            pages.setdefault((picture.doc_id, picture.page), []).append(picture)
    result = [e for own in pages.values() for e in own if e.whole_image]
    for own in ([e for e in each if not e.whole_image] for each in pages.values()):
        held = {e.id: [o.id for o in own if o is not e and _holds(e, o)] for e in own}
        frames = {e.id for e in own if len(held[e.id]) > 1 and not e.caption}
        within = {key for frame, inner in held.items() if frame not in frames for key in inner}
        result += [e for e in own if e.id not in frames and e.id not in within]
    return result


def _holds(frame: Element, inner: Element) -> bool:
    return frame.bbox.area > inner.bbox.area and frame.bbox.overlap(inner.bbox) > INSIDE * inner.bbox.area


def _in_order(outlines: Sequence[Element], found: PageTally) -> bool:
    """Return True where the numbered headings of each document have each number from 1 on once, and leave none out."""
    numbers: dict[str, list[int]] = {document.id: [] for document, _, _ in found.pages}
    for heading in outlines:
        if heading.doc_id in numbers and (match := _NUMBERED.match(heading.text)):
            numbers[heading.doc_id].append(int(match[1] or match[2]))
    return all(sorted(own) == list(range(1, len(own) + 1)) for own in numbers.values())


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
    noun = match[1] if match[1] in _KINDS else _PLURALS.get(match[1], match[1].removesuffix("s"))
    tail = plain[match.end() :]
    rest = lower_words(tail)
    if pages := hints_of(tail).pages:
        placed = PLACE_WORDS | PAGE_WORDS | set(map(str, pages))
        rest = [word for word in rest if word not in placed]
    if named and DOCUMENT_NOUNS.isdisjoint(rest) and noun not in _OF_DOCUMENTS_ALONE:
        return None
    return noun if noun in _KINDS and all(word in COUNTING_WORDS or word in named for word in rest) else None


def _of_one_named(question: str, documents: Sequence[Document]) -> tuple[str | None, list[Document]]:
    """Return what a question wants counted in the one document that it names ("the tide gauge manual"), and that one.

    "The bay manual" is not the report of the bay where another document is called a manual.
    """
    meant = [d for d in documents if asked_for(question, _words_of(d))]
    if len(meant) != 1:
        return None, []
    called = DOCUMENT_NOUNS.intersection(lower_words(question)) - _words_of(meant[0])
    if any(called & _words_of(d) for d in documents if d is not meant[0]):
        return None, []
    return asked_for(question, _words_of(meant[0])), meant


def _words_of(document: Document) -> frozenset[str]:
    return frozenset(lower_words(f"{document.name} {document.title}"))


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
    listing = ", ".join(pages[:MOST_CITED])
    return f"page{'s' if len(pages) > 1 else ''} {listing}" + (f" and {more} more" if more > 0 else "")


def _names(documents: Sequence[Document]) -> str:
    more = len(documents) - MOST_CITED
    return ", ".join(d.name for d in documents[:MOST_CITED]) + (f" and {more} more" if more > 0 else "")
