"""Questions about the documents themselves: how many pages, tables, figures or sections they have, counted in code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from indexing import Collection, Document, Element
from rag.calculation.lexicon import ABOUT_IT, ONE_DOCUMENT
from rag.types import Citation, Evidence

MOST_CITED = 12
"""The most elements that are cited one by one."""
MOST_PAGES = 400
"""The most pages whose elements are read, to tell figures with a caption from ornaments."""
_ASKED = re.compile(
    r"^(?:and |so )?(?:how many|(?:what is |give |tell me )?the (?:total )?number of|count the)\s+([a-z]+)\b"
)
_NUMBERED = re.compile(r"(?:(?:chapter|section|part)\s)?\d{1,2}[.:)]?\s+[^\W\d]", re.IGNORECASE)
"""A heading of the first level that is numbered: "2 Method", "Chapter 3: The bay", but not "2.1 Data"."""
_KINDS = {
    **dict.fromkeys(("figure", "picture", "image", "illustration", "chart", "diagram", "graph", "photo"), "picture"),
    **dict.fromkeys(("section", "heading", "chapter"), "heading"),
    **dict.fromkeys(("formula", "equation"), "formula"),
    **dict.fromkeys(("document", "file"), "document"),
    **{kind: kind for kind in ("page", "table", "footnote", "list")},
}
"""The nouns that can be counted -> the kind of element, or page or document, that they mean."""


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
    found, how = _elements(collection, documents, kind)
    if kind == "heading":
        numbered = [pair for pair in found if _NUMBERED.match(pair[1].text)]
        if len(numbered) > 1:
            found, how = numbered, "numbered headings"
        elif noun == "chapter":
            return None
    cited = tuple(
        Citation.of(Evidence(f"N{n}", e, name, 0.0), e.text if kind == "heading" else "", ())
        for n, (name, e) in enumerate(found[:MOST_CITED], 1)
    )
    return ElementCount(len(found), f"counted {how} on {_pages(found)}{cited_part(len(cited), len(found))}", cited)


def cited_part(cited: int, found: int) -> str:
    """Return the words that say that only the first `cited` of the places `found` are cited; "" where all are."""
    return f"; the first {cited} are cited" if found > cited else ""


def asked_for(question: str, named: frozenset[str] = frozenset()) -> str | None:
    """Return the noun, in the singular, that a question wants counted in documents; None for another question.

    The question may call a document by `named`, words of its name and title, and by what it is.
    """
    plain = " ".join(question.lower().split()).strip(" ?.!")
    match = _ASKED.match(plain)
    if match is None:
        return None
    noun = match[1] if match[1] in _KINDS else {"formulae": "formula"}.get(match[1], match[1].removesuffix("s"))
    rest = re.findall(r"[^\W_]+", plain[match.end() :])
    if named and ONE_DOCUMENT.isdisjoint(rest):
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


def _elements(
    collection: Collection, documents: Sequence[Document], kind: str
) -> tuple[list[tuple[str, Element]], str]:
    """Return the elements of a kind with the names of their documents, in order; of pictures those with a caption."""
    names = {d.id: d.name for d in documents}
    keys = [key for part in collection.snapshots() for key in part.element_keys().to_pylist()]
    pages = sorted({(k["doc_id"], k["page"]) for k in keys if k["kind"] == kind and k["doc_id"] in names})
    read = zip(pages[:MOST_PAGES], collection.elements_on(pages[:MOST_PAGES]), strict=True)
    found = [(names[doc_id], e) for (doc_id, _), own in read for e in own if e.kind == kind]
    if kind != "picture":
        return found, {"table": "tables", "heading": "headings", "formula": "formulas"}.get(kind, f"{kind}s")
    found = [pair for pair in found if not pair[1].whole_image] or found  # what is in an image, else the image
    captioned = [pair for pair in found if pair[1].caption and not pair[1].whole_image]
    return (captioned, "figures with a caption") if captioned else (found, "pictures")


def _pages(found: Sequence[tuple[str, Element]]) -> str:
    pages = list(dict.fromkeys((name, e.page) for name, e in found))
    if not pages:
        return "no page"
    said = ", ".join(str(number) for _, number in pages[:MOST_CITED])
    more = len(pages) - MOST_CITED
    return f"page{'s' if len(pages) > 1 else ''} {said}" + (f" and {more} more" if more > 0 else "")


def _names(documents: Sequence[Document]) -> str:
    more = len(documents) - MOST_CITED
    return ", ".join(d.name for d in documents[:MOST_CITED]) + (f" and {more} more" if more > 0 else "")
