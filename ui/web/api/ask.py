"""The endpoints `/ask` and `/search` for programs: `gradio_client` and, with `vouch serve --mcp`, language models.

Gradio shows the names, the types and the docstrings of these functions to whoever may call them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal, get_args

from indexing import IndexingError
from rag import RagError
from ui.errors import BadRequest
from ui.show import public_words
from ui.web.hangups import last_answer

if TYPE_CHECKING:
    from rag import SearchOptions
    from ui.web.open_collections import OpenCollections

Mode = Literal["auto", "text", "image", "multi"]
Method = str
Notes = Literal["auto", "yes", "no"]


class Endpoints:
    """The functions behind `/ask` and `/search`."""

    def __init__(self, open_collections: OpenCollections) -> None:
        """Keep `open_collections`, which has the collections."""
        self._open_collections = open_collections

    def ask(  # noqa: PLR0913, PLR0917  programs give them by name
        self,
        question: str,
        collection: str = "default",
        documents: list[str] | None = None,
        mode: Mode = "auto",
        method: Method = "auto",
        queries: int = 0,
        top_k: int = 0,
        extract: Notes = "auto",
        model: str = "auto",
        where: str = "",
    ) -> dict[str, Any]:
        """Answer a question about a collection of documents.

        Every sentence of the answer has a verdict (quoted: these are the document's words; computed: code made it of
        the cited cells; a model's sentence is confirmed, unconfirmed (nobody could tell), contradicted (the cited place
        says something else of the same thing), or a remark, which claims nothing); `answers`, the probability from 0 to
        1 that it answers the question, or null where nobody measured that; and citations: document, page, boxes in
        fractions of the displayed page, the quoted words, and the `role`, as only a place that proves is a proof. If
        there are no sentences, these documents do not seem to say; `missing` is what a model did not find on the pages.

        Args:
            question: The question.
            collection: The name of the collection to ask.
            documents: Only these documents, by name or id; all when empty.
            mode: The mode of search: text, image (the looks of pages), multi (both), auto (as the settings say).
            method: The method: quote (the documents, word for word), vanilla, cot or visa (a model), auto.
            queries: The most queries to make of the question, 20 at most; 0 leaves it to the settings.
            top_k: The most passages to look at, 100 at most; 0 leaves it to the settings.
            extract: Choose if a model (vanilla, cot) first takes notes of each passage without the question, and
                answers from these alone: yes, no, auto (as the settings say).
            model: The name of a model that the settings of the server have, which are no addresses; auto is the first.
            where: A filter that documents must fit, such as tag=minutes and date>=2024; all when empty.

        """
        options = _options(documents, mode, queries, top_k, where)
        how = _chosen("method", method, Method)
        notes = {None: None, "yes": True, "no": False}[_chosen("extract", extract, Notes)]
        name = _name(collection)
        with _told(), self._open_collections.warmed(name, "ask", question=question) as (_, pipeline):
            which = _chosen("model", model, ("auto", *pipeline.settings.model_names))
            events = pipeline.stream(question, method=how, extract=notes, model=which, **options)
            return last_answer(self._open_collections.metrics.watched("api_ask", events)).to_json()

    def search(
        self,
        question: str,
        collection: str = "default",
        documents: list[str] | None = None,
        mode: Mode = "auto",
        queries: int = 0,
        top_k: int = 0,
        where: str = "",
    ) -> dict[str, Any]:
        """Find the passages, tables and figures of a collection that bear on a question, best first, without answering
        it: each with its document, page, box in fractions of the displayed page, score and text.

        Args:
            question: The words to look for.
            collection: The name of the collection to search.
            documents: Only these documents, by name or id; all when empty.
            mode: The mode of search: text, image (the looks of pages), multi (both), auto (as the settings say).
            queries: The most queries to make of the question, 20 at most; 0 leaves it to the settings.
            top_k: The most passages to return, 100 at most; 0 leaves it to the settings.
            where: A filter that documents must fit, such as tag=minutes and date>=2024; all when empty.

        """
        options = _options(documents, mode, queries, top_k, where)
        name = _name(collection)
        with _told(), self._open_collections.warmed(name, "search", question=question) as (_, pipeline):
            planned, found = pipeline.retrieve(question, **options)
        return {
            "question": question,
            "mode": found.mode,
            "queries": planned.to_json(),
            "evidence": [e.to_json() for e in found.evidence],
            "pages": [asdict(p) for p in found.pages],
            "notes": list(found.notes),
        }


def _options(documents: list[str] | None, mode: str, queries: int, top_k: int, where: object) -> SearchOptions:
    """Return the options; those that a program leaves out are left to the settings."""
    if not isinstance(where, str):
        raise BadRequest("where: give a filter as text, such as tag=minutes")
    return {
        "documents": tuple(documents or ()),
        "mode": _chosen("mode", mode, Mode),
        "queries": queries or None,
        "top_k": top_k or None,
        "where": where or None,
    }


def _name(collection: object) -> str:
    """Return the name of a collection. Raises BadRequest for what is none: Gradio passes on whatever was sent."""
    if not isinstance(collection, str):
        raise BadRequest("collection: give its name, as text")
    return collection


def _chosen(what: str, name: str, choices: object) -> Any:
    """Return the one of `choices`, a `Literal` or a tuple of names, that was named; None for `auto`.

    Raises BadRequest: Gradio passes on whatever was sent.
    """
    known: tuple[str, ...] = choices if isinstance(choices, tuple) else get_args(choices)
    if name not in known:
        raise BadRequest(f"{what}: give one of {', '.join(known)}")
    return None if name == "auto" else name


@contextmanager
def _told() -> Iterator[None]:
    """Turn our own errors into words for the program; any other stays inside."""
    try:
        yield
    except (IndexingError, RagError) as error:
        raise BadRequest(public_words(error)) from None
