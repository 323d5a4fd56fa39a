"""The options of all commands: one function a command, which adds them to a parser. Nothing heavy is imported here."""

from __future__ import annotations

import argparse
from typing import Any

from configs import LOCAL, NO_VISUAL, CommandParser, embedders, executors, method_options, methods
from vouch.hooks import additions, load, names


def positive(text: str) -> int:
    """Parse an integer of at least 1. Raises ArgumentTypeError."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return int(text)


def descriptor(text: str) -> int:
    """Parse the number of a file descriptor. Raises ArgumentTypeError."""
    if not text.isascii() or not text.isdigit() or len(text) > 6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a file descriptor number")
    return int(text)


def port(text: str) -> int:
    """Parse the number of a port, 1 to 65535. Raises ArgumentTypeError."""
    number = positive(text)
    if number > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port (1 to 65535)")
    return number


def question_words(text: str) -> str:
    """Return the text of a question. Raises ArgumentTypeError for an empty one."""
    if not text.strip():
        raise argparse.ArgumentTypeError("the question is empty")
    return text.strip()


def add_collection(parser: CommandParser) -> None:
    """Add `--collection`, the name of an existing collection."""
    parser.add_argument(
        "--collection", "-c", metavar="NAME", help="the collection (default: default, or the only one there is)"
    )


def add_profile(parser: argparse.ArgumentParser) -> None:
    """Add `--profile`."""
    parser.add_argument(
        "--profile", metavar="P", default="default", help="the settings: a name in configs/, or a YAML file"
    )


def add_password(parser: argparse.ArgumentParser) -> None:
    """Add `--password` and `--password-fd`, for locked documents."""
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument(
        "--password",
        metavar="PW",
        help="the password of locked documents; - asks for it (others on this machine can see one that is given here: "
        "VOUCH_PASSWORD is safer)",
    )
    ways.add_argument("--password-fd", type=descriptor, metavar="N", help="read the password from this file descriptor")


def _add_retrieval(parser: CommandParser) -> None:
    """Add the options that asking and searching share."""
    parser.add_argument("question", metavar="QUESTION", type=question_words, help="the question, in quotes")
    add_scope(parser, "use")
    parser.add_argument(
        "--mode",
        choices=("text", "image", "multi"),
        help="search the text, the pixels of pages (image), or both (multi) (default: from the profile; otherwise "
        "both, if the collection has them)",
    )
    parser.add_argument(
        "--queries", type=positive, metavar="N", help="the most queries to make from the question (up to 20)"
    )
    parser.add_argument("--top-k", type=positive, metavar="K", help="the most passages to look at (up to 100)")
    parser.add_argument(
        "--image", metavar="FILE", help="an image that goes with the question: its words are searched for, too"
    )
    add_profile(parser)


def add_scope(parser: CommandParser, use: str) -> None:
    """Add `--collection`, `--doc` and `--where`; `use` is the verb of the help of `--doc`."""
    add_collection(parser)
    parser.add_argument(
        "--doc",
        dest="documents",
        action="append",
        default=[],
        metavar="D",
        help=f"{use} this document only, by name or id; may be repeated",
    )
    parser.add_argument(
        "--where",
        metavar="FILTER",
        help="use only documents that match this: 'tag=minutes and date>=2024' (fields: tag, date, author, language, "
        "folder, name, title, kind, missing)",
    )


def add_tags(parser: CommandParser) -> None:
    """Add `--tag` and `--untag`."""
    parser.add_argument(
        "--tag",
        action="append",
        default=[],
        metavar="T",
        help="give the documents this tag, also those already in the collection; may be repeated",
    )
    parser.add_argument(
        "--untag",
        action="append",
        default=[],
        metavar="T",
        help="remove this tag from the documents; edit the sidecar file to remove one that it gives; may be repeated",
    )


def index_options(index: CommandParser) -> None:
    """Add the options of `vouch index`."""
    which = index.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "paths",
        nargs="*",
        default=[],
        metavar="PATH",
        help="a document, or a folder of them",
    )
    for source in additions("sources"):
        load(source.options)(index, which)
    which.add_argument(
        "--samples",
        action="store_true",
        help="read the sample documents that come with Vouch (into the collection samples), to try it out",
    )
    index.add_argument(
        "--collection", "-c", metavar="NAME", help="the collection (default: default; samples for --samples)"
    )
    add_profile(index)
    _add_reading(index)
    index.add_argument(
        "--extract",
        action="store_true",
        help="also let the model take notes on all figures, and on tables that code cannot describe, for ask --extract",
    )
    places = "; ".join(f"{place.name}: {place.summary}" for place in executors())
    index.add_argument(
        "--on",
        default=LOCAL,
        metavar="PLACE",
        help=f"read and embed there: {places}; --workers is then the number of processes on each node (docs/ray.md)",
    )
    add_tags(index)
    add_password(index)
    index.add_argument("--json", action="store_true", help="print the report as JSON and nothing else")


def _add_reading(index: CommandParser) -> None:
    """Add the options of `vouch index` for parsing and embedding."""
    index.add_argument("--workers", type=positive, metavar="N", help="the number of processes that read pages")
    index.add_argument(
        "--ocr",
        choices=("auto", "always", "never"),
        help="recognise text in pictures: where a page has no text of its own (auto), always, or never (default: from "
        "the profile)",
    )
    index.add_argument(
        "--text",
        choices=names(embedders("text")),
        help="the embedder of the text: minilm (the default; English), or a late-interaction model (colbert) or a "
        "server's model (openai), both with --checkpoint; a collection keeps its choice",
    )
    index.add_argument(
        "--visual",
        choices=(*names(embedders("visual")), NO_VISUAL),
        help="the content that the modes image and multi search: text read off the pixels (ocr_regions, the default), "
        "a model that looks at pages (colpali, mm_embed, qwen3_vl_embedding; needs --checkpoint), or nothing (none); a "
        "collection keeps its choice",
    )
    index.add_argument(
        "--checkpoint",
        metavar="C",
        help="the weights of the model of --text or --visual: a folder, or owner/name on the Hugging Face hub "
        "(openai: the name on the server); mind their licence (nvidia/MM-Embed is not for commercial use)",
    )
    index.add_argument("--device", metavar="D", help="the device of that model: cuda or cpu (default: the GPU, if any)")
    index.add_argument(
        "--token-pooling", type=positive, metavar="N", help="merge every N similar patch vectors of colpali into one"
    )
    index.add_argument(
        "--pixels",
        choices=("images", "pages"),
        help="the pixels to read text off: every page as it looks, after the texts of all files (pages, the default), "
        "or page images and pictures alone (images), in half the time",
    )


def reindex_options(reindex: CommandParser) -> None:
    """Add the options of `vouch reindex`."""
    reindex.add_argument("--collection", "-c", metavar="NAME", required=True, help="the collection")
    add_profile(reindex)
    _add_reading(reindex)
    reindex.add_argument(
        "--parse",
        action="store_true",
        help="parse the stored copies of all files again, instead of reusing what was parsed before",
    )
    reindex.add_argument(
        "--discard", action="store_true", help="discard a reindex that was stopped; the collection stays as it is"
    )
    add_password(reindex)
    reindex.add_argument("--json", action="store_true", help="print the report as JSON and nothing else")


def demo_options(demo: CommandParser) -> None:
    """Add the options of `vouch demo`: the question, and the folder for the drawn pages."""
    question = "How many departures were cancelled, and why?"
    demo.add_argument("question", metavar="QUESTION", nargs="?", default=question, help=f"(default: {question})")
    demo.add_argument("--overlay", metavar="DIR", default="demo-output", help="draw pages there (default: demo-output)")


def ask_options(ask: CommandParser) -> None:
    """Add the options of `vouch ask`."""
    _add_retrieval(ask)
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
    for one in method_options():
        kind: type = type(one.default)
        form: Any = {"action": argparse.BooleanOptionalAction} if kind is bool else {"type": kind, "metavar": "X"}
        ask.add_argument(f"--{one.name.replace('_', '-')}", help=f"{one.help} (default: {one.default})", **form)
    ask.add_argument(
        "--export",
        metavar="DIR|FILE",
        help="write the answer to a file (.md, .html, .json, .pdf, .csv, .xlsx with links to boxes, .bbox for CiteVQA, "
        ".bib or .ris for the works that it cites), or in all of these forms to a folder",
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


def search_options(search: CommandParser) -> None:
    """Add the options of `vouch search`."""
    _add_retrieval(search)
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
    add_collection(stats)
    stats.add_argument("--json", action="store_true", help="print JSON and nothing else")


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
    serve.add_argument(
        "--accounts", action="store_true", help="let in the people of vouch admin, who may do what their roles allow"
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
        help="get a public address through Gradio's servers; needs --accounts",
    )
    serve.add_argument(
        "--log-format",
        choices=("text", "json"),
        help="log faults as text, or faults, requests and answers as JSON (default: from the profile)",
    )
    add_password(serve)
    add_profile(serve)


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
        help="print the lines that add the model under this name to the existing profile (--to), so that ask --model "
        "and the page can choose it",
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


def feedback_options(feedback: CommandParser) -> None:
    """Add `export FOLDER` and `list`."""
    actions = feedback.add_subparsers(dest="action", metavar="ACTION", required=True)
    export = actions.add_parser("export", help="write an evaluation set from the sentences that were judged right")
    export.add_argument("folder", metavar="FOLDER", help="the folder to write to, new or empty")
    listing = actions.add_parser("list", help="print all judgements, oldest answers first")
    listing.add_argument("--json", action="store_true", help="print each as one line of JSON")
