"""What the tabs share: the box that names the collection, and how their events behave. Gradio, as in every `tab_*`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import gradio as gr

from ui.desk import Desk
from ui.endpoints import Refused
from ui.visitors import COOKIE, name_in

Answers = Callable[..., Any]

QUIET: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
"""Options of an event of the page's own: no spinner of Gradio's over the text, not offered to programs."""
FOLLOWERS = 40
"""Answers, and as many comparisons, that are followed at a time, from the first moment on: `Asking` lets some of them
be made and the others say that they wait, where a place in Gradio's queue would show nothing and could not be stopped.
"""
THREADS = 3 * FOLLOWERS
"""Who follows has a thread; a third is left for whoever stops, clicks or comes back."""
MODES = [("Text and image", "multi"), ("Text", "text"), ("Image", "image")]
METHODS = [
    ("Quote", "quote"),
    ("Written", "vanilla"),
    ("Written in steps", "cot"),
    ("Written from whole pages", "visa"),
]
"""What may be chosen, as (shown, meant)."""


def public(function: Answers) -> Answers:
    """What a program may call, under Gradio's own kind of error: its message is passed on, that of others is not."""

    @wraps(function)
    def called(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except Refused as error:
            raise gr.Error(str(error), print_exception=False) from None

    return called


def visitor_of(request: gr.Request) -> str:
    """The name of the browser that asks, "" for one that keeps none."""
    return name_in(request.cookies.get(COOKIE, ""))


def choices(desk: Desk, wanted: str | None) -> gr.Dropdown:
    """The collection box with `wanted` chosen, or the first collection there is."""
    names = desk.collections()
    return gr.Dropdown(
        choices=list(names),
        value=chosen(names, wanted),
        label="Collection",
        show_label=False,
        elem_id="v-collection",
        filterable=False,
    )


def chosen(names: Sequence[str], *wanted: str | None) -> str | None:
    """The collection to begin with: the first of those `wanted` that is there, or any."""
    return next((name for name in (*wanted, *names) if name in names), None)
