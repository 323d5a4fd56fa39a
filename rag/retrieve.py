"""Queries -> evidence: the elements and pages that match best, in mode text, image or multi, best first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from indexing import Collection, Hints, Hit, Mode
from rag.asked import Asked
from rag.errors import BadLimit, EmptyQuestion, QuestionTooLong, QuestionUnreadable
from rag.settings import RagSettings
from rag.types import Evidence, Query, RankedPage


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Evidence and pages, best first, with the hit behind each item of evidence and the weights (q,) of the tokens of
    the first query. `nothing` says why there is no evidence at all, where that is known.
    """

    mode: Mode
    evidence: tuple[Evidence, ...]
    pages: tuple[RankedPage, ...]
    hits: tuple[Hit, ...]
    tokens: tuple[str, ...]
    weights: NDArray[np.float32] = field(repr=False, compare=False)
    nothing: str = ""


def checked(question: str, settings: RagSettings) -> str:
    """The question, if it can be asked. Raises EmptyQuestion, QuestionTooLong, QuestionUnreadable."""
    if not any(c.isalnum() for c in question):
        raise EmptyQuestion("the question holds no word: ask for something")
    if len(question) > settings.max_question_chars:
        raise QuestionTooLong(
            f"the question has {len(question)} characters, the limit is {settings.max_question_chars}: shorten it"
        )
    if any("\ud800" <= c <= "\udfff" for c in question):
        raise QuestionUnreadable("the question holds bytes that are not UTF-8: type it again, or change the encoding")
    return question


def at_least_one(name: str, asked: int | None, default: int) -> int:
    """The number that was asked for, by default `default`. Raises BadLimit, which names it, below 1."""
    if asked is not None and asked < 1:
        raise BadLimit(f"{name} is {asked}: ask for 1 or more")
    return default if asked is None else asked


def check_asked(collection: Collection, settings: RagSettings, asked: Asked) -> None:
    """Raise DocumentMissing or NoVisualEmbedder now rather than after work that would be for nothing."""
    for name in asked.documents:
        collection.document(name)
    collection.check_mode(mode_of(collection, settings, asked.mode))


def mode_of(collection: Collection, settings: RagSettings, mode: Mode | None = None) -> Mode:
    """The mode that was asked for; else that of the settings, where auto means all that the collection has."""
    if mode is not None:
        return mode
    if settings.mode != "auto":
        return settings.mode
    return "text" if collection.settings.visual == "none" else "multi"


def retrieve(
    collection: Collection,
    queries: tuple[Sequence[Query], Sequence[Query]],
    asked: Asked,
    settings: RagSettings,
    *,
    hints: Hints | None = None,
) -> Retrieved:
    """The best elements for text-seeking and image-seeking queries, in the mode, documents and number asked for.

    Raises DocumentMissing for a name that is not in the collection, NoVisualEmbedder for a mode that it cannot serve,
    BadLimit for a `top_k` below 1.
    """
    chosen = mode_of(collection, settings, asked.mode)
    doc_ids = [collection.document(name).id for name in asked.documents]
    found = collection.search(
        [q.text for q in queries[0]],
        image_queries=[q.text for q in queries[1]],
        mode=chosen,
        hints=hints,
        doc_ids=doc_ids,
        limit=at_least_one("top_k", asked.top_k, settings.top_k),
        settings=settings.search,
    )
    names = {d.id: d.name for d in collection.documents()} if found.hits else {}
    evidence = tuple(
        Evidence(
            f"E{n}",
            hit.element,
            names.get(hit.element.doc_id, hit.element.doc_id),
            hit.score,
            tuple(query + 1 for query in hit.found_by),
            by_view=hit.by_view,
        )
        for n, hit in enumerate(found.hits, 1)
    )
    pages = tuple(RankedPage(p.doc_id, names.get(p.doc_id, p.doc_id), p.number, p.score) for p in found.pages)
    nothing = "" if evidence else _why_nothing(collection, chosen)
    return Retrieved(chosen, evidence, pages, found.hits, found.tokens, found.weights, nothing)


def _why_nothing(collection: Collection, mode: Mode) -> str:
    """Why a search may have found nothing at all, whatever was asked, and what to do; empty where it is not known."""
    if not collection.documents():
        return (
            f"Collection {collection.name!r} holds no documents yet: "
            f"add some with vouch index PATH --collection {collection.name}"
        )
    if mode == "image" and collection.settings.visual == "ocr_regions":
        return (
            "Mode image found nothing that was read off the pixels of these documents; unless told otherwise Vouch "
            "reads page images and pictures only: ask with --mode text, or index into another collection with "
            "--pixels pages"
        )
    return ""
