"""The Ask tab: a question, its answer, and beside it the page that proves each sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import gradio as gr

from indexing import IndexingError
from ui.show import render
from ui.web.api import Endpoints
from ui.web.ask.asking import AT_ONCE, Asking
from ui.web.ask.chips import chips_of
from ui.web.ask.page import AskView, Options, arrived, asked_of, contents, followed
from ui.web.ask.turns import Turn
from ui.web.frame import (
    FOLLOWERS,
    LOOK_EVERY,
    METHODS,
    MODES,
    QUIET,
    choices,
    chosen,
    models,
    public,
    suggested,
    visitor_of,
)
from ui.web.open_collections import OpenCollections
from ui.web.suggestions import Suggestions

_MOST_DOCUMENTS = 2000


def ask_tab(page: gr.Blocks, asking: Asking, choice: gr.Dropdown, first: str | None, suggestions: Suggestions,
            opened: gr.Tab) -> None:  # fmt: skip
    """Make the widgets and events of the tab, which is `opened`.

    `choice` is the collection box, `first` the collection to show.
    """
    open_collections = asking.open_collections
    with gr.Row(elem_id="v-desk"):
        with gr.Column(elem_id="v-left"):
            question, stop, options = _question(open_collections)
            current = gr.HTML(elem_id="v-current", apply_default_css=False, min_height=80)
            examples = gr.HTML(elem_id="v-examples", apply_default_css=False)
            past = gr.HTML(elem_id="v-past", apply_default_css=False)
            clear = gr.Button("Clear the history", elem_id="v-clear", size="sm", visible=False)
        with gr.Column(elem_id="v-right", elem_classes="v-pane"):
            inside = gr.HTML(elem_id="v-contents", apply_default_css=False)
            evidence = gr.HTML(elem_id="v-evidence", apply_default_css=False)
            past_evidence = gr.HTML(elem_id="v-past-evidence", apply_default_css=False)
    shown = [current, evidence, past, past_evidence, stop, clear]

    def asked(request: gr.Request, name: str | None, text: str, *given: Any) -> Iterator[tuple[Any, ...]]:
        if not name or not text.strip():
            yield _widgets(arrived(asking, visitor_of(request), name, asked_nothing=True))
            return
        turn = asking.start(visitor_of(request), asked_of(name, text, Options(*given)))
        yield from map(_widgets, followed(asking, visitor_of(request), turn))

    def fresh(request: gr.Request) -> gr.Dropdown:
        turns = asking.history.turns(visitor_of(request))[-1:]
        return choices(open_collections, chosen(open_collections.collections(), *_collections(turns), first))

    def loaded(request: gr.Request) -> Iterator[tuple[Any, ...]]:
        name = chosen(open_collections.collections(), first)
        turns = asking.history.turns(visitor_of(request))
        yield _widgets(arrived(asking, visitor_of(request), name))
        if turns and turns[-1].now.state == "busy":
            yield from map(_widgets, followed(asking, visitor_of(request), turns[-1]))

    def stopped(request: gr.Request) -> None:
        for turn in asking.history.turns(visitor_of(request))[-1:]:
            turn.stop()

    def cleared(name: str | None, request: gr.Request) -> tuple[Any, ...]:
        asking.history.clear(visitor_of(request))
        return _widgets(arrived(asking, visitor_of(request), name))

    page.load(fresh, None, choice, **QUIET)
    page.load(loaded, None, shown, concurrency_limit=None, **QUIET)
    begun = [*options[-2:], inside, examples]
    _Beginnings(open_collections, suggestions).on([page.load, choice.change, opened.select], choice, begun)
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
        model = models(rag, elem_id="v-model")
        stop = gr.Button("Stop", elem_id="v-stop", interactive=False, size="sm")
    with gr.Accordion("More", open=False, elem_id="v-more"):
        documents = gr.Dropdown([], label="Only these documents", multiselect=True, elem_id="v-documents")
        chips = chips_box("v-chips")
        with gr.Row():
            queries = gr.Slider(1, 20, rag.queries, step=1, label="Ways to put the question, at most")
            top_k = gr.Slider(1, 40, min(40, rag.top_k), step=1, label="Places looked at, at most")
        extract = gr.Checkbox(
            rag.extract,
            label="Let the model take notes of what was found, and answer from these alone",
            visible=written,
        )
        gr.HTML(render("web/ask/templates/image.html"), apply_default_css=False)
        image = gr.File(
            label="An image to go with the question",
            show_label=False,
            file_types=[".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff"],
            height=130,
            elem_id="v-image",
        )
    return question, stop, [mode, method, queries, top_k, extract, model, image, documents, chips]


def _widgets(shown: AskView) -> tuple[Any, ...]:
    """Return the values to show, for the widgets that show them; None leaves one as it is."""
    parts = (shown.current, shown.evidence, shown.past, shown.past_evidence)
    kept = [gr.skip() if part is None else part for part in parts]
    return *kept, gr.Button(interactive=shown.busy), gr.Button(visible=shown.turns > 0)


class _Beginnings:
    """The beginning of each visit: the documents of the chosen collection, and questions that it answers well."""

    def __init__(self, open_collections: OpenCollections, suggestions: Suggestions) -> None:
        self._open_collections = open_collections
        self._suggestions = suggestions

    def on(self, triggers: Sequence[Any], choice: gr.Dropdown, shown: Sequence[gr.Component]) -> None:
        """Show the beginning of what is chosen in `shown`: documents, contents, questions. The last choice has its way.

        The questions may come after the rest: a clock looks for them.
        """
        before, clock = gr.State(None), gr.Timer(LOOK_EVERY, active=False)
        gr.on(
            triggers,
            self.inside,
            [choice, before],
            [*shown, clock, before],
            trigger_mode="always_last",
            concurrency_limit=AT_ONCE,
            **QUIET,
        )
        clock.tick(self.questions, [choice, before], [shown[-1], clock], concurrency_limit=FOLLOWERS, **QUIET)

    def inside(self, name: str | None, before: str | None) -> tuple[Any, ...]:
        """Return the documents and chips to choose from, the contents, the questions that are known, and the name.

        `before` is the name that this was last done for: then a choice of documents stays. The clock runs while the
        questions are being made.
        """
        choice = documents_box(self._open_collections, name, anew=name != before)
        return *choice, contents(self._open_collections, name), *self._known(name), name

    def questions(self, name: str | None, before: str | None) -> tuple[Any, Any]:
        """Return the questions once they are made, and stop the clock; nothing where another was chosen meanwhile."""
        return self._known(name) if name == before else (gr.skip(), gr.skip())

    def _known(self, name: str | None) -> tuple[Any, Any]:
        return suggested(self._suggestions, name)


def _collections(turns: Sequence[Turn]) -> list[str]:
    return [turn.asked.collection for turn in turns]


def chips_box(elem_id: str) -> gr.CheckboxGroup:
    """Make the chips; none are shown before a collection is."""
    return gr.CheckboxGroup(
        [], label="Only documents with", elem_id=elem_id, elem_classes="v-chips", visible=False, container=True
    )


def documents_box(
    open_collections: OpenCollections, name: str | None, *, anew: bool = False
) -> tuple[gr.Dropdown, gr.CheckboxGroup]:
    """Return the documents of a collection, and the chips, to choose from; nothing is chosen when shown `anew`."""
    found: list[tuple[str, str]] = []
    chips: list[tuple[str, str]] = []
    if name:
        try:
            with open_collections.opened(name) as (collection, _):
                documents = collection.documents()
        except IndexingError:  # asking says what is wrong with it
            documents = ()
        found, chips = [(d.name, d.id) for d in documents[:_MOST_DOCUMENTS]], chips_of(documents)
    shown = bool(chips)
    if anew:
        return gr.Dropdown(choices=found, value=[]), gr.CheckboxGroup(choices=chips, value=[], visible=shown)
    return gr.Dropdown(choices=found), gr.CheckboxGroup(choices=chips, visible=shown)
