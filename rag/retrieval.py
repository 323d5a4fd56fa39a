"""Retrieve evidence: the elements and pages that match the queries or a claim best, and the pages a model is shown.

Text that OCR reads on an image has elements of its own, with tight boxes, which are enough for quoting. A model that
writes should see the image itself: so the whole image comes before its first retrieved element, as MAVIS (Song et al.
2025) gives image documents to a model, and all of them count as one of the K results.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

import numpy as np

from configs import methods_with_notes
from indexing import Collection, Element, Found, Hints, Hit, Mode, NothingFits
from rag.errors import BadLimit, EmptyQuestion, QuestionTooLong, QuestionUnreadable, TooManyPages
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
from rag.settings import MOST_PASSAGES, RagSettings
from rag.types import Evidence, RankedPage, RetrievedElement, Sentence, WeightedQuery
from vouch.hooks import additions, load

if TYPE_CHECKING:
    from PIL import Image


SEARCH_FACTOR = 4
"""The factor by which more elements are looked for, once, where pieces of images leave places free."""


def without_whole_images(search: Callable[[int], Found], most: int) -> Found:
    """Return the `most` best elements; an entire image is among them only if no element on it is.

    `search(n)` returns the n best elements.
    """
    results = search(most)
    whole = sum(hit.element.whole_image for hit in results.hits)
    hits = search(most + whole).hits if whole else results.hits
    with_pieces = {_image_page(hit.element) for hit in hits if not hit.element.whole_image}
    remaining = [hit for hit in hits if not (hit.element.whole_image and _image_page(hit.element) in with_pieces)]
    return replace(results, hits=tuple(remaining[:most]))


def with_whole_images(
    collection: Collection, search: Callable[[int], Found], places: int, images: Container[str]
) -> Found:
    """Return the elements for a written answer that fill `places`; a page of a document in `images` takes one place.

    `search` is as in `without_whole_images`. Collections of an older Vouch have no whole images, only elements within
    them.
    """
    results = search(places)
    if len({_place(hit, images) for hit in results.hits}) < places == len(results.hits):
        results = replace(results, hits=search(SEARCH_FACTOR * places).hits)
    ranking = dict.fromkeys(_place(hit, images) for hit in results.hits)
    best = set(list(ranking)[:places])
    hits = [hit for hit in results.hits if _place(hit, images) in best]
    return replace(results, hits=tuple(_whole_images_first(collection, hits, images)))


def _whole_images_first(collection: Collection, hits: Sequence[Hit], images: Container[str]) -> Iterator[Hit]:
    """Yield the hits, each whole image before the first element within it."""
    own = {_image_page(hit.element): hit for hit in hits if hit.element.whole_image}
    pages = list(dict.fromkeys(_image_page(hit.element) for hit in hits if hit.element.doc_id in images))
    whole = dict(zip(pages, collection.elements_on(pages), strict=True))
    for hit in hits:
        for element in whole.pop(_image_page(hit.element), ()):
            if element.whole_image:
                nothing = np.zeros((0, hit.similarities.shape[1]), np.float32), np.zeros((0, 2), np.int32)
                yield own.get(_image_page(element)) or Hit(element, hit.score, *nothing, found_by=hit.found_by)
        if not hit.element.whole_image:
            yield hit


def _place(hit: Hit, images: Container[str]) -> str | tuple[str, int]:
    """Return the key of what counts as one result: a page of an image file, else an element."""
    return _image_page(hit.element) if hit.element.doc_id in images else hit.element.id


def _image_page(element: Element) -> tuple[str, int]:
    return element.doc_id, element.page


MOST_OF_CLAIMS = 8
"""The most elements that are retrieved for a claim."""


class ClaimSearch:
    """A search with claims in the documents of a question, for evidence that the question itself did not find."""

    def __init__(self, collection: Collection, settings: RagSettings, question: Question, results: Retrieved) -> None:
        """Keep the parts. Raises what `document_scope` raises."""
        self._collection, self._settings, self._results = collection, settings, results
        self._doc_ids = document_scope(collection, question)
        self._names = {d.id: d.name for d in collection.documents()}
        self._evidence = {item.element.id: item for item in results.evidence}

    @property
    def extra_evidence(self) -> tuple[Evidence, ...]:
        """The evidence that only searches with claims found, in the order of the labels."""
        return tuple(self._evidence.values())[len(self._results.evidence) :]

    def search_in(self, doc_id: str | None) -> Callable[[str], tuple[Evidence, ...]]:
        """Return a search function for one document, or for all documents of the question if `doc_id` is None.

        It returns at most MOST pieces of evidence for a claim, best first. Known elements keep their labels; new ones
        get the next labels and are added to `extra_evidence`.
        """
        return partial(self._search, doc_ids=self._doc_ids if doc_id is None else [doc_id])

    def _search(self, claim: str, doc_ids: Sequence[str]) -> tuple[Evidence, ...]:
        """Return the evidence for a claim in some documents, best first, and keep what is new in `_evidence`."""
        query = claim[: self._settings.max_question_chars]
        hits = self._collection.search(
            query, doc_ids=doc_ids, limit=MOST_OF_CLAIMS, settings=self._settings.search
        ).hits
        for hit in hits:
            label = f"E{len(self._evidence) + 1}"
            name = self._names.get(hit.element.doc_id, hit.element.doc_id)
            self._evidence.setdefault(hit.element.id, Evidence(label, hit.element, name, hit.score))
        return tuple(self._evidence[hit.element.id] for hit in hits)


Place = tuple[str, int]
"""A page: the id of its document and its number, from 1."""
MOST_READ = 500
"""The most pages that are read for one question where every page is to be read."""
LEAST, MOST = 4, 6
"""The least and the most pages that are shown where the settings leave the number to the model's images."""


def pages_shown(count: int | None, images: int) -> int:
    """Return how many pages to show a model: `count`, else as many as the `images` it takes, from LEAST to MOST."""
    return count or min(max(LEAST, images), MOST)


def best_pages(results: Retrieved, count: int) -> tuple[RankedPage, ...]:
    """Return the best pages, so many at most, best first."""
    return results.pages[:count]


def every_page(collection: Collection, question: Question) -> tuple[RankedPage, ...]:
    """Return all pages of the documents that a question is restricted to, in their order.

    Raises TooManyPages without such documents, or where they have more than MOST_READ pages.
    """
    documents = [collection.document(doc_id) for doc_id in document_scope(collection, question)]
    pages = sum(document.n_pages for document in documents)
    if not documents:
        raise TooManyPages("every page of which documents? Choose those that are to be read (--doc NAME)")
    if pages > MOST_READ:
        raise TooManyPages(
            f"the chosen documents have {pages:,} pages, and at most {MOST_READ} can be read for one question: choose "
            "fewer documents, or ask without --every-page"
        )
    return tuple(RankedPage(d.id, d.name, n, 0.0) for d in documents for n in range(1, d.n_pages + 1))


def in_order(pages: Sequence[RankedPage]) -> tuple[RankedPage, ...]:
    """Return pages in the order of their documents, the document of the best page first."""
    documents = list(dict.fromkeys(page.doc_id for page in pages))
    return tuple(sorted(pages, key=lambda page: (documents.index(page.doc_id), page.number)))


def further_pages(
    collection: Collection,
    searches: Sequence[Retrieved],
    shown_pages: Sequence[RankedPage],
    cited_places: Iterable[Place],
    wanted_places: Iterable[Place],
    count: int,
) -> tuple[RankedPage, ...]:
    """Return at most `count` pages to show next: cited ones, and new ones; empty if no page is new.

    The new pages are, in this order: those that the model asks for by number; those next to the cited ones, where a
    table or list may continue; and the best pages of the `searches`, the last search first.
    """
    by_place = {(page.doc_id, page.number): page for page in shown_pages}
    cited_pages = [by_place[place] for place in dict.fromkeys(cited_places) if place in by_place][: max(1, count // 2)]
    asked_for = [page for place in wanted_places for page in _page(collection, shown_pages, *place)]
    around = [page for one in cited_pages for page in _neighbouring_pages(collection, one)]
    search_pages = chain.from_iterable(zip_longest(*(search.pages for search in reversed(searches))))
    new: dict[Place, RankedPage] = {}
    for page in chain(asked_for, around, (page for page in search_pages if page is not None)):
        if (page.doc_id, page.number) not in by_place:
            new.setdefault((page.doc_id, page.number), page)
    room = list(new.values())[: count - len(cited_pages)]
    return (*cited_pages, *room) if room else ()


def _page(collection: Collection, shown_pages: Sequence[RankedPage], doc_id: str, number: int) -> list[RankedPage]:
    """Return a page of a document of which pages were shown; nothing where the document has no such page."""
    same = next((page for page in shown_pages if page.doc_id == doc_id), None)
    there = same is not None and 1 <= number <= collection.document(doc_id).n_pages
    return [RankedPage(doc_id, same.document, number, same.score)] if same is not None and there else []


def _neighbouring_pages(collection: Collection, page: RankedPage) -> list[RankedPage]:
    """Return the page after a page, and the one before it, where there are any."""
    return [near for n in (page.number + 1, page.number - 1) for near in _page(collection, [page], page.doc_id, n)]


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
