"""The parts that the tabs share: the collection box, and the behaviour of events. Gradio, as in every `tab.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gradio as gr

from configs import methods
from rag import RagSettings
from ui.show import shorten
from ui.web.open_collections import OpenCollections
from ui.web.server import visitor

QUIET: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
"""The options of an event of the page's own: no spinner of Gradio's over the text, not offered to programs."""
FOLLOWERS = 40
"""The number of answers, and of comparisons, that are followed at a time, from the first moment on: `Asking` lets some
of them be made and the others say that they wait; a place in Gradio's queue would show nothing and could not be
stopped.
"""
THREADS = 4 * FOLLOWERS
"""The number of threads: each follower has one; `QueueShares` leaves a quarter for what is short."""
MODES = [("Text and image", "multi"), ("Text", "text"), ("Image", "image")]
METHODS = [(method.label, method.name) for method in methods()]
"""The methods that may be chosen, as (shown, meant)."""
_NAME_CHARS = 40
"""The most characters that are shown of the name of a model."""


def visitor_of(request: gr.Request) -> str:
    """Return whose request it is: the account's or, where there are none, the browser's; "" for one without a name."""
    return visitor(request.request.scope) if request.request else ""


def account_of(request: gr.Request | None) -> str:
    """Return the name of the account that asks, "" where there are no accounts."""
    return (request and request.username) or ""


def choices(open_collections: OpenCollections, wanted: str | None, *, ready: bool = True) -> gr.Dropdown:
    """Return the collection box with `wanted` chosen, or the first collection there is.

    Until it is `ready` nothing can be chosen: what the browser is told when it arrives would take the choice back.
    """
    names = open_collections.collections()
    return gr.Dropdown(
        interactive=ready,
        choices=list(names),
        value=initial_collection(names, wanted),
        label="Collection",
        show_label=False,
        elem_id="v-collection",
        filterable=False,
    )


def initial_collection(names: Sequence[str], *wanted: str | None) -> str | None:
    """Return the collection to select first: the first of `wanted` that exists, else any."""
    return next((name for name in (*wanted, *names) if name in names), None)


def models(rag: RagSettings, elem_id: str, **placing: Any) -> gr.Dropdown:
    """Return the box of the models by their names in the profile; it is not shown where there is no choice."""
    names = rag.model_names
    return gr.Dropdown(
        [(shorten(name, _NAME_CHARS), name) for name in names],
        value=names[0] if names else None,
        label="Model",
        elem_id=elem_id,
        visible=len(names) > 1,
        **placing,
    )
