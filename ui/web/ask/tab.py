"""The Ask tab: a question, its answer, and beside it the page that proves each sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gradio as gr

from indexing import IndexingError
from rag import RagSettings
from ui.show import render
from ui.state import JUDGEMENTS, Feedback, MovedBox
from ui.web.ask.asking import AT_ONCE, Asking
from ui.web.ask.page import (
    AskView,
    Options,
    asked_of,
    chips_of,
    contents,
    conversation_view,
    conversations_html,
    follow_turn,
    review_view,
)
from ui.web.frame import FOLLOWERS, METHODS, MODES, QUIET, choices, initial_collection, models, visitor_of
from ui.web.open_collections import OpenCollections

_MOST_DOCUMENTS = 2000


_TALKS = """
element.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  const talk = button.closest(".v-talk");
  if (button.dataset.act) trigger("select", { act: button.dataset.act, id: button.dataset.id });
  if ("rename" in button.dataset) document.dispatchEvent(new CustomEvent("vouch-rename", { detail: talk }));
  if ("delete" in button.dataset) {
    event.stopPropagation();
    if (button.dataset.delete) trigger("select", { act: "delete", id: button.dataset.id });
    button.dataset.delete = "sure";
    button.textContent = "Delete for good";
  }
});
element.addEventListener("change", (event) => {
  const talk = event.target.closest(".v-talk");
  if (talk) trigger("select", { act: "rename", id: talk.dataset.talk, text: event.target.value });
});
"""
_TURNS = """
const judge = (group) => trigger("select", {
  act: "judge", id: group.dataset.judging, text: group.querySelector("input").value,
  judgement: group.querySelector("[aria-pressed='true']")?.dataset.judge ?? "", box: group.dataset.box ?? "",
});
element.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.dataset.act) trigger("select", { act: button.dataset.act, id: button.dataset.id });
  if (!button?.dataset.judge) return;
  const group = button.closest("[data-judging]");
  const pressed = button.getAttribute("aria-pressed") !== "true";
  for (const one of group.querySelectorAll("[data-judge]")) {
    one.setAttribute("aria-pressed", String(pressed && one === button));
  }
  judge(group);
});
element.addEventListener("change", (event) => {
  const group = event.target.closest("[data-judging]");
  if (group) judge(group);
});
"""


def ask_tab(page: gr.Blocks, asking: Asking, choice: gr.Dropdown, first: str | None, panel: gr.Tab) -> None:
    """Make the widgets and events of the Ask tab `panel`.

    `choice` is the page's collection box, `first` the collection to select first, None for any.
    """
    open_collections = asking.open_collections
    talk = gr.State("")
    with gr.Row(elem_id="v-desk"):
        with gr.Column(elem_id="v-left"):
            question, stop, options = _question(open_collections)
            search, review, begin, talks = _talks()
            current = gr.HTML(elem_id="v-current", apply_default_css=False, min_height=80, js_on_load=_TURNS)
            past = gr.HTML(elem_id="v-past", apply_default_css=False, js_on_load=_TURNS)
        with gr.Column(elem_id="v-right", elem_classes="v-pane"):
            inside = gr.HTML(elem_id="v-contents", apply_default_css=False)
            evidence = gr.HTML(elem_id="v-evidence", apply_default_css=False)
            past_evidence = gr.HTML(elem_id="v-past-evidence", apply_default_css=False)
    outputs = [current, evidence, past, past_evidence, stop, talk, talks]
    on = _Turns(asking, first)
    no_limit: dict[str, Any] = {"concurrency_limit": None, "trigger_mode": "multiple", **QUIET}
    page.load(on.collection_box, None, choice, **QUIET)
    page.load(on.load, None, outputs, **no_limit)
    page.load(on.model_boxes, None, options[:2] + options[4:7], **QUIET)
    before = gr.State(None)
    gr.on(
        [page.load, choice.change, panel.select],
        on.inside,
        [choice, before],
        [*options[-2:], inside, before],
        trigger_mode="always_last",
        concurrency_limit=AT_ONCE,
        **QUIET,
    )
    question.submit(on.ask, [talk, search, choice, question, *options], outputs, concurrency_limit=FOLLOWERS, **QUIET)
    stop.click(on.stop, talk, None, **no_limit)
    begin.click(on.begin_conversation, [search, choice], outputs, **QUIET)
    review.click(on.show_review, [talk, search, choice], outputs, **QUIET)
    search.change(on.list_conversations, [talk, search], talks, trigger_mode="always_last", **QUIET)
    talks.select(on.open_conversation, [talk, search, choice], [*outputs, choice], **no_limit)
    gr.on([current.select, past.select], on.judge_or_share, [talk, choice], [current, past], **no_limit)


class _Turns:
    """The event handlers of the tab; each returns or yields values for the outputs that `ask_tab` connects it to."""

    def __init__(self, asking: Asking, first: str | None) -> None:
        self._asking = asking
        self._conversations = asking.conversations
        self._first = first

    def ask(self, request: gr.Request, talk: str, words: str | None, name: str | None, text: str,
              *values: Any) -> Iterator[tuple[Any, ...]]:  # fmt: skip
        visitor = visitor_of(request)
        if not name or not text.strip():
            view = conversation_view(self._asking, visitor, name, talk, asked_nothing=True)
            yield self._widgets(visitor, view, words)
            return
        turn = self._asking.start(visitor, asked_of(name, text, Options(*values)), talk)
        for view in follow_turn(self._asking, visitor, turn):
            yield self._widgets(visitor, view, words)

    def inside(self, name: str | None, before: str | None) -> tuple[Any, ...]:
        """Return the documents and chips of a collection to choose from, its contents as HTML, and its name.

        `before` is the name of the previous call: if it is the same, selected documents stay selected.
        """
        open_collections = self._asking.open_collections
        return *documents_box(open_collections, name, anew=name != before), contents(open_collections, name), name

    def collection_box(self, request: gr.Request) -> gr.Dropdown:
        visitor = visitor_of(request)
        last = self._conversations.collection(visitor, self._conversations.latest(visitor))
        names = self._asking.open_collections.collections()
        return choices(self._asking.open_collections, initial_collection(names, last, self._first))

    def model_boxes(self) -> tuple[gr.Component, ...]:
        """Return the boxes that depend on the model, which may have been chosen since the server was started."""
        return _model_boxes(self._asking.open_collections.profile.rag)

    def load(self, request: gr.Request) -> Iterator[tuple[Any, ...]]:
        """Show the visitor's latest conversation when the page is loaded, and follow its last turn."""
        name = initial_collection(self._asking.open_collections.collections(), self._first)
        yield from self._show_conversation(name, self._conversations.latest(visitor_of(request)), "", request)

    def open_conversation(self, talk: str, words: str | None, name: str | None, request: gr.Request,
                event: gr.EventData) -> Iterator[tuple[Any, ...]]:  # fmt: skip
        """Open, rename or delete the conversation that was clicked in the list."""
        visitor, action = visitor_of(request), _event_fields(event)
        if action["act"] == "rename":
            self._conversations.rename(visitor, action["id"], action["text"])
        if action["act"] == "delete":
            self._conversations.delete(visitor, action["id"])
        if action["act"] == "open" or (action["act"] == "delete" and action["id"] == talk):
            talk = action["id"] if action["act"] == "open" else ""
            own = self._conversations.collection(visitor, talk)
            box = gr.Dropdown(value=own) if own in self._asking.open_collections.collections() else gr.skip()
            for widgets in self._show_conversation(name, talk, words, request):
                yield *widgets, box
                box = gr.skip()
            return
        yield *[gr.skip()] * 6, self.list_conversations(talk, words, request), gr.skip()

    def _show_conversation(
        self, name: str | None, talk: str, words: str | None, request: gr.Request
    ) -> Iterator[tuple[Any, ...]]:
        """Yield the widgets that show a conversation, again for each moment of a turn in progress."""
        visitor = visitor_of(request)
        turns = self._conversations.turns(visitor, talk)
        yield self._widgets(visitor, conversation_view(self._asking, visitor, name, talk), words)
        if turns and turns[-1].now.state == "busy":
            for view in follow_turn(self._asking, visitor, turns[-1]):
                yield self._widgets(visitor, view, words)

    def begin_conversation(self, words: str | None, name: str | None, request: gr.Request) -> tuple[Any, ...]:
        visitor = visitor_of(request)
        return self._widgets(visitor, conversation_view(self._asking, visitor, name), words)

    def show_review(self, talk: str, words: str | None, name: str | None, request: gr.Request) -> tuple[Any, ...]:
        visitor = visitor_of(request)
        return self._widgets(visitor, review_view(self._asking, visitor, name, talk), words)

    def list_conversations(self, talk: str, words: str | None, request: gr.Request) -> str:
        return conversations_html(self._conversations.search(visitor_of(request), words), talk, words)

    def judge_or_share(self, talk: str, name: str | None, request: gr.Request, event: gr.EventData) -> tuple[Any, ...]:
        """Judge a sentence, or share or unshare an answer; only sharing changes the widgets."""
        visitor, action = visitor_of(request), _event_fields(event)
        if action["act"] == "judge":
            turn, _, number = action["id"].partition(":")
            sentence = int(number) if number.isascii() and number.isdigit() and len(number) < 6 else 0
            word = next((w for w in JUDGEMENTS if w == action["judgement"]), None)
            moved_box = MovedBox.parse(action["box"]) if word == "wrong place" else None
            feedback = Feedback(word, action["text"], moved_box) if word else None
            self._conversations.judge(visitor, turn, sentence, feedback)
            return gr.skip(), gr.skip()
        if action["act"] == "share":
            self._conversations.share(visitor, action["id"])
        if action["act"] == "unshare":
            self._conversations.unshare(visitor, action["id"])
        view = conversation_view(self._asking, visitor, name, talk)
        return view.current, view.past

    def stop(self, talk: str, request: gr.Request) -> None:
        self._conversations.stop(visitor_of(request), talk)

    def _widgets(self, visitor: str, view: AskView, words: str | None) -> tuple[Any, ...]:
        """Return the values of the tab's seven widgets for a view."""
        parts = (view.current, view.evidence, view.past, view.past_evidence)
        values = [gr.skip() if part is None else part for part in parts]
        conversations = self._conversations.search(visitor, words) if not view.busy else ()
        conversation_list = gr.skip() if view.busy else conversations_html(conversations, view.conversation, words)
        return *values, gr.Button(interactive=view.busy), view.conversation, conversation_list


def _event_fields(event: gr.EventData) -> dict[str, str]:
    """Return the fields of a script's event: act, id, text, judgement and box; "" for a missing one."""
    data = event._data if isinstance(event._data, dict) else {}  # noqa: SLF001 - Gradio has no other name for it
    return {name: str(data.get(name, "")) for name in ("act", "id", "text", "judgement", "box")}


def _talks() -> tuple[gr.Textbox, gr.Button, gr.Button, gr.HTML]:
    """Make the list of conversations with its search box and the two buttons, in an accordion."""
    with gr.Accordion("Conversations", open=False, elem_id="v-drawer"):
        with gr.Row(elem_id="v-drawer-top"):
            search = gr.Textbox("", label="Search conversations", max_length=200, max_lines=1, elem_id="v-talk-search")
            review = gr.Button("Review answers", elem_id="v-review-all", size="sm")
            begin = gr.Button("New conversation", elem_id="v-new", size="sm")
        talks = gr.HTML(elem_id="v-talk-list", apply_default_css=False, js_on_load=_TALKS)
    return search, review, begin, talks


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
    mode, method, extract, every_page, model = _model_boxes(rag, render=False)
    with gr.Row(elem_id="v-options"):
        for box in (mode, method, model):
            box.render()
        stop = gr.Button("Stop", elem_id="v-stop", interactive=False, size="sm")
    with gr.Accordion("More", open=False, elem_id="v-more"):
        documents = gr.Dropdown([], label="Only these documents", multiselect=True, elem_id="v-documents")
        chips = chips_box("v-chips")
        with gr.Row():
            queries = gr.Slider(1, 20, rag.queries, step=1, label="Most ways to phrase the question")
            top_k = gr.Slider(1, 40, min(40, rag.top_k), step=1, label="Most places to look at")
        extract.render()
        every_page.render()
        gr.HTML(render("web/ask/templates/image.html"), apply_default_css=False)
        image = gr.File(
            label="An image to go with the question",
            show_label=False,
            file_types=[".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff"],
            height=130,
            elem_id="v-image",
        )
    return question, stop, [mode, method, queries, top_k, extract, every_page, model, image, documents, chips]


def _model_boxes(rag: RagSettings, **placing: Any) -> tuple[gr.Component, ...]:
    """Return the boxes that depend on the model: mode, method, notes, every page, and the model.

    Each appears where its `render` is called; as outputs of an event handler they update the displayed ones.
    """
    has_model = rag.model is not None
    return (
        gr.Dropdown(
            [("Automatic (text and images)", ""), *MODES],
            value="" if rag.mode == "auto" else rag.mode,
            label="Search in",
            elem_id="v-mode",
            **placing,
        ),
        gr.Dropdown(METHODS, value=rag.method, label="Answer", elem_id="v-method", visible=has_model, **placing),
        gr.Checkbox(
            rag.extract,
            label="Let the model take notes on what was found, and answer from the notes alone",
            visible=has_model,
            **placing,
        ),
        gr.Checkbox(
            False,
            label="Let the model read every page of these documents: for counts and lists; a call for some six pages",
            visible=has_model,
            elem_id="v-every-page",
            **placing,
        ),
        models(rag, "v-model", **placing),
    )


def chips_box(elem_id: str) -> gr.CheckboxGroup:
    """Make the chips, hidden and empty until a collection is selected."""
    return gr.CheckboxGroup(
        [], label="Only documents with", elem_id=elem_id, elem_classes="v-chips", visible=False, container=True
    )


def documents_box(
    open_collections: OpenCollections, name: str | None, *, anew: bool = False
) -> tuple[gr.Dropdown, gr.CheckboxGroup]:
    """Return the boxes of a collection's documents and of its chips; with `anew` their selection is cleared."""
    options: list[tuple[str, str]] = []
    chips: list[tuple[str, str]] = []
    if name:
        try:
            with open_collections.open_collection(name) as (collection, _):
                documents = collection.documents()
        except IndexingError:  # asking says what is wrong with it
            documents = ()
        options, chips = [(d.name, d.id) for d in documents[:_MOST_DOCUMENTS]], chips_of(documents)
    has_chips = bool(chips)
    if anew:
        return gr.Dropdown(choices=options, value=[]), gr.CheckboxGroup(choices=chips, value=[], visible=has_chips)
    return gr.Dropdown(choices=options), gr.CheckboxGroup(choices=chips, visible=has_chips)
