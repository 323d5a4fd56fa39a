"""The options of the commands that have no folder of their own: one function a command, which adds them to a parser."""

from __future__ import annotations

import argparse

from configs import CommandParser, methods
from ui.cli import folders
from ui.cli.arguments import (
    add_collection,
    add_existing_collection,
    add_password,
    add_profile,
    add_retrieval,
    add_search_on,
    port,
    positive,
    question_words,
)
from vouch.hooks import names


def watch_options(watch: CommandParser) -> None:
    """Add the options of `vouch watch`."""
    folders.add_watch_options(watch)
    add_collection(watch)
    add_profile(watch)
    watch.add_argument("--workers", type=positive, metavar="N", help="the number of processes that read pages")
    folders.add_tags(watch)
    add_password(watch)


def ask_options(ask: CommandParser) -> None:
    """Add the options of `vouch ask`."""
    add_retrieval(ask)
    ask.add_argument(
        "--method",
        choices=names(methods()),
        help="how to answer: quote the documents word for word (quote), or let the profile's model write, at once "
        "(vanilla), in steps (cot) or from whole pages (visa) (default: from the profile)",
    )
    ask.add_argument("--model", metavar="NAME", help="the model, if the profile names several (default: rag.model)")
    ask.add_argument(
        "--extract",
        action=argparse.BooleanOptionalAction,
        help="let the model first take notes on everything that was found, without seeing the question, and answer "
        "from these notes alone; vanilla and cot (default: from the profile)",
    )
    ask.add_argument(
        "--every-page",
        action="store_true",
        help="let the model read every page of the documents that --doc chooses, a few at a time, and answer from what "
        "it noted of each: for counts and lists over a whole document; vanilla and cot. It says first how many calls "
        "that takes, and Ctrl-C stops it",
    )
    ask.add_argument(
        "--export",
        metavar="DIR|FILE",
        help="write the answer to a file (.md, .html, .json, .pdf, .bbox for CiteVQA, .bib or .ris for the works that "
        "it cites), or in all of these forms to a folder",
    )
    ask.add_argument(
        "--localizer",
        choices=("element", "patch", "model"),
        help="how to box the proof: by its words (element, the default), by its pixels (patch), or by the model "
        "(model)",
    )
    ask.add_argument(
        "--overlay", metavar="DIR", help="write each cited page to this folder as a PNG, with the proof boxed"
    )
    ask.add_argument(
        "--ablate",
        action="store_true",
        help="mask each cited element in turn, ask again, and report which were crucial",
    )
    add_password(ask)
    ask.add_argument("--json", action="store_true", help="print the answer as JSON and nothing else")


def check_options(check: CommandParser) -> None:
    """Add the options of `vouch check`."""
    check.add_argument(
        "text",
        metavar="FILE",
        help="the text: PDF, DOCX, HTML, Markdown, plain text, or a page as an image; - reads standard input",
    )
    check.add_argument(
        "--question", metavar="Q", type=question_words, help="the question that the text answers, if any"
    )
    add_existing_collection(check)
    check.add_argument(
        "--doc",
        action="append",
        default=[],
        metavar="D",
        help="check against this document only, by name or id; may be repeated",
    )
    folders.add_where(check)
    check.add_argument(
        "--export",
        metavar="DIR|FILE",
        help="write the text with its marks to a file (.md, .html, .json, .pdf for the pages that prove it, .bib or "
        ".ris for the works that do), or in all of these forms to a folder",
    )
    check.add_argument(
        "--annotated",
        metavar="FILE",
        help="write a copy of the text with a comment on each statement: .pdf for a PDF, .docx for a DOCX, .html for "
        "any",
    )
    check.add_argument(
        "--overlay", metavar="DIR", help="write each cited page to this folder as a PNG, with the proof boxed"
    )
    add_password(check)
    add_profile(check)
    check.add_argument("--json", action="store_true", help="print the outcome as JSON and nothing else")


def search_options(search: CommandParser) -> None:
    """Add the options of `vouch search`."""
    add_retrieval(search)
    search.add_argument("--json", action="store_true", help="print the ranking as JSON and nothing else")


def list_options(listing: CommandParser) -> None:
    """Add the options of `vouch list`."""
    listing.add_argument("--collection", "-c", metavar="NAME", help="list the documents of this collection")
    listing.add_argument("--json", action="store_true", help="print JSON and nothing else")


def remove_options(remove: CommandParser) -> None:
    """Add the options of `vouch remove`."""
    which = remove.add_mutually_exclusive_group(required=True)
    which.add_argument("documents", nargs="*", default=[], metavar="NAME", help="a document, by name or id")
    which.add_argument("--all", action="store_true", help="delete the collection itself")
    remove.add_argument("--collection", "-c", metavar="NAME", required=True, help="the collection")


def stats_options(stats: CommandParser) -> None:
    """Add the options of `vouch stats`."""
    add_existing_collection(stats)
    stats.add_argument("--json", action="store_true", help="print JSON and nothing else")


def compact_options(compact: CommandParser) -> None:
    """Add the options of `vouch compact`."""
    add_existing_collection(compact)


def eval_options(_: CommandParser) -> None:
    """Add nothing: the package `evaluation` reads the options of `vouch eval` itself."""


def resolve_options(resolve: CommandParser) -> None:
    """Add the options of `vouch resolve`."""
    resolve.add_argument("anchor", metavar="ANCHOR", help="an anchor from an exported answer: vouch1:...")
    resolve.add_argument("--collection", "-c", metavar="NAME", help="look in this collection only (default: all)")
    resolve.add_argument("--json", action="store_true", help="print JSON and nothing else")


def serve_options(serve: CommandParser) -> None:
    """Add the options of `vouch serve`."""
    serve.add_argument(
        "--host", default="127.0.0.1", help="the address to listen on (default: %(default)s, this machine)"
    )
    serve.add_argument("--port", type=port, default=7860, help="the port to listen on (default: %(default)s)")
    serve.add_argument("--collection", "-c", metavar="NAME", help="the collection that is chosen at first")
    people = serve.add_mutually_exclusive_group()
    people.add_argument(
        "--accounts", action="store_true", help="let in the people of vouch admin, who may do what their roles allow"
    )
    people.add_argument(
        "--auth-file", metavar="FILE", help="a file of people who may log in: name:password on each line, mode 600"
    )
    serve.add_argument(
        "--root-path",
        metavar="PATH",
        default="",
        help="the public address of the page behind a reverse proxy: https://NAME/PATH",
    )
    serve.add_argument(
        "--mcp",
        action="store_true",
        help="let language models ask, search and add documents (MCP, at /mcp); with --accounts they need a token",
    )
    serve.add_argument(
        "--share",
        action="store_true",
        help="get a public address through Gradio's servers; needs --accounts or --auth-file",
    )
    serve.add_argument(
        "--log-format",
        choices=("text", "json"),
        help="log faults as text, or faults, requests and answers as JSON (default: from the profile)",
    )
    add_search_on(serve)
    add_password(serve)
    add_profile(serve)


def confirm_options(confirm: CommandParser) -> None:
    """Add the options of `vouch confirm`."""
    confirm.add_argument("folder", metavar="DIR", help="the folder that vouch eval construct mcitebench wrote")
    confirm.add_argument("--port", type=port, default=7862, help="the port to listen on (default: %(default)s)")


def connect_options(connect: CommandParser) -> None:
    """Add the options of `vouch connect`."""
    connect.add_argument(
        "where",
        nargs="?",
        metavar="ADDRESS|FILE.gguf",
        help="a server, such as http://127.0.0.1:8000/v1, or a model file to run in this process (default: the usual "
        "ports of this machine, and OPENAI_BASE_URL)",
    )
    connect.add_argument("--model", metavar="NAME", help="the model, if there are several")
    connect.add_argument(
        "--add",
        metavar="NAME",
        help="add the model under this name to the existing profile (--to), so that ask --model and the page can "
        "choose it; nothing else in the file is changed",
    )
    connect.add_argument("--mmproj", metavar="FILE", help="the vision part of the model (mmproj), to go with FILE.gguf")
    connect.add_argument("--key-env", metavar="NAME", help="the environment variable that holds the server's key")
    connect.add_argument(
        "--to", metavar="FILE", default="connected.yaml", help="the profile to write (default: %(default)s)"
    )


def doctor_options(doctor: CommandParser) -> None:
    """Add the options of `vouch doctor`."""
    add_profile(doctor)
    doctor.add_argument("--collection", "-c", metavar="NAME", help="check this collection too")
    doctor.add_argument("--json", action="store_true", help="print JSON and nothing else")
