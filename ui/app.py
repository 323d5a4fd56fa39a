"""The page of `vouch serve`, and the only file that imports Gradio: widgets and events, nothing else."""

from __future__ import annotations

import logging
import os
import signal
import tempfile
import threading
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"  # read when Gradio is imported: nothing may call home

import gradio as gr
from starlette.middleware import Middleware

from indexing import IndexingError, IndexReport, Progress
from rag import Profile, RagError
from ui.desk import Desk
from ui.guard import Guard
from ui.render import answer_html, examples_html, message_html, progress_html, report_html, viewer_html
from ui.terminal import report_summary

EXAMPLES = {
    "samples": (
        "What delay still counts as an on-time ferry departure?",
        "Why did fewer people travel to Gull Island?",
        "What would the bridge repairs cost in total?",
    )
}
_FILE_TYPES = [".pdf", ".xps", ".epub", ".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff"]
_MOST_FILES = 200
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_LOG = logging.getLogger(__name__)
_WELCOME = message_html(
    "Ask a question about your documents.",
    "Each sentence of the answer carries a number, and each number a box on the page that proves it.",
)
_NO_PAGE = message_html("The cited page appears here, with the proof boxed.")
_NO_COLLECTION = message_html("There are no documents yet.", "Add some below, then ask.")
_UNEXPECTED = message_html(
    "Something went wrong that should not have.", "Nothing was lost. The terminal says more.", "error"
)


def serve(host: str, port: int, collection: str | None, profile: Profile) -> None:
    """Show the page until Ctrl-C or SIGTERM. Raises OSError when the port is taken."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a stopped service deletes its uploads too
    desk = Desk(profile)
    with tempfile.TemporaryDirectory(prefix="vouch-uploads-") as uploads:
        os.environ["GRADIO_TEMP_DIR"] = uploads
        try:
            launch(build_page(desk, collection), host, port, block=True)
        finally:
            desk.close()


def launch(page: gr.Blocks, host: str, port: int, block: bool) -> str:
    """Start the server and return its address; with `block`, return only when it was stopped."""
    hosts = _LOOPBACK if host in _LOOPBACK else ()
    options: dict[str, Any] = {
        "server_name": host,
        "server_port": port,
        "share": False,
        "inbrowser": False,
        "quiet": True,
        "show_error": False,
        "prevent_thread_lock": True,
        "footer_links": [],
        "run_history": False,
        "allowed_paths": [],
        "max_file_size": "200mb",
        "enable_monitoring": False,
        "ssr_mode": False,
        "mcp_server": False,
        "pwa": False,
        "theme": _theme(),
        "css": _asset("page.css"),
        "head": f"<script>{_asset('page.js')}</script>",
        "app_kwargs": {"middleware": [Middleware(Guard, hosts=hosts)], "docs_url": None, "redoc_url": None},
    }
    try:
        _, address, _ = page.launch(**options)
    except OSError as error:
        raise OSError(f"cannot listen on {host}, port {port}: another program may have it; try --port") from error
    if block:
        print(f"Vouch is at {address}   (Ctrl-C stops it)", flush=True)
        try:
            threading.Event().wait()
        finally:
            page.close(verbose=False)
    return str(address)


def _asset(name: str) -> str:
    """A file that stands beside this one."""
    return files("ui").joinpath(name).read_text(encoding="utf-8")


def _theme() -> gr.themes.Base:
    """Fonts of the system only; `page.css` sets the colours."""
    sans = ["ui-sans-serif", "system-ui", "-apple-system", "Segoe UI", "Helvetica Neue", "Arial", "sans-serif"]
    return gr.themes.Base(
        font=sans,
        font_mono=["ui-monospace", "Menlo", "Consolas", "monospace"],
        radius_size=gr.themes.sizes.radius_sm,
    )


def build_page(desk: Desk, collection: str | None = None) -> gr.Blocks:
    """The page, not yet served."""
    with gr.Blocks(title="Vouch", analytics_enabled=False, fill_width=True, delete_cache=(3600, 3600)) as page:
        with gr.Row(elem_id="v-top"):
            gr.HTML('<h1 class="v-brand">Vouch</h1>', elem_id="v-brand", apply_default_css=False)
            choice = _choices(desk, collection)
            gr.HTML(
                '<button type="button" class="v-theme" data-theme aria-label="Light or dark"></button>',
                apply_default_css=False,
            )
        with gr.Row(elem_id="v-desk"):
            with gr.Column(elem_id="v-left"):
                question = gr.Textbox(
                    label="Question",
                    placeholder="What would you like to know?",
                    max_length=2000,
                    max_lines=4,
                    submit_btn="Ask",
                    elem_id="v-question",
                    autofocus=True,
                )
                examples = gr.HTML(apply_default_css=False)
                answer = gr.HTML(_WELCOME, elem_id="v-answer", apply_default_css=False)
                upload = _upload_panel()
            with gr.Column(elem_id="v-right"):
                evidence = gr.HTML(_NO_PAGE, elem_id="v-evidence", apply_default_css=False)
        _wire(page, desk, collection, (choice, question, examples, answer, evidence), upload)
    return page


def _upload_panel() -> tuple[gr.Component, ...]:
    """Files, the collection they go to, a password for locked ones, start, stop, and what became of them."""
    with gr.Accordion("Add documents", open=False, elem_id="v-add"):
        chosen = gr.File(
            label="PDF, XPS, EPUB, PNG, JPEG, WebP, TIFF",
            file_count="multiple",
            file_types=_FILE_TYPES,
            height=150,
            elem_id="v-files",
        )
        with gr.Row():
            target = gr.Textbox(label="Into collection", value="default", max_length=60, max_lines=1)
            password = gr.Textbox(label="Password, if they are locked", type="password", max_lines=1)
        with gr.Row():
            start = gr.Button("Read them", variant="primary", elem_id="v-start")
            stop = gr.Button("Stop", interactive=False, elem_id="v-stop")
        result = gr.HTML(elem_id="v-result", apply_default_css=False, min_height=60)
    return chosen, target, password, start, stop, result


def _wire(
    page: gr.Blocks, desk: Desk, first: str | None, ask: tuple[gr.Component, ...], upload: tuple[gr.Component, ...]
) -> None:
    """Connect what people do to what the desk does."""
    choice, question, examples, answer, evidence = ask
    chosen, target, password, start, stop, result = upload
    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}

    def asked(name: str | None, text: str) -> Iterator[tuple[str, str]]:
        yield from answered(desk, name, text)

    def arrived() -> tuple[Any, ...]:
        return _choices(desk, first), *picked(_chosen(desk.collections(), first))

    def picked(name: str | None) -> tuple[str, str, str, str]:
        return _examples(name), _WELCOME if name else _NO_COLLECTION, _NO_PAGE, name or "default"

    def read(paths: Sequence[str] | None, name: str, secret: str, request: gr.Request) -> Iterator[tuple[Any, ...]]:
        yield from indexed(desk, str(request.session_hash), paths or (), name, secret)

    def stopped(request: gr.Request) -> None:
        desk.stop(str(request.session_hash))

    page.load(arrived, None, [choice, examples, answer, evidence, target], **quiet)
    choice.change(_examples, choice, examples, **quiet)
    choice.input(picked, choice, [examples, answer, evidence, target], **quiet)
    question.submit(asked, [choice, question], [answer, evidence], concurrency_limit=2, **quiet)
    start.click(read, [chosen, target, password], [result, chosen, password, choice, stop], **quiet)
    stop.click(stopped, None, None, **quiet)


def _choices(desk: Desk, wanted: str | None) -> gr.Dropdown:
    """The collection box with `wanted` chosen, or the first there is."""
    names = desk.collections()
    return gr.Dropdown(
        choices=list(names),
        value=_chosen(names, wanted),
        label="Collection",
        show_label=False,
        elem_id="v-collection",
        filterable=False,
    )


def _chosen(names: Sequence[str], wanted: str | None) -> str | None:
    """The collection to begin with."""
    return wanted if wanted in names else next(iter(names), None)


def _examples(name: str | None) -> str:
    """Questions to begin with, where we know the documents."""
    return examples_html(EXAMPLES.get(name or "", ()))


def answered(desk: Desk, name: str | None, text: str) -> Iterator[tuple[str, str]]:
    """The answer as soon as it is there, its pages when they are drawn: (answer HTML, evidence HTML), several times."""
    if not name:
        yield _NO_COLLECTION, _NO_PAGE
        return
    if not text.strip():
        yield message_html("The question is empty.", "Type one above."), _NO_PAGE
        return
    yield message_html("Reading\u2026", kind="busy"), _NO_PAGE
    try:
        answer = desk.ask(name, text.strip()[:2000])
        shown = answer_html(answer)
        yield shown, message_html("Drawing the pages\u2026", kind="busy") if answer.citations else _NO_PAGE
        yield shown, viewer_html(desk.pages(name, answer))
    except (IndexingError, RagError) as error:
        yield message_html("That did not work.", str(error), "error"), _NO_PAGE
    except Exception:  # noqa: BLE001 - the edge of the process: logged, and told without a trace
        _LOG.exception("answering failed")
        yield _UNEXPECTED, _NO_PAGE


def indexed(desk: Desk, session: str, paths: Sequence[str], name: str, secret: str) -> Iterator[tuple[Any, ...]]:
    """Index uploaded files; yields many times: (report HTML, files left, password box, collection box, stop button).

    Files that failed stay in the upload box, so that they can be tried again with a password.
    """
    kept = (gr.skip(), gr.skip(), gr.skip())
    idle, busy = gr.Button(interactive=False), gr.Button(interactive=True)
    if not paths or len(paths) > _MOST_FILES:
        yield _no_files(len(paths)), *kept, idle
        return
    yield message_html("Starting\u2026", kind="busy"), *kept, busy
    try:
        for news in desk.index(session, name.strip() or "default", [Path(p) for p in paths], secret or None):
            if isinstance(news, Progress):
                yield progress_html(news), *kept, gr.skip()
            else:
                left = _clear(paths, news)
                yield report_html(news, report_summary(news)), left, "", _choices(desk, news.collection), idle
    except (IndexingError, RagError, OSError) as error:
        yield message_html("Nothing was added.", str(error), "error"), *kept, idle
    except Exception:  # noqa: BLE001 - as above
        _LOG.exception("indexing failed")
        yield _UNEXPECTED, *kept, idle


def _no_files(number: int) -> str:
    """Why a run did not start."""
    if not number:
        return message_html("No files were chosen.", "Drop some above, or click there.")
    return message_html(f"At most {_MOST_FILES} files at a time.", "For more, use: vouch index FOLDER", "error")


def _clear(paths: Sequence[str], report: IndexReport) -> list[str] | None:
    """Delete the uploads that the collection now has its own copy of; those that failed are returned."""
    failed = {file.path for file in report.files if file.status == "failed"}
    if report.cancelled:
        failed |= set(paths) - {file.path for file in report.files}
    for path in paths:
        if path not in failed:
            Path(path).unlink(missing_ok=True)
    return [path for path in paths if path in failed] or None
