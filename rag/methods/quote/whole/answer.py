"""A question about documents as a whole -> what they say of themselves, or what is counted in them; or nothing.

It is answered without a search: by the front of a document, its imprint, the words that spell an abbreviation out, or
by counting.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from indexing import Collection, Document
from rag.calculation import RatioBook, computed_ratio, counted
from rag.methods.protocol import Draft
from rag.methods.quote.form import plain_words
from rag.methods.quote.short import short_of
from rag.methods.quote.whole.abbreviations import abbreviation_asked, spelled_out
from rag.methods.quote.whole.imprint import imprint_asked, version_in, written_by
from rag.methods.quote.whole.overview import (
    MOST_DOCUMENTS,
    About,
    asked_about,
    documents_meant,
    named_by,
    overview,
    thing_asked,
)
from rag.options import Question
from rag.retrieval import Retrieved

_Value = Callable[[str], tuple[int, int] | None]
UNSAID: dict[About, str] = {
    "authors": "No author was made out where a document names its authors: on its first page, under the title.",
    "date": "No date of publication was made out where a document has it: on its first pages, or on its last.",
    "version": "No version was made out where a document names it: on its first pages, or on its last.",
}
"""The answers where a document does not say of itself what was asked."""
WHICH = (
    "This asks about a document as a whole, and there are {n}: say which one you mean (on the page, under More; in the "
    "terminal, --doc NAME)."
)
"""The words for a question about "this document" where there are many."""


def of_the_whole(asked: Question, found: Retrieved, collection: Collection, ratios: RatioBook) -> Draft | None:
    """Return what is counted or computed, or what documents say of themselves as a whole; None for another question.

    A sentence that says who wrote them may stand anywhere, and be `found`. Raises CollectionDamaged.
    """
    about, of = asked_about(asked.text), imprint_asked(asked.text)
    documents = [collection.document(name) for name in asked.documents] or list(collection.documents())
    if about is None and of is None:
        short = abbreviation_asked(asked.text)
        if short and (told := spelled_out(short, documents, collection)):
            return Draft(tuple(said for said, _ in told), tuple(cited for _, cited in told))
        ranked = dict.fromkeys(e.element.doc_id for e in found.evidence)
        best = documents if asked.documents else [collection.document(doc_id) for doc_id in ranked]
        made = counted(asked, collection) or computed_ratio(asked.text, best, collection, ratios)
        return Draft((made,), ()) if made else _named(asked.text, documents, collection)
    if of is not None and about is None:
        about, documents = of[0], named_by(of[1], documents)
    elif not asked.documents:
        documents = documents_meant(asked.text, documents)
    if about is None or not documents:
        return None
    if len(documents) > MOST_DOCUMENTS:
        return Draft((), (), nothing=WHICH.format(n=len(documents)))
    sentences, evidence = overview(about, documents, collection)
    if not sentences and about == "authors":
        meant = {document.id for document in documents}
        sentences = written_by([each for each in found.evidence if each.element.doc_id in meant])
    if not sentences and about in UNSAID:  # whatever else has such words is no author, and no date of it
        return Draft((), (), nothing=UNSAID[about])
    if about in ("date", "version"):
        value: _Value = version_in if about == "version" else partial(short_of, asked.text)
        sentences = [replace(each, short=value(each.text)) for each in sentences]
    return Draft(tuple(sentences), tuple(evidence)) if sentences else None


def _named(question: str, documents: list[Document], collection: Collection) -> Draft | None:
    """Return what the document that a thing names says it is, in words of it; None where it does not say it so."""
    thing = thing_asked(question)
    named = named_by(thing, documents) if thing else []
    sentences, evidence = overview("subject", named, collection) if named else ([], [])
    if not any({*thing}.intersection(plain_words(sentence.text)) for sentence in sentences[1:]):
        return None
    return Draft(tuple(sentences), tuple(evidence))
