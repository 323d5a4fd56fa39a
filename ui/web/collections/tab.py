"""The Collections tab: upload files, list collections, show parsed pages, delete documents and collections."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gradio as gr

from indexing import IndexingError
from ui.errors import NotAllowed, UploadError
from ui.show import message_html, public_words, render
from ui.web.collections.page import (
    NO_PAGE,
    DeletionTarget,
    compact,
    delete,
    deletion_target,
    follow_queue,
    page_html,
    queue_action,
    queue_html,
    tab_lists,
    unlock,
)
from ui.web.frame import QUIET, account_of, choices, initial_collection, visitor_of
from ui.web.open_collections import OpenCollections
from ui.web.uploads import DEFAULT, Uploads, collection_name

_CLICKS = """
element.addEventListener("click", (event) => {
  const button = event.target.closest("[data-act]");
  if (button && !button.disabled) trigger("select", { act: button.dataset.act, id: button.dataset.id });
});
element.addEventListener("change", (event) => {
  const page = event.target.dataset.pageOf;
  if (page) trigger("select", { act: "look", id: `${page}:${event.target.value}` });
});
"""
_BROWSED = _CLICKS + 'watch("value", () => document.dispatchEvent(new CustomEvent("vouch-browsed")));'
_UNLOCKED = '() => { document.dispatchEvent(new CustomEvent("vouch-unlocked")); }'
_MOST_VISITS = 1000


def collections_tab(page: gr.Blocks, open_collections: OpenCollections, uploads: Uploads, choice: gr.Dropdown) -> None:
    """Make the widgets and events of the Collections tab. `choice` is the collection box of the page."""
    on = _Clicks(open_collections, uploads)
    with gr.Row(elem_id="v-shelf"):
        with gr.Column(elem_id="v-shelf-left"):
            files, target, aim, password, folder, queue = _adding(uploads)
        with gr.Column(elem_id="v-shelf-right"):
            summaries = _clickable("v-holdings")
            message = gr.HTML(elem_id="v-said", apply_default_css=False)
            question, confirm, yes, no = _confirming()
            documents = _clickable("v-documents")
            plots = gr.HTML(apply_default_css=False)
    browser = _clickable("v-page-browser", _BROWSED)
    lists = [summaries, documents, plots]
    pending = gr.State(None)
    confirmation = [pending, question, confirm]
    options = {"trigger_mode": "multiple", "concurrency_limit": None, **QUIET}
    watch = (on.follow, choice, [queue, choice, *lists])
    watch_new = (on.follow_new, [target, choice], [queue, choice, *lists])
    page.load(on.show_arrivals, choice, [queue, target, browser, *lists], **QUIET).then(*watch, **options)
    target.change(_destination_note, target, aim, **QUIET)
    upload = files.upload(on.receive_files, [files, target, choice, password], message, preprocess=False, **options)
    upload.then(lambda: None, None, files, **options).then(*watch_new, **options)
    if folder is not None:
        folder.submit(on.index_path, [folder, target, choice, password], message, **options).then(*watch_new, **options)
    password.submit(on.unlock_files, [choice, password], [message, password], **QUIET).then(None, js=_UNLOCKED)
    queue.select(on.queue, password, [queue, password], **options).then(*watch, **options)
    summaries.select(on.collection, choice, [choice, message, *confirmation, *lists], **QUIET)
    documents.select(on.document, choice, [browser, *confirmation], **QUIET)
    browser.select(on.page, choice, browser, **QUIET)
    yes.click(on.delete_confirmed, [pending, choice], [message, choice, browser, *confirmation, *lists], **QUIET)
    no.click(_nothing_asked, None, confirmation, **QUIET)
    choice.change(on.show_collection, choice, [target, browser, *confirmation, *lists], **QUIET)


class _Clicks:
    """The event handlers of the tab; each returns values for the outputs that `collections_tab` connects it to."""

    def __init__(self, open_collections: OpenCollections, uploads: Uploads) -> None:
        self._open_collections = open_collections
        self._uploads = uploads
        self._selection: dict[str, str | None] = {}  # by visit: the collection that is selected now

    def show_arrivals(self, name: str | None, request: gr.Request) -> tuple[Any, ...]:
        return self._queue(request), *self.show_collection(name, request)[:2], *self._shelf(name)

    def receive_files(self, files: list[dict[str, Any]] | None, target: str | None, name: str | None, secret: str,
                request: gr.Request) -> str:  # fmt: skip
        try:
            self._uploads.receive(_owner(request), _goes_to(target, name), files, secret, account_of(request))
        except (UploadError, NotAllowed) as error:
            return message_html("Nothing was added.", public_words(error), "error")
        return ""

    def index_path(self, path: str, target: str | None, name: str | None, secret: str, request: gr.Request) -> str:
        try:
            self._uploads.receive_folder(_owner(request), _goes_to(target, name), path, secret)
        except (UploadError, IndexingError, OSError) as error:
            return message_html("Nothing was added.", f"{path}: {error}", "error")
        return ""

    def follow(self, name: str | None, request: gr.Request) -> Iterator[tuple[Any, ...]]:
        yield from self._follow_files(None, name, request)

    def follow_new(self, target: str | None, name: str | None, request: gr.Request) -> Iterator[tuple[Any, ...]]:
        try:
            yield from self._follow_files(_goes_to(target, name), name, request)
        except UploadError:  # `receive_files` has shown it
            return

    def _follow_files(self, goes_to: str | None, name: str | None, request: gr.Request) -> Iterator[tuple[Any, ...]]:
        """Yield the queue and the lists; the collection `goes_to` is selected, once, as soon as it exists."""
        visit = str(request.session_hash)
        for html, changed in follow_queue(self._uploads, _owner(request)):
            if not changed:
                yield html, *[gr.skip()] * 4
                continue
            names = self._open_collections.collections()
            box: dict[str, Any] = {"choices": list(names)}
            if goes_to in names:
                box["value"] = self._selection[visit] = goes_to
                goes_to = None
            now = self._selection.get(visit, name)
            yield html, gr.Dropdown(**box), *self._shelf(now)

    def queue(self, secret: str, request: gr.Request, event: gr.EventData) -> tuple[Any, ...]:
        action, item = _action_and_target(event)
        queue_action(self._uploads, _owner(request), action, item, secret)
        return self._queue(request), "" if action == "retry" else gr.skip()

    def unlock_files(self, name: str | None, secret: str) -> tuple[str, str]:
        return unlock(self._uploads, name, secret), ""

    def collection(self, name: str | None, event: gr.EventData) -> tuple[Any, ...]:
        action, other = _action_and_target(event)
        if action == "open":
            return gr.Dropdown(value=other), gr.skip(), *_nothing_asked(), *[gr.skip()] * 3
        if action == "compact":
            return gr.skip(), compact(self._uploads, other), *_nothing_asked(), *self._shelf(name)
        return gr.skip(), "", *_confirmation(*deletion_target(self._uploads, other)), *[gr.skip()] * 3

    def document(self, name: str | None, event: gr.EventData) -> tuple[Any, ...]:
        action, target = _action_and_target(event)
        if action == "look":
            return page_html(self._uploads, name, target), *_nothing_asked()
        return gr.skip(), *_confirmation(*deletion_target(self._uploads, name, target))

    def page(self, name: str | None, event: gr.EventData) -> str:
        return page_html(self._uploads, name, _action_and_target(event)[1])

    def delete_confirmed(self, target: DeletionTarget | None, name: str | None) -> tuple[Any, ...]:
        note = delete(self._uploads, target) if target else ""
        remaining = initial_collection(self._open_collections.collections(), name)
        return note, choices(self._open_collections, remaining), NO_PAGE, *_nothing_asked(), *self._shelf(remaining)

    def show_collection(self, name: str | None, request: gr.Request) -> tuple[Any, ...]:
        """Show another collection. If `_follow_files` selected it, an open page or question stays."""
        visit = str(request.session_hash)
        is_current = visit in self._selection and self._selection[visit] == name
        self._selection[visit] = name
        for old in list(self._selection)[:-_MOST_VISITS]:
            self._selection.pop(old, None)
        updates = [gr.skip()] * 4 if is_current else [NO_PAGE, *_nothing_asked()]
        return gr.Textbox(placeholder=name or DEFAULT), *updates, *self._shelf(name)

    def _queue(self, request: gr.Request) -> str:
        return queue_html(self._uploads.upload_queue.items(_owner(request)))

    def _shelf(self, name: str | None) -> tuple[str, str, str]:
        view = tab_lists(self._uploads, name)
        return view.summaries, view.documents, view.statistics


def _adding(uploads: Uploads) -> tuple[gr.File, gr.Textbox, gr.HTML, gr.Textbox, gr.Textbox | None, gr.HTML]:
    """Make the drop area, the box of the target, its note, the password, a folder if any is allowed, and the queue."""
    limits = uploads.settings
    with gr.Column(elem_id="v-add"):
        with gr.Row():
            target = gr.Textbox(
                label="Into collection", placeholder=DEFAULT, max_length=64, max_lines=1, elem_id="v-into"
            )
            password = gr.Textbox(
                label="Password, if locked", type="password", max_lines=1, submit_btn="Unlock", elem_id="v-password"
            )
        aim = gr.HTML(elem_id="v-aim", apply_default_css=False)
        files = gr.File(file_count="multiple", height=150, elem_id="v-files", show_label=False)
        gr.HTML(render("web/collections/templates/limits.html", limits=limits), apply_default_css=False)
        folder = None
        if limits.folders:
            folder = gr.Textbox(
                label="Or a folder on this machine",
                placeholder=str(limits.folders[0]),
                submit_btn="Read it",
                max_lines=1,
                elem_id="v-folder",
            )
        queue = _clickable("v-queue")
    return files, target, aim, password, folder, queue


def _goes_to(target: str | None, name: str | None) -> str:
    """Return the collection that files go to: the typed one, else the selected one. Raises UploadError."""
    typed_name = (target or "").strip()
    return collection_name(typed_name) if typed_name else name or DEFAULT


def _destination_note(target: str | None) -> str:
    """Return a note on the collection that files will go to, if it differs from what was typed or is invalid."""
    typed_name = (target or "").strip()
    try:
        name = collection_name(typed_name)
    except UploadError as error:
        return message_html("Files cannot be added under this name:", f"{error}.", "error")
    return message_html(f"They go to {name}.") if typed_name and name != typed_name else ""


def _confirming() -> tuple[gr.HTML, gr.Column, gr.Button, gr.Button]:
    """Make the question before something is deleted, the box around it, and the two answers."""
    with gr.Column(elem_id="v-confirm-box", visible=False) as box:
        question = gr.HTML(apply_default_css=False)
        with gr.Row():
            yes = gr.Button("Delete", elem_classes="v-danger-button", elem_id="v-yes", size="sm")
            no = gr.Button("Keep", elem_id="v-no", size="sm")
    return question, box, yes, no


def _clickable(name: str, script: str = _CLICKS) -> gr.HTML:
    """Make an HTML widget whose buttons send their `data-act` and `data-id` to the server."""
    return gr.HTML(elem_id=name, js_on_load=script, apply_default_css=False)


def _confirmation(target: DeletionTarget | None, question: str) -> tuple[Any, ...]:
    """Return the values of the widgets that ask for confirmation."""
    return target, question, gr.Column(visible=target is not None)


def _nothing_asked() -> tuple[Any, ...]:
    return _confirmation(None, "")


def _action_and_target(event: gr.EventData) -> tuple[str, str]:
    """Return the action of a button, and the id that it applies to."""
    data = event._data if isinstance(event._data, dict) else {}  # noqa: SLF001 - Gradio has no other name for it
    return str(data.get("act", "")), str(data.get("id", ""))


def _owner(request: gr.Request) -> str:
    """Return the owner name of a request's files: of the account, the browser or, without cookies, the visit."""
    return visitor_of(request) or f"visit {request.session_hash}"
