"""The Ask tab: a question, its answer, and beside it the page that proves each sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gradio as gr

from indexing import IndexingError
from ui.show import examples_html
from ui.web.api import Endpoints
from ui.web.ask.asking import AT_ONCE, Asking
from ui.web.ask.page import AskView, Options, arrived, asked_of, followed
from ui.web.frame import FOLLOWERS, METHODS, MODES, QUIET, choices, chosen, public, visitor_of
from ui.web.open_collections import OpenCollections

EXAMPLES = {
    "samples": (
        "What delay still counts as an on-time ferry departure?",
        "Why did fewer people travel to Gull Island?",
        "What would the bridge repairs cost in total?",
    )
}
_MOST_DOCUMENTS = 2000


def ask_tab(page: gr.Blocks, asking: Asking, choice: gr.Dropdown, first: str | None) -> None:
    """Make the widgets and events of the tab. `choice` is the collection box, `first` the collection to show."""
    open_collections = asking.open_collections
    with gr.Row(elem_id="v-desk"):
        with gr.Column(elem_id="v-left"):
            question, stop, options = _question(open_collections)
            current = gr.HTML(elem_id="v-current", apply_default_css=False, min_height=80)
            examples = gr.HTML(elem_id="v-examples", apply_default_css=False)
            past = gr.HTML(elem_id="v-past", apply_default_css=False)
            clear = gr.Button("Clear the history", elem_id="v-clear", size="sm", visible=False)
        with gr.Column(elem_id="v-right", elem_classes="v-pane"):
            evidence = gr.HTML(elem_id="v-evidence", apply_default_css=False)
            past_evidence = gr.HTML(elem_id="v-past-evidence", apply_default_css=False)
    documents = options[-1]
    shown = [current, evidence, past, past_evidence, stop, clear]

    def asked(request: gr.Request, name: str | None, text: str, *given: Any) -> Iterator[tuple[Any, ...]]:
        if not name or not text.strip():
            yield _widgets(arrived(asking, visitor_of(request), name, asked_nothing=True))
            return
        turn = asking.start(visitor_of(request), asked_of(name, text, Options(*given)))
        yield from map(_widgets, followed(asking, visitor_of(request), turn))

    def loaded(request: gr.Request) -> Iterator[tuple[Any, ...]]:
        turns = asking.history.turns(visitor_of(request))
        name = chosen(open_collections.collections(), turns[-1].asked.collection if turns else None, first)
        start = choices(open_collections, name), _examples(name), _documents(open_collections, name)
        yield *start, *_widgets(arrived(asking, visitor_of(request), name))
        if turns and turns[-1].now.state == "busy":
            for moment in followed(asking, visitor_of(request), turns[-1]):
                yield *(gr.skip() for _ in start), *_widgets(moment)

    def stopped(request: gr.Request) -> None:
        for turn in asking.history.turns(visitor_of(request))[-1:]:
            turn.stop()

    def cleared(name: str | None, request: gr.Request) -> tuple[Any, ...]:
        asking.history.clear(visitor_of(request))
        return _widgets(arrived(asking, visitor_of(request), name))

    page.load(loaded, None, [choice, examples, documents, *shown], concurrency_limit=None, **QUIET)
    choice.change(
        lambda name: (_examples(name), _documents(open_collections, name)), choice, [examples, documents], **QUIET
    )
    question.submit(asked, [choice, question, *options], shown, concurrency_limit=FOLLOWERS, **QUIET)
    stop.click(stopped, None, None, concurrency_limit=None, **QUIET)
    clear.click(cleared, choice, shown, **QUIET)
    offered = Endpoints(open_collections)
    for function in (offered.ask, offered.search):
        gr.api(public(function), api_name=function.__name__, concurrency_limit=AT_ONCE)


def _question(open_collections: OpenCollections) -> tuple[gr.Textbox, gr.Button, list[gr.Component]]:
    """Make the question box, the stop button, and the widgets of `Options` in its order."""
    rag = open_collections.profile.rag
    question = gr.Textbox(
        label="Question",
        placeholder="What would you like to know?",
        max_length=rag.max_question_chars,
        max_lines=4,
        submit_btn="Ask",
        elem_id="v-question",
        autofocus=True,
    )
    written = rag.model is not None
    with gr.Row(elem_id="v-options"):
        mode = gr.Dropdown(
            [("Automatic", ""), *MODES],
            value="" if rag.mode == "auto" else rag.mode,
            label="Search in",
            elem_id="v-mode",
        )
        method = gr.Dropdown(METHODS, value=rag.method, label="Answer", elem_id="v-method", visible=written)
        stop = gr.Button("Stop", elem_id="v-stop", interactive=False, size="sm")
    with gr.Accordion("More", open=False, elem_id="v-more"):
        documents = gr.Dropdown([], label="Only these documents", multiselect=True, elem_id="v-documents")
        with gr.Row():
            queries = gr.Slider(1, 20, rag.queries, step=1, label="Queries made of the question, at most")
            top_k = gr.Slider(1, 40, min(40, rag.top_k), step=1, label="Passages looked at")
        extract = gr.Checkbox(rag.extract, label="Let the model take notes of what was found first", visible=written)
        image = gr.File(
            label="An image to go with the question",
            file_types=[".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff"],
            height=110,
            elem_id="v-image",
        )
    return question, stop, [mode, method, queries, top_k, extract, image, documents]


def _widgets(shown: AskView) -> tuple[Any, ...]:
    """Return the values to show, for the widgets that show them; None leaves one as it is."""
    parts = (shown.current, shown.evidence, shown.past, shown.past_evidence)
    kept = [gr.skip() if part is None else part for part in parts]
    return *kept, gr.Button(interactive=shown.busy), gr.Button(visible=shown.turns > 0)


def _examples(name: str | None) -> str:
    """Return questions to begin with, where we know the documents."""
    return examples_html(EXAMPLES.get(name or "", ()))


def _documents(open_collections: OpenCollections, name: str | None) -> gr.Dropdown:
    """Return the documents of a collection to choose from, none chosen."""
    found: list[tuple[str, str]] = []
    if name:
        try:
            with open_collections.opened(name) as (collection, _):
                found = [(d.name, d.id) for d in collection.documents()[:_MOST_DOCUMENTS]]
        except IndexingError:  # asking says what is wrong with it
            found = []
    return gr.Dropdown(choices=found, value=[])
