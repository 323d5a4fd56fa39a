"""The `vouch` command: parse the arguments, then hand over to `ui.cli.commands`.

Nothing heavy is imported here, so that `vouch --help` answers at once.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from configs import CommandParser
from ui.cli import admin, backup, bibliography, examples, feedback, folders, proofread
from ui.cli.arguments import (
    add_collection,
    add_existing_collection,
    add_index_options,
    add_password,
    add_profile,
    add_retrieval,
    add_search_on,
    port,
    positive,
    question_words,
)
from ui.cli.audit import add_audit_options
from ui.cli.reindex import add_reindex_options
from vouch.hooks import added, load


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code (argparse itself exits with 2 on arguments it cannot read)."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets a question mark, not a crash.
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="replace")
    parser = build_parser()
    asked = sys.argv[1:] if argv is None else list(argv)
    if asked[:1] == ["eval"]:  # its options are those of the package evaluation, which reads them itself
        from ui.cli.evaluate import hand_over

        return hand_over(asked[1:])
    args = parser.parse_args(asked)
    if args.command is None:
        parser.print_help()
        return 0
    try:
        from indexing.late import import_without
        from ui.cli import commands
    except KeyboardInterrupt:
        return 130
    if argv is None and args.command not in ("serve", "confirm") and not getattr(args, "on", None):
        # A third of importing LanceDB is pandas, of which a command takes nothing. Gradio and Ray do, and callers may.
        import_without("lancedb", "pandas")
    return commands.run(args)


def build_parser() -> CommandParser:
    """Return the parser of the whole command line."""
    parser = CommandParser(
        prog="vouch",
        description="Ask your documents a question: every sentence of the answer cites the place that proves it.",
        epilog=examples.EXAMPLES,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    add_index_options(_command(commands, "index", "read documents into a collection", examples.INDEX_EXAMPLES))
    told = "rebuild a collection with another embedder, other shards or this version of Vouch"
    add_reindex_options(_command(commands, "reindex", told, examples.REINDEX_EXAMPLES))
    _add_watch(commands)
    _add_ask(commands)
    _add_check(commands)
    _add_audit(commands)
    _add_search(commands)
    _add_collection_commands(commands)
    told = "compare texts with the pixels of their pages in advance, and list pages that differ"
    proofread.add_proofread_options(_command(commands, "proofread", told, proofread.EXAMPLES))
    _add_bibliography(commands)
    _add_backup(commands)
    _add_resolve(commands)
    _command(commands, "eval", "run benchmarks, report and compare the results: vouch eval --help")
    says = "export people's judgements of answers as an evaluation set"
    feedback.add_feedback_options(_command(commands, "feedback", says, feedback.EXAMPLES))
    _add_serve(commands)
    told = "manage who may log in to vouch serve --accounts, and what they may do"
    admin.add_admin_options(_command(commands, "admin", told, admin.EXAMPLES))
    _add_confirm(commands)
    _add_connect(commands)
    _add_doctor(commands)
    for command in added("commands"):
        if command.group == "":
            options = _command(commands, command.name, command.summary, command.examples)
            load(command.options)(options)
            options.set_defaults(run=command.run)
    return parser


class _Version(argparse.Action):
    """An option that looks the version up only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print `vouch` and the version of the installed package."""
        from importlib.metadata import PackageNotFoundError, version

        try:
            number = version("vouch")
        except PackageNotFoundError:
            number = "(not installed: running from source)"
        print("vouch", number)
        parser.exit()


_Commands = argparse._SubParsersAction  # noqa: SLF001 - argparse gives the type no public name


def _command(commands: _Commands[CommandParser], name: str, says: str, epilog: str = "") -> CommandParser:
    """Add a sub-command whose help opens with the line that the overview shows."""
    return commands.add_parser(
        name,
        help=says,
        description=says[0].upper() + says[1:] + ".",
        epilog=epilog,
    )


def _add_watch(commands: _Commands[CommandParser]) -> None:
    watch = _command(commands, "watch", "keep a collection up to date with a folder", folders.EXAMPLES)
    folders.add_watch_options(watch)
    add_collection(watch)
    add_profile(watch)
    watch.add_argument("--workers", type=positive, metavar="N", help="the number of processes that read pages")
    folders.add_tags(watch)
    add_password(watch)


def _add_ask(commands: _Commands[CommandParser]) -> None:
    ask = _command(commands, "ask", "answer a question, with a source for every sentence", examples.ASK_EXAMPLES)
    add_retrieval(ask)
    ask.add_argument(
        "--method",
        choices=("quote", "vanilla", "cot", "visa"),
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


def _add_check(commands: _Commands[CommandParser]) -> None:
    told = "check each statement of a text against your documents"
    check = _command(commands, "check", told, examples.CHECK_EXAMPLES)
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


def _add_audit(commands: _Commands[CommandParser]) -> None:
    told = "check that the references of a paper exist and are what they say they are"
    audit = _command(commands, "audit", told, examples.AUDIT_EXAMPLES)
    add_audit_options(audit)
    add_password(audit)
    add_profile(audit)


def _add_search(commands: _Commands[CommandParser]) -> None:
    search = _command(
        commands,
        "search",
        "rank the passages, tables and figures for a question, without answering it",
        examples.SEARCH_EXAMPLES,
    )
    add_retrieval(search)
    search.add_argument("--json", action="store_true", help="print the ranking as JSON and nothing else")


def _add_collection_commands(commands: _Commands[CommandParser]) -> None:
    listing = _command(commands, "list", "list the collections, or the documents of one", examples.LIST_EXAMPLES)
    listing.add_argument("--collection", "-c", metavar="NAME", help="list the documents of this collection")
    listing.add_argument("--json", action="store_true", help="print JSON and nothing else")
    remove = _command(commands, "remove", "remove documents from a collection, or delete it", examples.REMOVE_EXAMPLES)
    which = remove.add_mutually_exclusive_group(required=True)
    which.add_argument("documents", nargs="*", default=[], metavar="NAME", help="a document, by name or id")
    which.add_argument("--all", action="store_true", help="delete the collection itself")
    remove.add_argument("--collection", "-c", metavar="NAME", required=True, help="the collection")
    stats = _command(commands, "stats", "show how large a collection is and how it was made", examples.STATS_EXAMPLES)
    add_existing_collection(stats)
    stats.add_argument("--json", action="store_true", help="print JSON and nothing else")
    told = "free the disk space of removed and replaced documents"
    compact = _command(commands, "compact", told, examples.COMPACT_EXAMPLES)
    add_existing_collection(compact)


def _add_bibliography(commands: _Commands[CommandParser]) -> None:
    told = "manage the bibliographies in which vouch audit looks up references"
    bibliography.add_bibliography_options(_command(commands, "bibliography", told, bibliography.EXAMPLES))


def _add_backup(commands: _Commands[CommandParser]) -> None:
    told = "copy collections into one file, even while they are in use"
    backup.add_backup_options(_command(commands, "backup", told, backup.BACKUP_EXAMPLES))
    told = "restore collections from a file that vouch backup wrote"
    backup.add_restore_options(_command(commands, "restore", told, backup.RESTORE_EXAMPLES))


def _add_resolve(commands: _Commands[CommandParser]) -> None:
    told = "find the place that an anchor points to, wherever its document is now"
    resolve = _command(commands, "resolve", told, examples.RESOLVE_EXAMPLES)
    resolve.add_argument("anchor", metavar="ANCHOR", help="an anchor from an exported answer: vouch1:...")
    resolve.add_argument("--collection", "-c", metavar="NAME", help="look in this collection only (default: all)")
    resolve.add_argument("--json", action="store_true", help="print JSON and nothing else")


def _add_serve(commands: _Commands[CommandParser]) -> None:
    serve = _command(commands, "serve", "start a web page for uploading, asking and reading", examples.SERVE_EXAMPLES)
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


def _add_confirm(commands: _Commands[CommandParser]) -> None:
    told = "start a page to confirm, correct or drop the evidence of generated questions"
    confirm = _command(commands, "confirm", told, examples.CONFIRM_EXAMPLES)
    confirm.add_argument("folder", metavar="DIR", help="the folder that vouch eval construct mcitebench wrote")
    confirm.add_argument("--port", type=port, default=7862, help="the port to listen on (default: %(default)s)")


def _add_connect(commands: _Commands[CommandParser]) -> None:
    told = "find a language model, test what it supports, and write a profile for it"
    connect = _command(commands, "connect", told, examples.CONNECT_EXAMPLES)
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


def _add_doctor(commands: _Commands[CommandParser]) -> None:
    told = "check everything that a profile needs, and say what to change"
    doctor = _command(commands, "doctor", told, examples.DOCTOR_EXAMPLES)
    add_profile(doctor)
    doctor.add_argument("--collection", "-c", metavar="NAME", help="check this collection too")
    doctor.add_argument("--json", action="store_true", help="print JSON and nothing else")
