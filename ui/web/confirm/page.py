"""The page of `vouch confirm` and its server, which listens on this machine alone."""

from __future__ import annotations

import contextlib
import io
import signal
from collections.abc import AsyncIterator
from typing import Any

import gradio as gr
from starlette.middleware import Middleware

from ui.show import render
from ui.web.app import launch_options  # first: it keeps Gradio from calling home
from ui.web.confirm.pairs import ReferencePairs
from ui.web.confirm.tab import pairs_tab
from ui.web.health import wait_for_signal
from ui.web.server import Border, Guard, ServerAddress


def build_pairs_page(pairs: ReferencePairs) -> gr.Blocks:
    """Build the page, not yet served."""
    with gr.Blocks(title="Vouch: pairs", analytics_enabled=False, fill_width=True) as page:
        with gr.Row(elem_id="v-top"):
            gr.HTML(render("web/templates/brand.html"), elem_id="v-brand", apply_default_css=False)
            gr.HTML(render("web/templates/theme.html", accounts=False, people=False), apply_default_css=False)
        with gr.Tabs(elem_id="v-tabs"), gr.Tab("Pairs", id="pairs"):
            pairs_tab(page, pairs)
    return page


def serve_pairs(pairs: ReferencePairs, port: int, *, block: bool = True) -> str:
    """Show the pairs until Ctrl-C or SIGTERM; return the address. Raises OSError where the port is taken."""
    address = ServerAddress(port=port)
    border = Border(address)
    page = build_pairs_page(pairs)

    @contextlib.asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[None]:
        border.enclose(app)
        yield

    options = launch_options(address, [Middleware(Guard)], lifespan) | {"max_file_size": "1kb"}
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # Gradio has a lot to say of itself
            _, where, _ = page.launch(**options)
    except OSError as error:
        raise OSError(f"cannot listen on port {port}: another program may have it; try --port") from error
    if block:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        print(f"The pairs are at {where}   (Ctrl-C stops it; every decision is saved at once)", flush=True)
        try:
            wait_for_signal()
        finally:
            page.close(verbose=False)
    return str(where)
