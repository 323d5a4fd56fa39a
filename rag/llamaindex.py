"""Use a collection from LlamaIndex, as a retriever or a query engine (seconds to import)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Unpack

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.response.schema import Response
from llama_index.core.callbacks import CallbackManager
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from rag.options import AnswerOptions, SearchOptions
from rag.pipeline import Pipeline
from rag.types import Answer, Citation, Evidence, Sentence

SHOWN_TO_MODELS = ("document", "page")
"""The metadata of a node that go into prompts and embeddings; boxes and ids are for code."""


class VouchRetriever(BaseRetriever):
    """A retriever of elements of one collection, in mode text, image or multi; metadata hold element, page and box."""

    def __init__(self, pipeline: Pipeline, **options: Unpack[SearchOptions]) -> None:
        """Keep the pipeline and its `options`, which are as for `Pipeline.retrieve`."""
        self._pipeline = pipeline
        self._options = options
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """Return the best elements, best first; an image of the query (`image_path`) is read, and searched for too."""
        options: SearchOptions = {**self._options, "image": query_bundle.image_path or self._options.get("image")}
        _, results = self._pipeline.retrieve(query_bundle.query_str, **options)
        return [NodeWithScore(node=node_of(e), score=e.score) for e in results.evidence]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """Retrieve as `_retrieve` does, in a thread: searching must not hold up the event loop."""
        return await asyncio.to_thread(self._retrieve, query_bundle)


def node_of(evidence: Evidence) -> TextNode:
    """Return a node with the element's text; `bbox` is in fractions of the displayed page, origin top left.

    Pages count from 1. The node's metadata is the same for every search, so that LlamaIndex, which compares
    nodes by their metadata, fuses an element that two retrievers find.
    """
    element = evidence.element
    metadata = {
        "document": evidence.document,
        "page": element.page,
        "kind": element.kind,
        "section": " > ".join(element.section),
        "caption": element.caption,
        "bbox": list(element.bbox.as_tuple()),
        "element_id": element.id,
        "doc_id": element.doc_id,
    }
    hidden_keys = [key for key in metadata if key not in SHOWN_TO_MODELS]
    return TextNode(
        id_=element.id,
        text=element.text,
        metadata=metadata,
        excluded_embed_metadata_keys=hidden_keys,
        excluded_llm_metadata_keys=hidden_keys,
    )


NO_ANSWER = "These documents do not seem to say."


class VouchQueryEngine(BaseQueryEngine):
    """A query engine whose answers end every sentence in numbers: `[2]` is the second of the source nodes.

    A source node is a citation. Its metadata hold those of `VouchRetriever` and besides `boxes` (lines or cells, in
    fractions of the displayed page, origin top left), the `quote`, the `sentences` that cite it, their `verdict`, and
    its `role`: a place that is unconfirmed is no proof, but where the model points. The metadata of a response hold all
    sentences with their verdicts and reasons, `abstained`, what is `missing`, the method, its notes and its cost.
    """

    def __init__(
        self, pipeline: Pipeline, *, callback_manager: CallbackManager | None = None, **options: Unpack[AnswerOptions]
    ) -> None:
        """Keep the pipeline and its `options`, which are as for `Pipeline.answer`."""
        self._pipeline = pipeline
        self._options = options
        super().__init__(callback_manager)

    def retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """Return the evidence, best first, without an answer."""
        options = self._options_for(query_bundle)
        search_options: Any = {name: value for name, value in options.items() if name in SearchOptions.__annotations__}
        _, results = self._pipeline.retrieve(query_bundle.query_str, **search_options)
        return [NodeWithScore(node=node_of(e), score=e.score) for e in results.evidence]

    def _get_prompt_modules(self) -> dict[str, Any]:
        """Return no prompts: they are files of Vouch's own."""
        return {}

    def _query(self, query_bundle: QueryBundle) -> Response:
        return _response(self._pipeline.answer(query_bundle.query_str, **self._options_for(query_bundle)))

    async def _aquery(self, query_bundle: QueryBundle) -> Response:
        """Answer as `_query` does, in a thread: answering must not hold up the event loop."""
        return await asyncio.to_thread(self._query, query_bundle)

    def _options_for(self, query_bundle: QueryBundle) -> AnswerOptions:
        """Return the options of the engine, with the image of the query if it has one."""
        return {**self._options, "image": query_bundle.image_path or self._options.get("image")}


def text_of(answer: Answer) -> str:
    """Return the sentences with the numbers of their source nodes; without any, a sentence that says so."""
    if answer.abstained:
        return answer.nothing or NO_ANSWER
    return " ".join(_with_numbers(s, answer.numbers(s)) for s in answer.sentences)


def nodes_of(answer: Answer) -> list[NodeWithScore]:
    """Return a node for each citation, in the order of their numbers, with the score of its evidence."""
    by_label = {item.label: item for item in answer.evidence}
    return [_node(c, by_label[c.label], answer) for c in answer.citations]


def metadata_of(answer: Answer) -> dict[str, Any]:
    """Return the facts about an answer as plain values."""
    values = answer.to_json()
    keys = ("abstained", "confidence", "mode", "method", "usage", "notes", "timings", "settings_hash")
    return {key: values[key] for key in keys} | {
        "missing": answer.missing,
        "sentences": [
            {"text": s.text, "verdict": s.verdict, "reason": s.reason, "sources": list(answer.numbers(s))}
            for s in answer.sentences
        ],
    }


def _response(answer: Answer) -> Response:
    return Response(text_of(answer), nodes_of(answer), metadata_of(answer))


def _with_numbers(sentence: Sentence, numbers: Sequence[int]) -> str:
    return f"{sentence.text} {''.join(f'[{n}]' for n in numbers)}".rstrip()


def _node(citation: Citation, evidence: Evidence, answer: Answer) -> NodeWithScore:
    """Return the node of a citation's evidence, with the boxes, the quote and the sentences that cite it."""
    citing = [s for s in answer.sentences if citation in s.citations]
    node = node_of(evidence)
    node.id_ = citation.element_id
    node.metadata |= {
        "element_id": citation.element_id,
        "kind": citation.kind,
        "bbox": list(citation.bbox.as_tuple()),
        "boxes": [list(box.as_tuple()) for box in citation.boxes],
        "quote": citation.quote,
        "sentences": [s.text for s in citing],
        "verdict": citing[0].verdict,
        "role": citation.role,
    }
    hidden_keys = [key for key in node.metadata if key not in SHOWN_TO_MODELS]
    node.excluded_embed_metadata_keys = node.excluded_llm_metadata_keys = hidden_keys
    return NodeWithScore(node=node, score=evidence.score)
