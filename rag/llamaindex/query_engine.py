"""A query engine for LlamaIndex that returns cited answers. Imported at first use, as LlamaIndex takes seconds."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Unpack

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.response.schema import AsyncStreamingResponse, Response, StreamingResponse
from llama_index.core.callbacks import CallbackManager
from llama_index.core.schema import NodeWithScore, QueryBundle

from rag.events import Answered, Checked
from rag.llamaindex.retriever import SHOWN_TO_MODELS, node_of
from rag.options import AnswerOptions, SearchOptions
from rag.pipeline import Pipeline
from rag.types import Answer, Citation, Evidence, Sentence

NO_ANSWER = "These documents do not seem to say."


class VouchQueryEngine(BaseQueryEngine):
    """A query engine whose answers end every sentence in numbers: `[2]` is the second of the source nodes.

    A source node is a citation. Its metadata hold those of `VouchRetriever` and besides `boxes` (lines or cells, in
    fractions of the displayed page, origin top left), the `quote`, the `sentences` that cite it, their `verdict`, and
    its `role`: a place that is unconfirmed is no proof, but where the model points. The metadata of a response hold all
    sentences with their verdicts and reasons, `abstained`, what is `missing`, the method, its notes and its cost.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        *,
        streaming: bool = False,
        callback_manager: CallbackManager | None = None,
        **options: Unpack[AnswerOptions],
    ) -> None:
        """Keep the pipeline and its `options`, which are as for `Pipeline.answer`.

        With `streaming` the text comes sentence by sentence, each when it is checked; source nodes and metadata are
        there at its end. Should the model have to start anew, the final answer follows as a paragraph of its own.
        """
        self._pipeline = pipeline
        self._streaming = streaming
        self._options = options
        super().__init__(callback_manager)

    def retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """Return the evidence, best first, without an answer."""
        options = self._options_for(query_bundle)
        search_options: SearchOptions = {
            "mode": options.get("mode"),
            "documents": options.get("documents", ()),
            "where": options.get("where"),
            "top_k": options.get("top_k"),
            "queries": options.get("queries"),
            "image": options.get("image"),
        }
        _, results = self._pipeline.retrieve(query_bundle.query_str, **search_options)
        return [NodeWithScore(node=node_of(e), score=e.score) for e in results.evidence]

    def _get_prompt_modules(self) -> dict[str, Any]:
        """Return no prompts: they are files of Vouch's own."""
        return {}

    def _query(self, query_bundle: QueryBundle) -> Response | StreamingResponse:
        if self._streaming:
            result = _StreamedAnswer()
            return StreamingResponse(self._stream(query_bundle, result), result.nodes, result.metadata)
        return _response(self._pipeline.answer(query_bundle.query_str, **self._options_for(query_bundle)))

    async def _aquery(self, query_bundle: QueryBundle) -> Response | AsyncStreamingResponse:
        """Answer as `_query` does, in threads: answering must not hold up the event loop."""
        if self._streaming:
            result = _StreamedAnswer()
            return AsyncStreamingResponse(
                _in_threads(self._stream(query_bundle, result)), result.nodes, result.metadata
            )
        options = self._options_for(query_bundle)
        return _response(await asyncio.to_thread(self._pipeline.answer, query_bundle.query_str, **options))

    def _options_for(self, query_bundle: QueryBundle) -> AnswerOptions:
        """Return the options of the engine, with the image of the query if it has one."""
        return {**self._options, "image": query_bundle.image_path or self._options.get("image")}

    def _stream(self, query_bundle: QueryBundle, result: _StreamedAnswer) -> Generator[str]:
        with closing(self._pipeline.stream(query_bundle.query_str, **self._options_for(query_bundle))) as events:
            for event in events:
                if isinstance(event, Checked):
                    yield from result.add(event)
                elif isinstance(event, Answered):
                    yield from result.end(event.answer)


@dataclass(slots=True)
class _StreamedAnswer:
    """The text that was streamed so far; nodes and metadata are filled at its end."""

    nodes: list[NodeWithScore] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)
    sentences: list[Sentence] = field(default_factory=list)
    anew: bool = False

    def add(self, checked: Checked) -> Generator[str]:
        """Yield the text of a sentence with the numbers that its citations will have at the end."""
        self.anew = self.anew or checked.index != len(self.sentences)
        if self.anew:
            return
        self.sentences.append(checked.sentence)
        order = {c: n for n, c in enumerate(dict.fromkeys(c for s in self.sentences for c in s.citations), 1)}
        yield " " * (checked.index > 0) + _with_numbers(
            checked.sentence, [order[c] for c in checked.sentence.citations]
        )

    def end(self, answer: Answer) -> Generator[str]:
        """Yield the missing part of the text."""
        self.nodes += nodes_of(answer)
        self.metadata |= metadata_of(answer)
        if tuple(self.sentences) != answer.sentences or answer.abstained:
            yield "\n\n" * bool(self.sentences) + text_of(answer)


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


async def _in_threads(texts: Generator[str]) -> AsyncGenerator[str]:
    """Yield the texts, each waited for in a thread; on cancellation that thread stays with `texts` for a while yet."""
    turn = threading.Lock()

    def following() -> str | None:
        with turn:
            return next(texts, None)

    def close() -> None:
        with turn:
            texts.close()

    try:
        while (text := await asyncio.to_thread(following)) is not None:
            yield text
    finally:
        await asyncio.shield(asyncio.to_thread(close))
