"""The answerers: one function for each kind of question that is not answered by search, tried in order.

An answerer returns the complete answer, a draft without sentences if it knows that there is no answer, or None for
other kinds of question. Questions that none of them answers are answered by quoting the search results.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from indexing import Collection, Document
from rag.calculation import computed_ratio, element_count, load_ratios, mentions
from rag.methods.protocol import Draft
from rag.methods.quote.addresses import addresses
from rag.methods.quote.imprint import date_in
from rag.methods.quote.overview import MOST_DOCUMENTS, About, documents_meant, overview, question_about
from rag.options import Question
from rag.retrieval import Retrieved, document_scope
from rag.settings import RagSettings
from rag.types import Sentence

NOT_STATED: dict[About, str] = {
    "authors": "No author names were recognized on the first page, below the title.",
    "venue": "No journal, conference or series was recognized on the first page.",
    "date": "No date of publication was recognized on the first pages or the last.",
}
"""The answers where a document does not say of itself what was asked."""
WHICH = (
    "This asks about a document as a whole, and there are {n}: say which one you mean (on the page, under More; in the "
    "terminal, --doc NAME)."
)
"""The words for a question about "this document" where there are many."""

_WANTS_ALL = re.compile(r"\s*(?:(?:list|name|show|find|give)(?: me)? (?:all|every|each)|in how many)\b", re.IGNORECASE)
NOT_ALL = (
    "these are the best passages that were found, not all there are: ask for all mentions of a word (List all mentions "
    "of ...), or have a model read every page of the documents you name (--every-page; on the page, under More)"
)
"""The note on quotes for a question that wants all there are of something."""


def wants_all(question: str) -> bool:
    """Return True for a question that asks to list or to count all there are of something."""
    return _WANTS_ALL.match(question) is not None


@dataclass(frozen=True, slots=True)
class AskedCollection:
    """A question, what the search found for it, and the collection with its settings."""

    question: Question
    results: Retrieved
    collection: Collection
    settings: RagSettings

    @property
    def documents(self) -> list[Document]:
        """The documents that are asked: those that the question names and its filter lets through, or all."""
        scope = document_scope(self.collection, self.question)
        return [self.collection.document(doc_id) for doc_id in scope] or list(self.collection.documents())


Answerer = Callable[[AskedCollection], Draft | None]


def about_a_document(asking: AskedCollection) -> Draft | None:
    """Answer questions about a document as a whole: its title, authors, subject or date."""
    text = asking.question.text
    about = question_about(text)
    if about is None:
        return None
    documents = asking.documents if asking.question.documents else documents_meant(text, asking.documents)
    if not documents:
        return None
    if len(documents) > MOST_DOCUMENTS:
        return Draft((), (), nothing=WHICH.format(n=len(documents)))
    sentences, evidence = overview(about, documents, asking.collection)
    if not sentences and about in NOT_STATED:  # whatever else has such words is no author, and no date of it
        return Draft((), (), nothing=NOT_STATED[about])
    if about == "date":
        sentences = [replace(each, short=date_in(each.text)) for each in sentences]
    return Draft(tuple(sentences), tuple(evidence)) if sentences else None


def address(asking: AskedCollection) -> Draft | None:
    """Answer with the lines that contain the e-mail addresses, phone numbers or links that are asked for."""
    pairs = addresses(asking.question.text, asking.documents, asking.collection, asking.results.hints)
    return Draft(tuple(line for line, _ in pairs), tuple(evidence for _, evidence in pairs)) if pairs else None


def count(asking: AskedCollection) -> Draft | None:
    """Answer how many pages, tables, figures, sections or mentions there are."""
    arguments = asking.question.text, asking.collection, asking.documents
    return _one_sentence(element_count(*arguments) or mentions(*arguments))


def ratio(asking: AskedCollection) -> Draft | None:
    """Answer with a financial ratio of the documents that the question names, or else of the documents retrieved."""
    doc_ids = dict.fromkeys(e.element.doc_id for e in asking.results.evidence)
    best = asking.documents if asking.question.documents else [asking.collection.document(doc_id) for doc_id in doc_ids]
    book = load_ratios(asking.settings.ratios)
    return _one_sentence(computed_ratio(asking.question.text, best, asking.collection, book))


ANSWERERS: tuple[Answerer, ...] = (about_a_document, address, count, ratio)
"""All answerers, in the order in which they are tried."""


def first_answer(asking: AskedCollection) -> Draft | None:
    """Return the answer of the first answerer that has one, or None. Raises CollectionDamaged."""
    return next((draft for answerer in ANSWERERS if (draft := answerer(asking)) is not None), None)


def _one_sentence(sentence: Sentence | None) -> Draft | None:
    return Draft((sentence,), ()) if sentence else None
