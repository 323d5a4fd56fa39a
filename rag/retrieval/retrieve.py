"""Retrieve evidence: the elements and pages that match the queries best, in mode text, image or multi."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from configs import methods_with_notes
from indexing import Collection, Found, Hints, Hit, Mode, NothingFits
from rag.errors import BadLimit, EmptyQuestion, QuestionTooLong, QuestionUnreadable
from rag.options import Question
from rag.question import (
    BEST_PAGES,
    ConditionsMet,
    Queries,
    conditions_met,
    conditions_of,
    slips_of,
    without_form_instructions,
)
from rag.retrieval.images import with_whole_images, without_whole_images
from rag.settings import MOST_PASSAGES, RagSettings
from rag.types import Evidence, RankedPage, RetrievedElement, Sentence, WeightedQuery
from vouch.hooks import additions, load

if TYPE_CHECKING:
    from PIL import Image


MOST_NAMED = 5
"""The most documents that the note on missing files names."""
_SEE_MORE = "run vouch index again, which goes on with them, or ask with --mode text"
_SEE_ALL = "ask with --mode text, or run vouch index with --pixels pages"


NO_READER = "The reranker was not used: the plugin models is not loaded (vouch doctor says why)."


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The elements and pages, best first, and the query that they were weighed by.

    `nothing` says why there is no evidence at all, where that is known; `hints` are the places that the question names,
    `conditions` how far the best pages have its numbers and names;
    `picture` (RGB) goes with the question, for a method that looks; `slips` are words of the question that seem to be
    misspelt, each with the word of the best pages that may be meant; `notes` say what the mode could not see, and why
    nothing was reranked; `rerank_seconds` is what reranking took.
    """

    mode: Mode
    elements: tuple[RetrievedElement, ...]
    pages: tuple[RankedPage, ...]
    query: WeightedQuery = field(default_factory=WeightedQuery)
    nothing: str = ""
    hints: Hints = field(default_factory=Hints)
    conditions: ConditionsMet = field(default_factory=ConditionsMet)
    picture: Image.Image | None = field(default=None, repr=False, compare=False)
    slips: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    rerank_seconds: float = 0.0

    @property
    def quotable(self) -> Retrieved:
        """These results without entire images, whose text is in elements of their own."""
        return replace(self, elements=tuple(e for e in self.elements if not e.evidence.element.whole_image))

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The evidence alone, best first."""
        return tuple(element.evidence for element in self.elements)

    def and_more(self, more: Retrieved) -> Retrieved:
        """Return these elements followed by the new ones of another search."""
        ids = {element.evidence.element.id for element in self.elements}
        new = tuple(e for e in more.elements if e.evidence.element.id not in ids)
        return replace(self, elements=(*self.elements, *new))

    def with_evidence(self, evidence: Sequence[Evidence]) -> Retrieved:
        """Return these results with other evidence for the same elements, in the same order."""
        pairs = zip(self.elements, evidence, strict=True)
        return replace(self, elements=tuple(replace(element, evidence=item) for element, item in pairs))


def validate_question(question: str, settings: RagSettings) -> str:
    """Return the question unchanged. Raises EmptyQuestion, QuestionTooLong, QuestionUnreadable."""
    if not any(c.isalnum() for c in question):
        raise EmptyQuestion("the question has no words: type a question")
    if len(question) > settings.max_question_chars:
        raise QuestionTooLong(
            f"the question has {len(question)} characters, the limit is {settings.max_question_chars}: shorten it"
        )
    if any("\ud800" <= c <= "\udfff" for c in question):
        raise QuestionUnreadable(
            "the question contains bytes that are not UTF-8: type it again, or change the encoding of the terminal"
        )
    return question


def validate_count(name: str, value: int | None, default: int, most: int) -> int:
    """Return the number asked for, or the default. Raises BadLimit, with the name, unless it is from 1 to `most`."""
    if value is not None and not 1 <= value <= most:
        raise BadLimit(f"{name} is {value}: give a number from 1 to {most}")
    return default if value is None else value


def check_request(collection: Collection, settings: RagSettings, question: Question) -> None:
    """Raise the errors of `document_scope` for a request, or NoVisualEmbedder for its mode, before any work."""
    document_scope(collection, question)
    collection.check_mode(mode_of(collection, settings, question.mode))


def document_scope(collection: Collection, question: Question) -> list[str]:
    """Return the ids of the documents that a question is restricted to; empty if it is not restricted.

    Raises DocumentMissing for a name that is not in the collection, BadFilter, NothingFits.
    """
    named_ids = list(dict.fromkeys(collection.document(name).id for name in question.documents))
    if question.where is None or not question.where.strip():
        return named_ids
    fitting = [document.id for document in collection.fitting(question.where)]
    if not named_ids:
        return fitting
    both = [doc_id for doc_id in named_ids if doc_id in set(fitting)]
    if not both:
        raise NothingFits(
            f"none of the {len(named_ids)} documents that you chose matches the filter {question.where!r}: choose "
            "others, or none"
            if len(named_ids) > 1
            else f"the document that you chose does not match the filter {question.where!r}: choose another, or none"
        )
    return both


def mode_of(collection: Collection, settings: RagSettings, mode: Mode | None = None) -> Mode:
    """Return `mode`, else that of the settings; auto is multi if the collection has a visual embedder, else text."""
    if mode is not None:
        return mode
    if settings.mode != "auto":
        return settings.mode
    return "text" if collection.settings.visual == "none" else "multi"


def retrieve(collection: Collection, queries: Queries, question: Question, settings: RagSettings) -> Retrieved:
    """Return the best elements for the queries, in the mode, documents and number that the question asks for.

    If a model writes the answer, a page of an image file counts as one element, with the text on it (`images`).
    Raises DocumentMissing for a name that is not in the collection, NoVisualEmbedder for a mode that it cannot serve,
    BadLimit for a `top_k` below 1 or above the most.
    """
    mode = mode_of(collection, settings, question.mode)
    doc_ids = document_scope(collection, question)
    most = validate_count("top_k", question.top_k, settings.top_k, MOST_PASSAGES)

    def search(limit: int) -> Found:
        return collection.search(
            [q.text for q in queries.text],
            image_queries=[q.text for q in queries.image],
            mode=mode,
            hints=queries.hints,
            doc_ids=doc_ids,
            limit=limit,
            settings=settings.search,
        )

    documents = collection.documents()
    asking = without_form_instructions(queries.question or question.text)
    readers = additions("pair_readers") if settings.reranker else ()
    reranking = load(readers[0].reranking)(search, asking, settings.reranker) if readers else None
    names, images = {d.id: d.name for d in documents}, {d.id for d in documents if d.is_image}
    with_notes = (question.method or settings.method) in methods_with_notes()
    find = reranking or search
    results = with_whole_images(collection, find, most, images) if with_notes else without_whole_images(find, most)
    elements = tuple(_as_evidence(n, hit, names) for n, hit in enumerate(results.hits, 1))
    pages = tuple(RankedPage(p.doc_id, names.get(p.doc_id, p.doc_id), p.number, p.score) for p in results.pages)
    nothing = "" if elements else _why_nothing(collection, mode)
    notes = () if nothing else _note_on_unseen_pages(collection, mode, doc_ids)
    query = WeightedQuery(results.tokens, results.weights)
    texts = _texts_of(collection, pages) if elements else []
    conditions = conditions_met(conditions_of(asking), texts) if elements else ConditionsMet()
    slips = slips_of(asking, results.tokens, texts)
    notes += reranking.notes if reranking else (NO_READER,) if settings.reranker else ()
    seconds = reranking.seconds if reranking else 0.0
    return Retrieved(
        mode, elements, pages, query, nothing, queries.hints, conditions, slips=slips, notes=notes,
        rerank_seconds=seconds,
    )  # fmt: skip


def _texts_of(collection: Collection, pages: Sequence[RankedPage]) -> list[str]:
    """Return the texts of the best pages, each with the name of its document."""
    best = pages[:BEST_PAGES]
    elements = collection.elements_on([(page.doc_id, page.number) for page in best])
    return [
        "\n".join([page.document, *(f"{e.caption}\n{e.text}" for e in own if e.kind != "group")])
        for page, own in zip(best, elements, strict=True)
    ]


def _as_evidence(number: int, hit: Hit, names: Mapping[str, str]) -> RetrievedElement:
    """Return a hit as evidence, with its rank as its label."""
    document = names.get(hit.element.doc_id, hit.element.doc_id)
    found_by = tuple(query + 1 for query in hit.found_by)
    evidence = Evidence(f"E{number}", hit.element, document, hit.score, found_by, by_view=hit.by_view)
    return RetrievedElement(evidence, hit.similarities, hit.offsets)


def _note_on_unseen_pages(collection: Collection, mode: Mode, doc_ids: Sequence[str]) -> tuple[str, ...]:
    """Return a note on the pages with text that mode image cannot see, and what to do; empty if it sees all."""
    if mode != "image" or collection.settings.visual != "ocr_regions":
        return ()
    n_unseen, pages = collection.unseen_pages(doc_ids)
    if not n_unseen:
        return ()
    note = f"mode image cannot see {n_unseen} of the {pages} pages that have text"
    if not collection.settings.reads_pages:
        return (f"{note}, as only page images and pictures were read off their pixels: {_SEE_ALL}",)
    return (f"{note}, as their pixels were not read yet, or could not be: {_SEE_MORE}",)


def _why_nothing(collection: Collection, mode: Mode) -> str:
    """Return why every search of a collection finds nothing, and what to do; "" if no reason is known."""
    if not collection.documents():
        return (
            f"Collection {collection.name!r} holds no documents yet: "
            f"add some with vouch index PATH --collection {collection.name}"
        )
    if mode == "image" and collection.settings.visual == "ocr_regions":
        more = _SEE_MORE if collection.settings.reads_pages else _SEE_ALL
        return f"Mode image found nothing that was read off the pixels of these documents: {more}"
    return ""


def retrieve_pages(collection: Collection, question: Question, settings: RagSettings) -> Retrieved:
    """Return all leaf elements of the pages that a question names, page after page in reading order.

    Nothing is searched: all scores are 0. Raises DocumentMissing for a page that does not exist.
    """
    names = {doc_id: collection.document(doc_id).name for doc_id, _ in question.pages}
    for doc_id, number in question.pages:
        collection.page(doc_id, number)
    page_elements = [e for page in collection.elements_on(question.pages) for e in page if e.kind != "group"]
    no_similarities = np.zeros((0, 0), np.float32), np.zeros((0, 2), np.int32)
    elements = tuple(
        RetrievedElement(Evidence(f"E{n}", element, names[element.doc_id], 0.0, found_by=()), *no_similarities)
        for n, element in enumerate(page_elements, 1)
    )
    pages = tuple(RankedPage(doc_id, names[doc_id], number, 0.0) for doc_id, number in question.pages)
    return Retrieved(mode_of(collection, settings, question.mode), elements, pages)


def missing_notes(collection: Collection, sentences: Iterable[Sentence]) -> tuple[str, ...]:
    """Return a note that names the cited documents whose files no longer exist; empty if there are none."""
    cited_ids = {citation.doc_id for sentence in sentences for citation in sentence.citations}
    names = [d.name for d in collection.documents() if d.metadata.missing and d.id in cited_ids] if cited_ids else []
    if not names:
        return ()
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    reason = "its file is gone from its folder" if len(names) == 1 else "their files are gone from their folders"
    return (f"{', '.join(names[:MOST_NAMED])}{more}: {reason}, and what is cited is the last version that was read.",)
