"""The page of `vouch serve`: its frame, its tabs, and the server behind it. Gradio is imported here and in `tab_*`."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
import tempfile
import threading
from importlib.resources import files
from typing import Any

os.environ |= {  # read when Gradio is imported: nothing may call home
    "GRADIO_ANALYTICS_ENABLED": "False",
    "HF_HUB_DISABLE_TELEMETRY": "1",  # a tool call over MCP would ask the hub for the names of AI agents
}

import gradio as gr
from starlette.middleware import Middleware

from rag import Profile
from ui.asking import Asking
from ui.desk import Desk
from ui.door import Door
from ui.guard import Guard
from ui.routes import Routes
from ui.settings import ui_settings
from ui.tab_ask import ask_tab
from ui.tab_collections import collections_tab
from ui.tab_compare import compare_tab
from ui.tab_frame import THREADS, choices
from ui.upload_gate import UploadGate
from ui.visitors import Visitors

_PAPER = "<style>body { background: var(--v-paper) !important; }</style>"
"""Gradio keeps rules for the body out of the style sheet that it is given."""
_MOST_WAITING = 100
"""Requests that may wait in the queue; who comes after them is told so."""


def serve(door: Door, collection: str | None, profile: Profile) -> None:
    """Show the page until Ctrl-C or SIGTERM. Raises OSError when the port is taken."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a stopped service deletes its uploads too
    if door.warning:
        print(door.warning, file=sys.stderr, flush=True)
    desk = Desk(profile)
    with tempfile.TemporaryDirectory(prefix="vouch-uploads-") as uploads:
        os.environ["GRADIO_TEMP_DIR"] = uploads
        try:
            asking = Asking(desk)
            launch(build_page(asking, collection), door, asking, block=True)
        finally:
            desk.close()


def launch(page: gr.Blocks, door: Door, asking: Asking, block: bool) -> str:
    """Start the server and return its address; with `block`, return only when it was stopped."""
    page.queue(max_size=_MOST_WAITING)
    limits = ui_settings(asking.desk.profile)
    inside = [
        Middleware(Guard, hosts=door.hosts, mcp=door.mcp),
        Middleware(UploadGate, most_mb=limits.max_waiting_mb),
        Middleware(Visitors),
        Middleware(Routes, asking=asking),
    ]
    options: dict[str, Any] = {
        "server_name": door.host,
        "server_port": door.port,
        "auth": door.accounts.admits if door.accounts else None,
        "auth_message": "This is Vouch. Log in to see its documents.",
        "root_path": door.root_path or None,
        "share": door.share,
        "inbrowser": False,
        "quiet": True,
        "show_error": False,
        "prevent_thread_lock": True,
        "footer_links": [],
        "run_history": False,
        "allowed_paths": [],
        "max_threads": THREADS,
        "max_file_size": f"{limits.max_file_mb}mb",
        "enable_monitoring": False,
        "ssr_mode": False,
        "mcp_server": door.mcp,
        "pwa": False,
        "theme": _theme(),
        "css": _assets(".css"),
        "head": f"{_PAPER}<script>{_assets('.js')}</script>",
        "app_kwargs": {"middleware": inside, "docs_url": None, "redoc_url": None},
    }
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # what Gradio has to say of itself
            _, address, public = page.launch(**options)
    except OSError as error:
        raise OSError(
            f"cannot listen on {door.host}, port {door.port}: another program may have it; try --port"
        ) from error
    if block:
        tools = f"\nTools for language models: {address}gradio_api/mcp/" if door.mcp else ""
        print(f"Vouch is at {public or address}   (Ctrl-C stops it){tools}", flush=True)
        try:
            threading.Event().wait()
        finally:
            page.close(verbose=False)
    return str(address)


def _assets(suffix: str) -> str:
    """The style sheets or the scripts that stand beside this file, the ones of the whole page first."""
    found = sorted(
        (f for f in files("ui").iterdir() if f.name.endswith(suffix)), key=lambda f: (f.name != f"page{suffix}", f.name)
    )
    return "\n".join(f.read_text(encoding="utf-8") for f in found)


def _theme() -> gr.themes.Base:
    """Fonts of the system only; `page.css` sets the colours."""
    sans = ["ui-sans-serif", "system-ui", "-apple-system", "Segoe UI", "Helvetica Neue", "Arial", "sans-serif"]
    return gr.themes.Base(
        font=sans,
        font_mono=["ui-monospace", "Menlo", "Consolas", "monospace"],
        radius_size=gr.themes.sizes.radius_sm,
    )


def build_page(asking: Asking, collection: str | None = None) -> gr.Blocks:
    """The page, not yet served: three tabs, each in a file of its own."""
    desk = asking.desk
    with gr.Blocks(title="Vouch", analytics_enabled=False, fill_width=True, delete_cache=(3600, 3600)) as page:
        with gr.Row(elem_id="v-top"):
            gr.HTML('<h1 class="v-brand">Vouch</h1>', elem_id="v-brand", apply_default_css=False)
            choice = choices(desk, collection)
            gr.HTML(
                '<button type="button" class="v-theme" data-theme aria-label="Light or dark"></button>',
                apply_default_css=False,
            )
        with gr.Tabs(elem_id="v-tabs"):
            with gr.Tab("Ask", id="ask"):
                ask_tab(page, asking, choice, collection)
            with gr.Tab("Compare", id="compare"):
                compare_tab(page, asking, choice)
            with gr.Tab("Collections", id="collections"):
                collections_tab(page, desk, choice)
    return page
