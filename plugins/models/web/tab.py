"""The Models tab: a model that fits this machine, a server that runs here, or an address with a key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import gradio as gr
from pydantic import ValidationError

from plugins.models.web.choosing import Choice, Choices
from plugins.models.web.page import choice_html, heading_html, models_to_choose, plan_html, refused_html, status_html
from rag import RagError
from ui import NotAllowed
from ui.show import message_html
from ui.web import FOLLOWERS, QUIET

if TYPE_CHECKING:
    from plugins.models.hub import FetchPlan
    from ui.web import PageContext

_REFUSALS = (NotAllowed, RagError, ValidationError)
_MOST_CHARS = 2000
_NO_MODEL = "Choose a model first."


def models_tab(context: PageContext) -> None:
    """Make the widgets and events of the tab."""
    choices = Choices(context.asking.open_collections)
    status = gr.HTML(elem_id="v-model-status", apply_default_css=False)
    progress = gr.HTML(elem_id="v-model-progress", apply_default_css=False)
    with gr.Row(elem_classes="v-workacts"):
        stop = gr.Button("Stop", elem_id="v-model-stop", size="sm", visible=False)
        quotes = gr.Button("Quotes again", elem_id="v-model-quotes", size="sm", visible=False)
    with gr.Row(elem_id="v-model-ways", visible=False) as ways:
        with gr.Column(elem_classes="v-model-way"):
            model, show, plan, fetch = _catalogue()
        with gr.Column(elem_classes="v-model-way"):
            look, server, use = _servers()
        with gr.Column(elem_classes="v-model-way"):
            address, name, key, connect = _address()
    advice = gr.HTML(elem_id="v-model-advice", apply_default_css=False)
    todo = gr.State(None)
    on = _Clicks(choices)
    outputs = [progress, status, stop, quotes]
    context.page.load(on.load, None, [ways, model, *outputs], concurrency_limit=None, **QUIET)
    gr.on(
        [context.choice.change, context.tab.select], on.advise, context.choice, advice, concurrency_limit=None, **QUIET
    )
    show.click(on.plan, model, [todo, plan, fetch, progress], **QUIET)
    model.change(
        lambda: (None, gr.HTML("", visible=False), gr.Button(visible=False)), None, [todo, plan, fetch], **QUIET
    )
    fetch.click(on.fetch, [todo, model], outputs, concurrency_limit=FOLLOWERS, **QUIET)
    look.click(on.look_for_servers, None, [server, use, progress], **QUIET)
    use.click(on.use, server, outputs, concurrency_limit=FOLLOWERS, **QUIET)
    connect.click(on.connect, [address, name, key], outputs, concurrency_limit=FOLLOWERS, **QUIET).then(
        lambda: "", None, key, **QUIET
    )
    stop.click(on.stop, None, None, concurrency_limit=None, **QUIET)
    quotes.click(on.quote_only, None, outputs, **QUIET)


class _Clicks:
    """The handlers of the tab's events; each gives values for the outputs that it is wired to."""

    def __init__(self, choices: Choices) -> None:
        self._choices = choices

    def load(self) -> Iterator[tuple[Any, ...]]:
        may_choose = self._choices.may_choose
        models = models_to_choose() if may_choose else []
        first = gr.Row(visible=may_choose), gr.Radio(choices=models, value=models[0][1] if models else None)
        latest = self._choices.latest if may_choose else None
        if latest is None:
            yield *first, *self._widget_values(None)
            return
        for values in self._follow(latest):
            yield *first, *values
            first = gr.skip(), gr.skip()

    def advise(self, collection: str | None) -> str:
        """Return advice on the text embedder of the selected collection."""
        says = self._choices.advice(collection) if collection else ""
        return message_html("A text embedder for more languages", says[:1].upper() + says[1:]) if says else ""

    def plan(self, name: str | None) -> tuple[Any, ...]:
        """Return the files that would be fetched; an installed model needs no plan."""
        ready = {value for label, value in models_to_choose() if ": is here" in label}
        try:
            if not name:
                return gr.skip(), gr.skip(), gr.skip(), refused_html(ValueError(_NO_MODEL))
            if name in ready:
                return None, gr.HTML("", visible=False), gr.Button(f"Use {name}", visible=True), ""
            todo = self._choices.plan(name)
        except _REFUSALS as error:
            return None, gr.HTML("", visible=False), gr.Button(visible=False), refused_html(error)
        accept = f"Accept {todo.licence} and fetch" if todo.licence else "Fetch"
        return todo, gr.HTML(plan_html(todo), visible=True), gr.Button(accept, visible=True), ""

    def fetch(self, todo: FetchPlan | None, name: str | None) -> Iterator[tuple[Any, ...]]:
        yield from self._begin(lambda: self._choices.fetch(todo) if todo else self._choices.use(name or ""))

    def look_for_servers(self) -> tuple[Any, ...]:
        try:
            models = self._choices.servers()
        except _REFUSALS as error:
            return gr.skip(), gr.skip(), refused_html(error)
        options = [(f"{name[:80]} at {address}", f"{address} {name}") for name, address in models]
        nothing = (
            "" if models else refused_html(ValueError("No server answers here: start Ollama, LM Studio or llama.cpp."))
        )
        return (
            gr.Radio(choices=options, value=options[0][1] if options else None, visible=bool(options)),
            gr.Button(visible=bool(options)),
            nothing,
        )

    def use(self, server: str | None) -> Iterator[tuple[Any, ...]]:
        address, _, name = (server or "").partition(" ")
        yield from self._begin(lambda: self._choices.connect(address, name))

    def connect(self, address: str, name: str, key: str) -> Iterator[tuple[Any, ...]]:
        yield from self._begin(lambda: self._choices.connect(address, name, key))

    def stop(self) -> None:
        if self._choices.may_choose:
            self._choices.stop()

    def quote_only(self) -> tuple[Any, ...]:
        try:
            self._choices.quotes()
        except _REFUSALS as error:
            return refused_html(error), gr.skip(), gr.skip(), gr.skip()
        return self._widget_values(None)

    def _begin(self, begin: Any) -> Iterator[tuple[Any, ...]]:
        """Begin work and yield its progress to the widgets, or the reason why it cannot begin."""
        try:
            choice = begin()
        except _REFUSALS as error:
            yield refused_html(error), gr.skip(), gr.skip(), gr.skip()
            return
        yield from self._follow(choice)

    def _follow(self, choice: Choice) -> Iterator[tuple[Any, ...]]:
        for moment in choice.follow():
            yield choice_html(moment), *self._widget_values(moment)[1:]

    def _widget_values(self, moment: Any) -> tuple[Any, ...]:
        """Return progress, status and the two buttons."""
        busy = moment is not None and moment.state == "busy"
        quotes = gr.Button(visible=self._choices.may_choose and bool(self._choices.in_use) and not busy)
        return choice_html(moment), status_html(self._choices), gr.Button(visible=busy), quotes


def _catalogue() -> tuple[gr.Radio, gr.Button, gr.HTML, gr.Button]:
    """Make the first way: a model of the catalogue that fits this machine."""
    gr.HTML(heading_html("A model on this machine"), apply_default_css=False)
    model = gr.Radio([], label="Models that fit its memory", elem_id="v-model-name")
    show = gr.Button("Show files and licence", elem_id="v-model-show")
    plan = gr.HTML(elem_id="v-model-plan", visible=False, apply_default_css=False)
    fetch = gr.Button("Fetch", variant="primary", elem_id="v-model-fetch", visible=False)
    return model, show, plan, fetch


def _servers() -> tuple[gr.Button, gr.Radio, gr.Button]:
    """Make the second way: a server that runs on this machine."""
    gr.HTML(heading_html("A server that runs here"), apply_default_css=False)
    look = gr.Button("Look for Ollama, LM Studio and others", elem_id="v-model-look")
    server = gr.Radio([], label="Models that were found", elem_id="v-model-server", visible=False)
    use = gr.Button("Use it", variant="primary", elem_id="v-model-use", visible=False)
    return look, server, use


def _address() -> tuple[gr.Textbox, gr.Textbox, gr.Textbox, gr.Button]:
    """Make the third way: an address with a key."""
    gr.HTML(heading_html("An address with a key"), apply_default_css=False)
    address = gr.Textbox(
        label="Address of an OpenAI-compatible server",
        placeholder="https://models.example.org/v1",
        max_length=_MOST_CHARS,
        elem_id="v-model-address",
    )
    name = gr.Textbox(label="Model, if it has several", max_length=_MOST_CHARS, elem_id="v-model-of-server")
    key = gr.Textbox(
        label="Key, if it needs one",
        info="It is kept in memory until Vouch ends, and written nowhere.",
        type="password",
        max_length=_MOST_CHARS,
        elem_id="v-model-key",
    )
    connect = gr.Button("Try it", variant="primary", elem_id="v-model-connect")
    return address, name, key, connect
