"""The Audit tab: the references of a paper, each with its verdict, its fields, and its box on the page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr

from plugins.audit.auditing import AuditEvent, audit_paper, pasted_name
from plugins.audit.progress import WorkView
from plugins.audit.web.page import NOTHING, WELCOME, follow_audit, message_view
from plugins.audit.web.runs import Audits
from ui import UploadError
from ui.show import message_html
from ui.web import FOLLOWERS, QUIET, visitor_of

if TYPE_CHECKING:
    from plugins.audit.web.runs import Events
    from ui.web import PageContext
    from ui.web.open_collections import OpenCollections

SUFFIXES = (".pdf", ".docx", ".html", ".htm", ".md", ".txt", ".bib")
"""The suffixes of the files that can be audited."""
_MOST_PASTED = 400_000
"""The most characters of entries that are pasted: a request has 1 MB."""


def audit_tab(context: PageContext) -> None:
    """Make the widgets and events of the tab."""
    page, asking, uploads, choice = context.page, context.asking, context.uploads, context.choice
    audits = Audits(asking, uploads, events_of(asking.open_collections))
    with gr.Row(elem_id="v-audit-desk", elem_classes="v-workdesk"):
        with gr.Column(elem_id="v-audit-left", elem_classes="v-workleft"):
            file, textbox, go, stop = _inputs()
            current = gr.HTML(elem_id="v-audit-current", apply_default_css=False, min_height=80)
        with gr.Column(elem_id="v-audit-right", elem_classes=["v-workright", "v-pane"]):
            evidence = gr.HTML(elem_id="v-audit-evidence", apply_default_css=False)
    outputs = [current, evidence, stop]

    def on_audit(request: gr.Request, name: str | None, files: Any, text: str) -> Iterator[Any]:
        try:
            if files:
                paper = uploads.take_one(files)
            elif (text or "").strip():
                paper = uploads.take_bytes(pasted_name(text), text[:_MOST_PASTED].encode(errors="replace"))
            else:
                yield _widgets(message_view(NOTHING))
                return
        except UploadError as error:
            yield _widgets(message_view(message_html("That file cannot be audited.", str(error), "error")))
            return
        run = audits.start(visitor_of(request), *paper, name)
        yield from map(_widgets, follow_audit(audits, run))

    def on_load(request: gr.Request) -> Iterator[Any]:
        run = audits.last(visitor_of(request))
        if run is None:
            yield _widgets(message_view(WELCOME))
        else:
            yield from map(_widgets, follow_audit(audits, run))

    def on_stop(request: gr.Request) -> None:
        audits.stop(visitor_of(request))

    page.load(on_load, None, outputs, concurrency_limit=None, **QUIET)
    events = {"inputs": [choice, file, textbox], "outputs": outputs, "preprocess": False, **QUIET}
    upload = file.upload(on_audit, concurrency_limit=FOLLOWERS, **events)
    upload.then(lambda: None, None, file, **QUIET)
    go.click(on_audit, concurrency_limit=FOLLOWERS, **events)
    stop.click(on_stop, None, None, concurrency_limit=None, **QUIET)


def _inputs() -> tuple[gr.File, gr.Textbox, gr.Button, gr.Button]:
    """Make the inputs for a file and for pasted entries, and the two buttons."""
    file = gr.File(
        label="A paper, or its bibliography",
        show_label=False,
        file_types=list(SUFFIXES),
        height=130,
        elem_id="v-audit-file",
        elem_classes="v-workfile",
    )
    textbox = gr.Textbox(
        label="Or its entries",
        placeholder="Paste BibTeX, or entries, one per line",
        lines=3,
        max_lines=8,
        max_length=_MOST_PASTED,
        elem_id="v-audit-text",
    )
    with gr.Row(elem_classes="v-workacts"):
        go = gr.Button("Audit", variant="primary", elem_id="v-audit-go")
        stop = gr.Button("Stop", interactive=False, elem_id="v-audit-stop")
    return file, textbox, go, stop


def _widgets(view: WorkView) -> tuple[Any, ...]:
    """Return the values of the outputs for a view: both HTML areas and the stop button."""
    return view.current, gr.skip() if view.evidence is None else view.evidence, gr.Button(interactive=view.busy)


def events_of(open_collections: OpenCollections) -> Events:
    """Return the function that audits a paper, with a collection if one is named."""

    def events(path: Path, name: str, collection: str | None) -> Iterator[AuditEvent]:
        profile = open_collections.profile
        if not collection:
            open_collections.ask_of_none("audit")
            yield from audit_paper(path, profile, name=name, home=open_collections.home)
            return
        with open_collections.open_collection(collection, "audit") as (source, _):
            yield from audit_paper(path, profile, name=name, collection=source, home=open_collections.home)

    return events
