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
"""The methods that can be chosen, as (label, name)."""
_NAME_CHARS = 40
"""The most characters that are shown of the name of a model."""


def visitor_of(request: gr.Request) -> str:
    """Return the visitor name of a request: of an account or, without accounts, of a browser; "" if it has none."""
    return visitor(request.request.scope) if request.request else ""


def account_of(request: gr.Request | None) -> str:
    """Return the name of the account that sent a request, "" where there are no accounts."""
    return (request and request.username) or ""


def choices(open_collections: OpenCollections, name: str | None, *, ready: bool = True) -> gr.Dropdown:
    """Return the collection box with `name` selected, or the first collection if `name` does not exist.

    Until it is `ready` nothing can be selected: the values that a page gets once it is loaded would undo that.
    """
    names = open_collections.collections()
    return gr.Dropdown(
        interactive=ready,
        choices=list(names),
        value=initial_collection(names, name),
        label="Collection",
        show_label=False,
        elem_id="v-collection",
        filterable=False,
    )


def initial_collection(names: Sequence[str], *candidates: str | None) -> str | None:
    """Return the collection to select first: the first of `candidates` that is in `names`, else the first of these."""
    return next((name for name in (*candidates, *names) if name in names), None)


def models(rag: RagSettings, elem_id: str, **placing: Any) -> gr.Dropdown:
    """Return the box of the models by their names in the profile; it is hidden if there is only one."""
    names = rag.model_names
    return gr.Dropdown(
        [(shorten(name, _NAME_CHARS), name) for name in names],
        value=names[0] if names else None,
        label="Model",
        elem_id=elem_id,
        visible=len(names) > 1,
        **placing,
    )
