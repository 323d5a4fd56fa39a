"""The page of `vouch serve`: its frame, its tabs, and its server. Gradio is imported here and in each `tab.py`."""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import re
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ |= {  # read when Gradio is imported: nothing may call home
    "GRADIO_ANALYTICS_ENABLED": "False",
    "HF_HUB_DISABLE_TELEMETRY": "1",
}

import anyio.to_thread
import gradio as gr
from gradio import http_server
from gradio.utils import get_upload_folder
from starlette.middleware import Middleware

from rag import Profile, traces_sent
from ui.access import NOBODY, Access, acting, at_scene
from ui.errors import AddressError
from ui.settings import UiSettings
from ui.show import clean, render
from ui.web.api import ADDRESS, Api, ServerContext, ToolGate, ToolServer, server_context
from ui.web.ask import Asking, ask_tab
from ui.web.collections import collections_tab
from ui.web.compare import compare_tab
from ui.web.frame import THREADS, choices
from ui.web.health import Departure, Health, wait_for_signal
from ui.web.metrics import Activity
from ui.web.open_collections import IdleReading, OpenCollections
from ui.web.routes import Routes
from ui.web.server import (
    Bodies,
    Connections,
    OriginCheck,
    Ownership,
    QueuedEvent,
    QueueShares,
    RouteFilter,
    ServerAddress,
    Visitors,
    answer_fault,
    caller,
    explain_start_failure,
    identity,
    logged_faults,
    visitor,
)
from ui.web.signatures import Signatures
from ui.web.uploads import Uploads
from vouch.hooks import additions, load, package_of

if TYPE_CHECKING:
    from ui.state import StateStore

_MOST_WAITING = 1000
"""The most events that may wait in Gradio's queue: more than `QueueShares` lets in."""
_SWEEP_SECONDS = 60.0
_LEFT_SHOWN = 20
TRACES_VARIABLE = "VOUCH_TRACES"
"""The variable of the environment that names the collector of traces."""


def serve(
    server_address: ServerAddress,
    collection: str | None,
    profile: Profile,
    state: StateStore,
    access: Access,
    password: str | None = None,
) -> None:
    """Serve the page until Ctrl-C or SIGTERM; `password` opens locked documents. Raises OSError if the port is taken.

    The caller closes `state`.
    """
    departure = Departure()

    def on_sigterm(*_: object) -> None:
        departure.begin()
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # a second SIGTERM ends the server at once
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, on_sigterm)  # a stopped service deletes its uploads too
    if server_address.warning:
        print(server_address.warning, file=sys.stderr, flush=True)
    open_collections = OpenCollections(profile, password=password, access=access)
    with _traces(), tempfile.TemporaryDirectory(prefix="vouch-uploads-") as uploads:
        os.environ["GRADIO_TEMP_DIR"] = uploads
        try:
            asking = Asking(open_collections, state)
            uploads_ = uploads_of(open_collections)
            if uploads_.left:
                print(_left_note(uploads_.left), file=sys.stderr, flush=True)
            IdleReading(
                open_collections, texts=IdleReading.reads_texts(profile, with_accounts=access.has_accounts)
            ).begin()
            page = build_page(asking, uploads_, collection)
            launch(page, server_address, asking, uploads_, block=True, departure=departure)
        except KeyboardInterrupt:
            if not departure.begun:  # else SIGTERM came before the server had started
                raise
        finally:
            open_collections.close()
    if departure.overdue:  # a thread that waits for a model would hold this process until it has answered
        sys.stdout.flush()
        os._exit(0)


def _left_note(names: Sequence[str]) -> str:
    """Return the message on the uploads that an earlier server had not read, by their names."""
    text = ", ".join(clean(name) for name in names[:_LEFT_SHOWN])
    more = f" and {len(names) - _LEFT_SHOWN} more" if len(names) > _LEFT_SHOWN else ""
    return f"vouch: uploads that were not read before the server ended, and are deleted; add them again: {text}{more}"


def _traces() -> contextlib.AbstractContextManager[None]:
    """Return a context that sends traces if VOUCH_TRACES names a collector. Raises AddressError if it is not usable."""
    address = os.environ.get(TRACES_VARIABLE, "")
    if not address:
        return contextlib.nullcontext()
    if not re.fullmatch(r"https?://[\w.:\[\]-]+(?:/[\w./~-]*)?", address):
        raise AddressError(f"{TRACES_VARIABLE} is not the address of a collector: write http://HOST:4318")
    if find_spec("opentelemetry") is None or find_spec("opentelemetry.exporter") is None:
        raise AddressError(f"{TRACES_VARIABLE} needs packages that are not installed: pip install 'vouch[traces]'")
    return traces_sent(address)


def uploads_of(open_collections: OpenCollections) -> Uploads:
    """Return the uploads of a page: the files of its visitors, and those sent to its tools."""
    folder = open_collections.home / ".waiting"
    return Uploads(open_collections, Path(get_upload_folder()), folder)


def _launch_options(server_address: ServerAddress, middleware: list[Middleware], lifespan: Any) -> dict[str, Any]:
    """Return the options of Gradio's `launch`: without its own links and messages, and without outside connections."""
    return {
        "server_name": server_address.host,
        "server_port": server_address.port,
        "inbrowser": False,
        "quiet": True,
        "show_error": False,
        "prevent_thread_lock": True,
        "footer_links": [],
        "run_history": False,
        "allowed_paths": [],
        "enable_monitoring": False,
        "ssr_mode": False,
        "pwa": False,
        "theme": theme(),
        "css": render("web/templates/colours.css") + assets(".css"),
        "head": str(render("web/templates/head.html", scripts=assets(".js"))),
        "app_kwargs": {
            "middleware": middleware,
            "lifespan": lifespan,
            "exception_handlers": {500: answer_fault},
            "docs_url": None,
            "redoc_url": None,
        },
    }


def launch(
    page: gr.Blocks,
    server_address: ServerAddress,
    asking: Asking,
    uploads: Uploads,
    block: bool,
    departure: Departure | None = None,
) -> str:
    """Start the server and return its address; with `block`, return only after it was stopped (`departure`)."""
    page.queue(max_size=_MOST_WAITING)
    limits, departure = uploads.settings, departure or Departure()
    metrics = asking.open_collections.metrics
    metrics.activity = Activity(questions=limits.log_questions)
    origin_check = OriginCheck(server_address)
    context = server_context(asking, uploads)
    tools = ToolServer(context) if server_address.mcp else None
    log = asking.open_collections.home / ".logs" / f"serve-{server_address.port}.log"
    options = _launch_options(
        server_address,
        _page_middleware(page, server_address, context, departure, tools),
        _lifespan(origin_check, uploads, log, asking.open_collections.access, tools),
    )
    options |= asking.open_collections.access.page_options()
    options |= {
        "root_path": server_address.root_path or None,
        "share": server_address.share,
        "max_threads": THREADS,
        "max_file_size": f"{limits.max_file_mb}mb",
        "mcp_server": False,  # `ToolServer` does not need Gradio's
    }
    with (
        explain_start_failure(server_address),
        contextlib.redirect_stdout(io.StringIO()),
        _apply_connection_limits(limits),
    ):
        _, address, public = page.launch(**options)  # Gradio prints messages of its own
    if public:
        origin_check.name_origin(public)
    if block:
        note = f"\nTools for language models: {(public or address).rstrip('/')}{ADDRESS}" if tools else ""
        print(f"Vouch is at {public or address}   (Ctrl-C stops it){note}", flush=True)
        try:
            wait_for_signal()
        except KeyboardInterrupt:
            if not departure.begun:
                raise
            print(
                "Vouch is stopping: running answers are finished, and no new ones begin.", file=sys.stderr, flush=True
            )
            if not departure.wait(limits.stop_seconds, lambda: metrics.under_way + len(_events_of(page))):
                print(f"vouch: some took longer than {limits.stop_seconds:g} s (ui.stop_seconds)", file=sys.stderr)
        finally:
            page.close(verbose=False)
    return str(address)


@contextlib.contextmanager
def _apply_connection_limits(limits: UiSettings) -> Iterator[None]:
    """Apply the limits on connections to the server that Gradio starts, which passes no options on to uvicorn."""
    connections, theirs = Connections(limits), http_server.Server

    class LimitedServer(http_server.Server):  # type: ignore[misc]  # Gradio tells no types
        def __init__(self, config: Any, *arguments: Any, **kwargs: Any) -> None:
            connections.apply(config)
            super().__init__(config, *arguments, **kwargs)

    http_server.Server = LimitedServer
    try:
        yield
    finally:
        http_server.Server = theirs


def _page_middleware(
    page: gr.Blocks,
    server_address: ServerAddress,
    context: ServerContext,
    departure: Departure,
    tools: ToolServer | None = None,
) -> list[Middleware]:
    """Return our middleware, the outermost first; Gradio's own is outside it, its routes inside."""
    asking, uploads = context.asking, context.uploads
    limits, access = uploads.settings, asking.open_collections.access
    signatures = Signatures.of_home(asking.open_collections.home)
    metrics = asking.open_collections.metrics
    metrics.gauge("vouch_files_waiting", "Files that wait to be read", lambda: uploads.upload_queue.waiting(None)[0])
    metrics.gauge(
        "vouch_events_waiting", "Events of the page that wait or are worked on", lambda: len(list(queued_events()))
    )

    def queued_events() -> Iterable[QueuedEvent]:
        for event in _events_of(page):
            scope = event.request.scope
            yield QueuedEvent(visitor(scope) or caller(scope), str(event.fn.name))

    def name_of(number: int) -> str:
        return str(page.fns[number].name) if number in page.fns else ""

    def owner_of(event_id: str) -> str:
        event = page._queue.event_ids_to_events.get(event_id)  # noqa: SLF001 - Gradio has no public name for it
        return visitor(event.request.scope) if event is not None else ""

    gate: list[Middleware] = []
    if tools is not None:
        gate.append(Middleware(ToolGate, tools=tools, with_tokens=access.has_accounts, origin=server_address.origin))
    return [
        Middleware(RouteFilter, mcp=tools is not None),
        Middleware(Health, open_collections=asking.open_collections, metrics=metrics, departure=departure),
        Middleware(Visitors, signatures=signatures, access=access),
        Middleware(Bodies, limits=limits, arrivals=uploads.arrivals),
        *access.middleware(signatures.of, server_address.origin),
        Middleware(Ownership, uploads=uploads, signatures=signatures, owner_of=owner_of),
        Middleware(QueueShares, limits=limits, events=queued_events, name_of=name_of),
        *gate,
        Middleware(Api, context=context),
        Middleware(Routes, asking=asking),
    ]


def _events_of(page: gr.Blocks) -> list[Any]:
    """Return the events of Gradio's queue, waiting or in progress."""
    return list(page._queue.event_ids_to_events.values())  # noqa: SLF001 - Gradio has no public name for it


def _lifespan(
    origin_check: OriginCheck, uploads: Uploads, log: Path, access: Access, tools: ToolServer | None
) -> Callable[[Any], contextlib.AbstractAsyncContextManager[None]]:
    """Return the lifespan of Gradio's application.

    It adds the origin check and sessions; until the server stops it logs faults, sweeps uploads and runs the tools.
    """

    @contextlib.asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[None]:
        origin_check.wrap(app)
        app.tokens = access.sessions()
        with logged_faults(log, as_json=uploads.settings.log_format == "json"):
            sweeping = asyncio.create_task(_sweep_regularly(uploads))
            try:
                async with tools.run() if tools else contextlib.nullcontext():
                    yield
            finally:
                sweeping.cancel()

    return lifespan


async def _sweep_regularly(uploads: Uploads) -> None:
    """Delete uploads that are no longer needed, once a minute, until it is cancelled."""
    while True:
        await asyncio.sleep(_SWEEP_SECONDS)
        await anyio.to_thread.run_sync(uploads.sweep)


def assets(suffix: str) -> str:
    """Return the contents of all files with `suffix` in the static folders of page and plugins, `page` first."""
    tabs = {package_of(tab.build) for tab in additions("tabs")}
    folders = [files(package) / "static" for package in ("ui.web", *sorted(tabs))]
    paths = sorted(
        (f for folder in folders if folder.is_dir() for f in folder.iterdir() if f.name.endswith(suffix)),
        key=lambda f: (f.name != f"page{suffix}", f.name),
    )
    return "\n".join(f.read_text(encoding="utf-8") for f in paths)


def theme() -> gr.themes.Base:
    """Return a theme with fonts of the system only; `page.css` sets the colours."""
    sans = ["ui-sans-serif", "system-ui", "-apple-system", "Segoe UI", "Helvetica Neue", "Arial", "sans-serif"]
    return gr.themes.Base(
        font=sans,
        font_mono=["ui-monospace", "Menlo", "Consolas", "monospace"],
        radius_size=gr.themes.sizes.radius_sm,
    )


@dataclass(frozen=True, slots=True)
class PageContext:
    """The argument of a plugin's `build`: the page being built, its services, its collection box, and the tab."""

    page: gr.Blocks
    asking: Asking
    uploads: Uploads
    choice: gr.Dropdown
    tab: gr.Tab


class _Page(gr.Blocks):  # type: ignore[misc]  # Gradio tells no types
    """A page whose event handlers run in the name of the event's sender: Gradio calls them outside the request."""

    async def call_function(
        self, block_fn: Any, processed_input: Any, iterator: Any = None, requests: Any = None, *more: Any, **kwargs: Any
    ) -> Any:
        first = requests[0] if isinstance(requests, list) else requests
        scope = first.request.scope if first is not None and first.request else None
        person = identity(scope) if scope is not None else NOBODY
        scene = (caller(scope), visitor(scope)) if scope is not None else ("", "")
        with acting(person), at_scene(scene[0], "page", scene[1]):
            return await super().call_function(block_fn, processed_input, iterator, requests, *more, **kwargs)


def build_page(asking: Asking, uploads: Uploads, collection: str | None = None) -> gr.Blocks:
    """Return the page with its tabs, those of plugins too, not served yet; `collection` is selected first."""
    open_collections = asking.open_collections
    with _Page(title="Vouch", analytics_enabled=False, fill_width=True, delete_cache=(3600, 3600)) as page:
        with gr.Row(elem_id="v-top"):
            gr.HTML(render("web/templates/brand.html"), elem_id="v-brand", apply_default_css=False)
            choice = choices(open_collections, collection, ready=False)
            has_accounts = open_collections.access.has_accounts
            gr.HTML(render("web/templates/theme.html", accounts=has_accounts), apply_default_css=False)
        with gr.Tabs(elem_id="v-tabs"):
            with gr.Tab("Ask", id="ask") as panel:
                ask_tab(page, asking, choice, collection, panel)
            with gr.Tab("Compare", id="compare") as panel:
                compare_tab(page, asking, choice, panel)
            for tab in additions("tabs"):
                with gr.Tab(tab.title, id=tab.name) as panel:
                    load(tab.build)(PageContext(page, asking, uploads, choice, panel))
            with gr.Tab("Collections", id="collections"):
                collections_tab(page, open_collections, uploads, choice)
    return page
