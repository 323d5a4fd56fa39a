"""The Compare tab: one question asked in several modes or methods, or of several models, side by side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gradio as gr

from ui.web.ask import Asking, chips_box, documents_box, where_of
from ui.web.compare.comparisons import METHODS, SLOTS, Comparisons, contenders_of
from ui.web.compare.page import CompareView, comparison_view, follow_comparison, objection, welcome
from ui.web.frame import FOLLOWERS, MODES, QUIET, visitor_of
from ui.web.frame import METHODS as ANSWERS

_SIDES = [("Text, image, both", "modes"), ("Ways to answer", "methods")]


def compare_tab(page: gr.Blocks, asking: Asking, choice: gr.Dropdown, panel: gr.Tab) -> None:
    """Make the widgets and events of the tab `panel`. `choice` is the collection box of the page."""
    comparisons = Comparisons(asking)
    question, stop, options, row = _question(asking)
    chips = chips_box("v-compare-chips")
    with gr.Row(elem_id="v-columns"):
        columns = [
            gr.HTML(elem_classes="v-slot", visible=n == 0, apply_default_css=False, min_height=60) for n in range(SLOTS)
        ]
    with gr.Column(elem_id="v-compare-evidence", elem_classes="v-pane"):
        evidence = gr.HTML(apply_default_css=False)
    below = gr.HTML(elem_id="v-compare-below", apply_default_css=False)
    outputs = [*columns, evidence, below, stop]

    def on_compare(
        request: gr.Request, name: str | None, text: str, with_chips: list[str] | None, *values: Any
    ) -> Iterator[tuple[Any, ...]]:
        contenders = contenders_of(*values)
        if (no := objection(name, text, contenders)) is not None:
            yield _widgets(no)
            return
        run = comparisons.start(visitor_of(request), str(name), text.strip(), contenders, where_of(with_chips))
        yield from map(_widgets, follow_comparison(asking.open_collections, run))

    def on_load(request: gr.Request) -> Iterator[tuple[Any, ...]]:
        run = comparisons.last(visitor_of(request))
        if run is None:
            yield gr.skip(), *_widgets(welcome())
        elif not any(moment.state == "busy" for moment in run.now):
            yield run.question, *_widgets(comparison_view(asking.open_collections, run, run.now))
        else:
            yield from ((run.question, *_widgets(moment)) for moment in follow_comparison(asking.open_collections, run))

    def choosable(name: str | None) -> gr.CheckboxGroup:
        return documents_box(asking.open_collections, name, anew=True)[1]

    def on_stop(request: gr.Request) -> None:
        comparisons.stop(visitor_of(request))

    def current(prior: list[str]) -> tuple[Any, ...]:
        """Return the models of the profile, and the widgets that depend on them; no changes if these are `prior`."""
        rag = asking.open_collections.profile.rag
        if (names := list(rag.model_names)) == prior:
            return (gr.skip(),) * 5
        sides = gr.Radio([*_SIDES, *[("Models", "models")] * (len(names) > 1)], value="modes")
        boxes = gr.Dropdown(value=rag.method), gr.CheckboxGroup(names, value=names[:2])
        return names, gr.Row(visible=bool(names)), sides, *boxes

    state, (by, _, method, *_, models) = gr.State([]), options
    gr.on([page.load, panel.select], current, state, [state, row, by, method, models], concurrency_limit=None, **QUIET)
    page.load(on_load, None, [question, *outputs], concurrency_limit=None, **QUIET)
    gr.on([page.load, choice.change], choosable, choice, chips, trigger_mode="always_last", **QUIET)
    question.submit(on_compare, [choice, question, chips, *options], outputs, concurrency_limit=FOLLOWERS, **QUIET)
    stop.click(on_stop, None, None, concurrency_limit=None, **QUIET)


def _question(asking: Asking) -> tuple[gr.Textbox, gr.Button, list[gr.Component], gr.Row]:
    """Make the question box, the stop button, the widgets of `contenders_of` in its order, and the row of these."""
    rag = asking.open_collections.profile.rag
    with gr.Row(elem_id="v-compare-ask"):
        question = gr.Textbox(
            label="Question to compare",
            placeholder="What would you like to compare?",
            max_length=rag.max_question_chars,
            max_lines=3,
            submit_btn="Compare",
            elem_id="v-compare-question",
        )
        stop = gr.Button("Stop", elem_id="v-compare-stop", interactive=False, size="sm")
    with gr.Row(elem_id="v-compare-options", visible=False) as row:
        by = gr.Radio(_SIDES, value="modes", label="Side by side")
        mode = gr.Dropdown(MODES, value="multi", label="Search in", visible=False)
        method = gr.Dropdown(ANSWERS, value=rag.method, label="Answer")
        extract = gr.Checkbox(rag.extract, label="From notes alone", min_width=140)
        which = gr.CheckboxGroup(
            [title for *_, title in METHODS], value=[title for *_, title in METHODS[:3]], label="Ways", visible=False
        )
        models = gr.CheckboxGroup([], label="Models", visible=False)

    def visible_choices(by: str) -> list[dict[str, Any]]:
        flags = (by != "modes", by != "methods", by != "methods", by == "methods", by == "models")
        return [gr.update(visible=visible) for visible in flags]

    by.change(visible_choices, by, [mode, method, extract, which, models], **QUIET)
    return question, stop, [by, mode, method, extract, which, models], row


def _widgets(view: CompareView) -> tuple[Any, ...]:
    """Return the values of the tab's widgets for a view: columns, evidence, tables, stop button."""
    missing = SLOTS - len(view.columns)
    columns = [gr.HTML(column, visible=True) for column in view.columns] + [gr.HTML("", visible=False)] * missing
    return *columns, view.evidence, view.below, gr.Button(interactive=view.busy)
