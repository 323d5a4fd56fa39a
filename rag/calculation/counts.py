"""Count what documents have (pages, tables, figures, sections) for a question that asks how many there are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from indexing import Collection, Document, Element
from indexing.language import lexicon_words, lower_words
from rag.question import PAGE_WORDS, hints_of
from rag.types import Citation, Evidence, Sentence

MOST_PAGES = 100_000
"""The most pages that are gone through for one question: some four seconds on two cores."""
MOST_CITED = 12
"""The most places that are cited, or named, one by one."""
_ASKED = re.compile(
    r"^(?:and |so )?(?:how many|(?:what is |give |tell me )?the (?:total )?number of|count the)\s+([a-z]+)\b"
)
_NUMBERED = re.compile(
    r"(?:(?:chapter|section|part)\s)?(\d{1,2})[.:)]?\s+[^\W\d]|(?:chapter|section|part)\s(\d{1,2})\s*\Z", re.IGNORECASE
)
"""A heading of the first level that is numbered: "2 Method", "Chapter 3: The bay", "Chapter 4", but not "2.1 Data"."""
_APPENDIX = re.compile(r"\W{0,3}(?:appendix|annex|anhang|annexe)\s{1,3}([A-Z\d]{1,3})(?!\w)", re.IGNORECASE)
"""The heading of an appendix, and its letter or number."""
_TABLE = re.compile(r"\W{0,3}tab(?:le|elle|leau)?\b\.? ?[\dA-Z]", re.IGNORECASE)
"""The beginning of the caption of a numbered table."""
_KINDS = {
    **dict.fromkeys(("figure", "picture", "image", "illustration", "chart", "diagram", "graph", "photo"), "picture"),
    **dict.fromkeys(("section", "heading", "chapter", "appendix"), "heading"),
    **dict.fromkeys(("formula", "equation"), "formula"),
    **dict.fromkeys(("document", "file"), "document"),
    **dict.fromkeys(("page", "slide"), "page"),
    **{kind: kind for kind in ("table", "footnote", "list")},
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


@dataclass(frozen=True, slots=True)
class PageTally:
    """Pages as (document, number from 1, count of what is counted there), in the order of documents and pages."""

    pages: tuple[tuple[Document, int, int], ...]

    @property
    def number(self) -> int:
        """The sum of the counts of all pages."""
        return sum(times for _, _, times in self.pages)

    def elements(self, collection: Collection, most: int = MOST_CITED) -> Iterator[tuple[Document, Element]]:
        """Yield (document, element) for all elements of the first `most` pages. Raises CollectionDamaged."""
        first = self.pages[:most]
        pages_read = collection.elements_on([(document.id, number) for document, number, _ in first])
        for (document, _, _), own in zip(first, pages_read, strict=True):
            yield from ((document, element) for element in own)


def tally(documents: Sequence[Document], elements: Iterable[Element], times: Callable[[Element], int]) -> PageTally:
    """Return the sums, by page, of `times(element)` over elements; elements of other documents do not count."""
    places = {document.id: at for at, document in enumerate(documents)}
    times_by_page: dict[tuple[int, int], int] = {}
    for element in elements:
        at = places.get(element.doc_id)
        if at is not None and (number := times(element)):
            times_by_page[at, element.page] = times_by_page.get((at, element.page), 0) + number
    return PageTally(tuple((documents[at], page, number) for (at, page), number in sorted(times_by_page.items())))


def count_sentence(
    answer: str, working: str, citations: tuple[Citation, ...] = (), manner: str = "counted in the catalogue"
) -> Sentence:
    """Return the sentence of a count, with its working in brackets; the count is marked as the short answer."""
    return Sentence(f"{answer} ({working}).", citations, "computed", manner, short=(0, len(answer)))


def element_count(question: str, collection: Collection, documents: Sequence[Document]) -> Sentence | None:
    """Return a sentence with the number of pages, tables, figures, ... that a question asks for; None for others.

    One that asks about "this document" while there are several is not answered, nor is one about chapters or appendices
    whose headings have no numbers, or leave one out. Sections are the numbered headings of the first level, else all
    headings. Raises CollectionDamaged.
    """
    noun = asked_for(question)
    if noun is None:
        noun, documents = _of_named_document(question, documents)
    if noun is None or not documents:
        return None
    kind, pages = _KINDS[noun], hints_of(_ASKED.sub("", question.lower())).pages
    several = re.search(r"\b(documents|papers|reports|files|pdfs|books|collection|all)\b", question.lower())
    if pages and (len(documents) > 1 or kind not in _ON_PAGES or max(pages) > documents[0].n_pages):
        return None
    if kind == "document":
        return count_sentence(str(len(documents)), f"counted documents: {list_names([d.name for d in documents])}")
    n_pages = sum(d.n_pages for d in documents)
    if (len(documents) > 1 and not several) or (n_pages > MOST_PAGES and kind != "page"):
        return None
    if kind == "page":
        return count_sentence(
            str(n_pages), f"counted pages: {list_names([f'{d.name} {d.n_pages}' for d in documents])}"
        )
    return _count_elements(noun, collection, documents, [n if n > 0 else documents[0].n_pages for n in pages])


def _count_elements(
    noun: str, collection: Collection, documents: Sequence[Document], pages: Sequence[int]
) -> Sentence | None:
    """Return the sentence that counts a kind of element, on some pages or on all if `pages` is empty; or None."""
    kind, own = _KINDS[noun], {document.id for document in documents}
    every = collection.outlines(kind=kind)
    outlines = [e for e in every if e.doc_id in own and (not pages or e.page in pages)]
    tallies = ((tally(documents, outlines, counts), label, counts, least) for label, least, counts in _ways(noun))
    count, label, counts, _ = next(way for way in tallies if way[0].number >= way[3])
    if noun in ("chapter", "appendix") and not (count.number and _in_order(noun, outlines, count)):
        return None
    first = [pair for pair in count.elements(collection) if pair[1].kind == kind and counts(pair[1])]
    citations = tuple(
        Citation.of(Evidence(f"N{n}", e, document.name, 0.0), e.text if kind == "heading" else "", ())
        for n, (document, e) in enumerate(first[:MOST_CITED], 1)
    )
    several = len({document.id for document, _, _ in count.pages}) > 1
    places = [f"{document.name} {number}" if several else str(number) for document, number, _ in count.pages]
    where = f"page{'s' if len(places) > 1 else ''} {list_names(places)}" if places else "no page"
    n_captioned = sum(kind == "table" and bool(_TABLE.match(e.caption)) for e in outlines)
    note = f"; {n_captioned} of them have a number" if 1 < n_captioned < len(outlines) else ""
    return count_sentence(
        str(count.number), f"counted {label} on {where}{note}{cited_part(len(citations), count.number)}", citations
    )


def _ways(noun: str) -> list[tuple[str, int, Callable[[Element], bool]]]:
    """Return ways to count as (name of what is counted, least count, test of an element); the first enough one is used.

    The last way has a least count of 0.
    """
    kind = _KINDS[noun]
    label = {"formula": "formulas", "picture": "pictures"}.get(kind, f"{kind}s")
    if noun == "appendix":
        return [("headings of appendices", 0, lambda e: bool(_APPENDIX.match(e.text)))]
    if noun == "chapter":
        return [("numbered headings", 0, lambda e: bool(_NUMBERED.match(e.text)))]
    if kind == "heading":
        return [("numbered headings", 2, lambda e: bool(_NUMBERED.match(e.text))), (label, 0, lambda _: True)]
    if kind == "picture":  # what is in an image, else the image
        return [
            ("figures with a caption", 1, lambda e: bool(e.caption) and not e.whole_image),
            (label, 1, lambda e: not e.whole_image),
            (label, 0, lambda _: True),
        ]
    return [(label, 0, lambda _: True)]


def _in_order(noun: str, outlines: Sequence[Element], count: PageTally) -> bool:
    """Return True if the headings of each document are numbered (or lettered) from the first on without a gap."""
    numbers: dict[str, list[str]] = {document.id: [] for document, _, _ in count.pages}
    for heading in outlines:
        match = (_APPENDIX if noun == "appendix" else _NUMBERED).match(heading.text)
        if heading.doc_id in numbers and match:
            numbers[heading.doc_id].append(next(filter(None, match.groups())).upper())
    return all(
        sorted(own) == [chr(ord("A") + n) for n in range(len(own))]
        or sorted(own, key=lambda n: n.zfill(3)) == [str(n + 1) for n in range(len(own))]
        for own in numbers.values()
    )


def list_names(names: Sequence[str]) -> str:
    """Return the first MOST_CITED names, joined by commas, and how many more there are."""
    more = len(names) - MOST_CITED
    return ", ".join(names[:MOST_CITED]) + (f" and {more} more" if more > 0 else "")


def cited_part(n_cited: int, total: int) -> str:
    """Return a note that only the first `n_cited` of `total` places are cited; "" if all are."""
    return f"; the first {n_cited} are cited" if total > n_cited else ""


def asked_for(question: str, names: frozenset[str] = frozenset()) -> str | None:
    """Return the noun, in the singular, that a question wants counted in documents; None for another question.

    The question may call a document by `names`, words of its name and title, and must then say what it is ("manual"),
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
        place_words = PLACE_WORDS | PAGE_WORDS | set(map(str, pages))
        rest = [word for word in rest if word not in place_words]
    if names and DOCUMENT_NOUNS.isdisjoint(rest) and noun not in _OF_DOCUMENTS_ALONE:
        return None
    return noun if noun in _KINDS and all(word in COUNTING_WORDS or word in names for word in rest) else None


def _of_named_document(question: str, documents: Sequence[Document]) -> tuple[str | None, list[Document]]:
    """Return the noun that a question wants counted, and the one document it names ("the tide gauge manual"), if any.

    "The bay manual" is not the report of the bay where another document is called a manual.
    """
    matches = [d for d in documents if asked_for(question, _words_of(d))]
    if len(matches) != 1:
        return None, []
    nouns = DOCUMENT_NOUNS.intersection(lower_words(question)) - _words_of(matches[0])
    if any(nouns & _words_of(d) for d in documents if d is not matches[0]):
        return None, []
    return asked_for(question, _words_of(matches[0])), matches


def _words_of(document: Document) -> frozenset[str]:
    return frozenset(lower_words(f"{document.name} {document.title}"))
