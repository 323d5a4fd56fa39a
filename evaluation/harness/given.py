"""Given evidence: the pages that a model is shown in the place of a search, and an answer without any.

CiteVQA shows whole documents, and compares with gold pages and gold documents (Table 4). MAVIS retrieves K documents
for each query, and compares with gold documents and with no document at all. MCiteBench shows the items of a question.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from evaluation.errors import Unshowable
from evaluation.harness.judge import picture, rubric_prompt
from evaluation.tasks import DocumentBase, Foreign, Given, GivenItems, GoldQuestion, InlineBoxes, PageRegion, Task
from indexing import Collection, IndexingError, Mode
from rag import Answer, Drafted, Pipeline, Queries, RankedPage, Sentence
from rag.llm import Form, Message, complete_as, in_line

if TYPE_CHECKING:
    from PIL import Image

RETRIEVED = "retrieved"
NOTHING = "nothing"
ITEMS, NAMES = "items", "names"
INPUTS = (RETRIEVED, "documents", "gold-documents", "gold-pages", NOTHING, ITEMS, NAMES)
"""The evidence that a model is shown: found by a search; all pages of the question's documents, of those that have
gold, or the pages that have gold; nothing; the items of the question as they are, with their captions or by name alone.
"""
BASES = ("text", "image", "multi")
"""The documents that are searched: texts alone, images alone, both."""
REPLY_TOKENS = 1536


@dataclass(frozen=True, slots=True)
class GivenPages:
    """The pages (document id, number from 1) to show a model, with their ranking and queries; none if `closed`."""

    pages: tuple[tuple[str, int], ...]
    ranking: tuple[RankedPage, ...] = ()
    queries: tuple[str, ...] = ()
    closed: bool = False


Choose = Callable[[GoldQuestion], GivenPages]
"""A function that chooses the pages for a question."""


class _Said(Form):
    sentences: list[Annotated[str, Field(max_length=400)]] = Field(max_length=20)


def gold_chooser(task: Given, input_name: str, collection: Collection) -> Choose:
    """Return a function that gives the pages of an input: `documents`, `gold-documents` or `gold-pages`."""
    count = {document.id: document.n_pages for document in collection.documents()}

    def choose_gold(question: GoldQuestion) -> GivenPages:
        gold = task.gold_pages(question)
        if input_name == "gold-pages":
            return GivenPages(gold)
        documents = question.documents if input_name == "documents" else tuple(dict.fromkeys(doc for doc, _ in gold))
        return GivenPages(tuple((doc, number) for doc in documents for number in range(1, count[doc] + 1)))

    return choose_gold


def top_documents(
    pipeline: Pipeline, mode: Mode, scope: Sequence[str], more: Sequence[str] = (), most: int = 0
) -> Choose:
    """Return a function that gives all pages of the best K documents of each query, each document once (MAVIS).

    It adds the best `most` documents of each query among `more`, as MAVIS adds texts to images (figure 5). The ranking,
    from which NDCG and Recall are computed, is that of all queries together in `scope`.
    """
    collection, settings = pipeline.collection, pipeline.settings
    count = {document.id: document.n_pages for document in collection.documents()}

    def best(queries: Queries, n: int, among: Sequence[str], limit: int) -> dict[str, None]:
        pages = collection.search(
            [queries.text[n].text],
            image_queries=[image.text for image in queries.image[n : n + 1]],
            mode=mode,
            hints=queries.hints,
            doc_ids=among,
            limit=limit,
            settings=settings.search,
        ).pages
        return dict.fromkeys(list(dict.fromkeys(page.doc_id for page in pages))[:limit])

    def choose_top(question: GoldQuestion) -> GivenPages:
        queries, results = pipeline.retrieve(question.text, documents=scope, mode=mode, image=question.image)
        documents: dict[str, None] = {}
        for n in range(len(queries.text)):
            documents |= best(queries, n, scope, settings.top_k)
            documents |= best(queries, n, more, most) if most and more else {}
        pages = tuple((doc, number) for doc in documents for number in range(1, count[doc] + 1))
        return GivenPages(pages, results.pages, tuple(query.text for query in queries.text))

    return choose_top


def chooser_of(
    task: Task,
    name: str,
    pipeline: Pipeline,
    mode: Mode,
    scope: Sequence[str] | None,
    more: Sequence[str] = (),
    most: int = 0,
) -> Choose | None:
    """Return a function that chooses the pages of the input `name`; None where the pipeline retrieves elements itself.

    `more` and `most` are those of `top_documents`.
    """
    if name == NOTHING:
        return lambda _: GivenPages((), closed=True)
    if name != RETRIEVED:
        return gold_chooser(task, name, pipeline.collection) if isinstance(task, Given) else None
    if isinstance(task, DocumentBase) and pipeline.settings.method in ("vanilla", "cot"):
        return top_documents(pipeline, mode, scope or (), more, most)
    return None


def from_items(
    task: GivenItems, question: GoldQuestion, pipeline: Pipeline, files: Mapping[str, Path], input_name: str
) -> dict[str, Any]:
    """Return the prediction of a question whose items are all shown to the model, without retrieval.

    Raises ModelError, and Unshowable for an image that cannot be read.
    """
    start = time.perf_counter()
    content = task.message(question, lambda document: picture(files[document]), captions=input_name == ITEMS)
    return _predict_raw(task, question, pipeline, content, "response", start)


def with_inline_boxes(
    task: InlineBoxes, question: GoldQuestion, pipeline: Pipeline, pages: Sequence[tuple[str, int]]
) -> dict[str, Any]:
    """Return the prediction of a question whose model sees page images and writes boxes into its answer.

    Raises ModelError, and Unshowable for a page that cannot be drawn and for more pages than the model takes.
    """
    start, most = time.perf_counter(), pipeline.model.capacity.images
    if len(pages) > most:
        raise Unshowable(
            f"{len(pages)} pages are to be shown, and {pipeline.model.name} takes {most} images per call: raise "
            "rag.model.images if its server takes more, or show fewer with --input gold-pages"
        )

    def draw(region: PageRegion) -> Image.Image:
        try:
            return pipeline.collection.draw_page(region.document, region.page, pipeline.settings.writing.page_width)
        except IndexingError as error:
            raise Unshowable(f"page {region.page} of {region.document} cannot be drawn ({error})") from None

    content = task.inline_message(question, pages, draw)
    return _predict_raw(task, question, pipeline, content, "model_predict", start)


def _predict_raw(
    task: Foreign,
    question: GoldQuestion,
    pipeline: Pipeline,
    parts: tuple[str | Image.Image, ...],
    key: str,
    start: float,
) -> dict[str, Any]:
    """Return the prediction of a model's reply to the message `parts`; the task parses the reply as value of `key`."""
    reply = pipeline.model.complete([Message("user", parts)])
    milliseconds = 1000 * (time.perf_counter() - start)
    return {
        "qid": question.qid,
        "question": question.text,
        **task.foreign(question, {key: reply.text}),
        "latency_ms": round(milliseconds, 3),
        "usage": asdict(reply.usage),
        "settings": pipeline.settings.hash,
    }


def closed_book(pipeline: Pipeline, question: GoldQuestion, mode: Mode) -> tuple[Answer, list[Drafted]]:
    """Return the model's answer without any source, and its drafts: sentences that cite nothing and are not checked.

    Raises ModelError, and Unshowable for an image that cannot be read.
    """
    model, writing = pipeline.model, pipeline.settings.writing
    prompt = rubric_prompt("closed_book").fill(question=in_line(question.text), sentences=str(writing.sentences))
    sees = question.image is not None and model.capacity.images
    parts = (prompt, picture(question.image)) if sees and question.image else (prompt,)
    reply, usage = complete_as(model, [Message("user", parts)], _Said, REPLY_TOKENS)
    texts = [text.strip() for text in reply.sentences if text.strip()][: writing.sentences]
    answer = answer_without_sources(pipeline, question, mode, texts)
    return replace(answer, usage=usage), [Drafted(n, text, ()) for n, text in enumerate(texts)]


def answer_without_sources(pipeline: Pipeline, question: GoldQuestion, mode: Mode, texts: Sequence[str] = ()) -> Answer:
    """Return an answer that consists of `texts`, all unconfirmed and without citations; without texts it abstains."""
    sentences = tuple(Sentence(text, (), "unconfirmed", "it was written without sources") for text in texts)
    settings = pipeline.settings
    return Answer(question.text, mode, sentences, (), 0.0, {}, settings.hash, method=settings.method)
