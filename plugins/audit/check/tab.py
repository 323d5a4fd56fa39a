"""The Check tab: a text that somebody else wrote, each statement with its verdict and the place that proves it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import gradio as gr

from indexing import IndexingError
from plugins.audit.check.checks import SUFFIXES, BroughtText, Checks, read_brought
from plugins.audit.check.page import brought_html, follow_check, objection, refusal, welcome
from plugins.audit.progress import WorkView
from rag import RagError
from ui import UploadError
from ui.web import FOLLOWERS, QUIET, visitor_of
from ui.web.ask import chips_box, documents_box, where_of

if TYPE_CHECKING:
    from ui.web import PageContext

_MOST_PASTED = 400_000
"""The most characters of a text that is pasted: a request has 1 MB."""


def check_tab(context: PageContext) -> None:
    """Make the widgets and events of the tab."""
    page, asking, uploads, choice, tab = context.page, context.asking, context.uploads, context.choice, context.tab
    checks = Checks(asking)
    with gr.Row(elem_id="v-check-desk", elem_classes="v-workdesk"):
        with gr.Column(elem_id="v-check-left", elem_classes="v-workleft"):
            text, file, message, question, documents, chips, go, stop = _inputs()
            current = gr.HTML(elem_id="v-check-current", apply_default_css=False, min_height=80)
        with gr.Column(elem_id="v-check-right", elem_classes=["v-workright", "v-pane"]):
            evidence = gr.HTML(elem_id="v-check-evidence", apply_default_css=False)
    outputs = [current, evidence, stop]

    def text_brought(files: Any, request: gr.Request) -> tuple[Any, ...]:
        try:
            text = read_brought(asking.open_collections, uploads, files)
        except (UploadError, IndexingError, RagError) as error:
            checks.bring(visitor_of(request), None)
            return refusal(str(error)), gr.skip()
        checks.bring(visitor_of(request), text)
        return brought_html(text), ""

    def on_check(
        request: gr.Request, name: str | None, text: str, query: str, only: list[str] | None, chips: list[str] | None
    ) -> Iterator[Any]:
        who = visitor_of(request)
        source = BroughtText.from_pasted(text[:_MOST_PASTED]) if (text or "").strip() else checks.uploaded_file(who)
        if (no := objection(name, source)) is not None or source is None:
            yield _widgets(no or welcome(name))
            return
        run = checks.start(who, str(name), source, query or "", only or (), where_of(chips))
        yield from map(_widgets, follow_check(checks, run))

    def on_load(request: gr.Request, name: str | None) -> Iterator[Any]:
        run = checks.last(visitor_of(request))
        if run is None:
            yield _widgets(welcome(name))
        else:
            yield from map(_widgets, follow_check(checks, run))

    def on_stop(request: gr.Request) -> None:
        checks.stop(visitor_of(request))

    def choosable(name: str | None) -> tuple[gr.Dropdown, gr.CheckboxGroup]:
        return documents_box(asking.open_collections, name)

    page.load(on_load, choice, outputs, concurrency_limit=None, **QUIET)
    gr.on([choice.change, tab.select], choosable, choice, [documents, chips], trigger_mode="always_last", **QUIET)
    upload = file.upload(text_brought, file, [message, text], preprocess=False, concurrency_limit=FOLLOWERS, **QUIET)
    upload.then(lambda: None, None, file, **QUIET)
    go.click(on_check, [choice, text, question, documents, chips], outputs, concurrency_limit=FOLLOWERS, **QUIET)
    stop.click(on_stop, None, None, concurrency_limit=None, **QUIET)


def _inputs() -> tuple[Any, ...]:
    """Make the inputs (text, file, message about it, question, documents, chips) and the two buttons."""
    text = gr.Textbox(
        label="Text to check",
        placeholder="Paste a report, a model's answer, or part of a paper",
        lines=5,
        max_lines=8,
        max_length=_MOST_PASTED,
        elem_id="v-check-text",
        elem_classes="v-worktext",
    )
    file = gr.File(
        label="Or its file",
        show_label=False,
        file_types=list(SUFFIXES),
        height=130,
        elem_id="v-check-file",
        elem_classes="v-workfile",
    )
    message = gr.HTML(elem_id="v-check-said", apply_default_css=False)
    with gr.Accordion("More", open=False, elem_id="v-check-more", elem_classes="v-workmore"):
        question = gr.Textbox(
            label="The question that it answers, if any",
            max_length=2000,
            max_lines=3,
            elem_id="v-check-asked",
        )
        documents = gr.Dropdown([], label="Only these documents", multiselect=True, elem_id="v-check-documents")
        chips = chips_box("v-check-chips")
    with gr.Row(elem_classes="v-workacts"):
        go = gr.Button("Check", variant="primary", elem_id="v-check-go")
        stop = gr.Button("Stop", interactive=False, elem_id="v-check-stop")
    return text, file, message, question, documents, chips, go, stop


def _widgets(view: WorkView) -> tuple[Any, ...]:
    """Return the values of the outputs for a view: both HTML areas and the stop button."""
    return view.current, gr.skip() if view.evidence is None else view.evidence, gr.Button(interactive=view.busy)
