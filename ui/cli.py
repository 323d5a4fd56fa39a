"""The `vouch` command: parse the arguments, then hand over to `ui.commands`.

Nothing heavy is imported here, so that `vouch --help` answers at once.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

_EXAMPLES = """\
examples:
  vouch index reports/                         read every document in a folder
  vouch ask "What drove revenue in 2023?"      an answer, each sentence with its source
  vouch ask "..." --overlay pages/             and the cited pages, with the proof boxed
  vouch serve                                  the same in a browser, on this machine only

Each command explains itself: vouch ask --help
Collections live in $VOUCH_HOME, or ~/.local/share/vouch. Nothing leaves this machine.
"""
_INDEX_EXAMPLES = """\
examples:
  vouch index report.pdf slides/ scan.tiff     folders are walked
  vouch index archive/ --collection archive    a collection of its own
  vouch index locked.pdf --password -          asks for the password

Files already indexed are skipped, changed ones replaced. Ctrl-C keeps every document that is complete.
exit code: 0 all well, 1 something failed (the table says what), 2 nothing usable, 130 stopped
"""
_SEARCH_EXAMPLES = """\
examples:
  vouch search "net income 2023"               what would be looked at, best first, without an answer
  vouch search "the map" --mode image          pages by their pixels
  vouch search "how many?" --json | jq .evidence

Each line says which of the queries found it; the queries stand above.
"""
_ASK_EXAMPLES = """\
examples:
  vouch ask "How many people work there?"
  vouch ask "What was net income?" --doc 10k-2023.pdf --doc 10k-2022.pdf
  vouch ask "Who chairs the board?" --json | jq .sentences
  vouch ask "What fell in March?" --overlay pages/
  vouch ask "How many people?" --mode text     compare: text, image (what pages look like), multi (both)
  vouch ask "Where is this sold?" --image label.png

marks: \u2713 proven by what it cites   ~ proven in part   ! no proof found, no box shown   \u25cb not checked
When nothing found answers well enough, Vouch says so and lists where it looked.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code (argparse itself exits with 2 on arguments it cannot read)."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets a question mark, not a crash.
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="replace")
    parser = build_parser()
    args = parser.parse_args(argv)
    if args.command is None:
        parser.print_help()
        return 0
    try:
        from ui import commands
    except KeyboardInterrupt:
        return 130
    return commands.run(args)


def build_parser() -> argparse.ArgumentParser:
    """The whole command line."""
    parser = argparse.ArgumentParser(
        prog="vouch",
        description="Answers from your documents, each sentence with the place that proves it.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    _add_index(commands)
    _add_ask(commands)
    _add_search(commands)
    _add_collection_commands(commands)
    _add_resolve(commands)
    _add_serve(commands)
    return parser


class _Version(argparse.Action):
    """Looks the version up only when it is asked for."""

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


def _command(
    commands: _Commands[argparse.ArgumentParser], name: str, says: str, epilog: str = ""
) -> argparse.ArgumentParser:
    """A sub-command whose help opens with the line that the overview shows."""
    return commands.add_parser(
        name,
        help=says,
        description=says[0].upper() + says[1:] + ".",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _collection(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--collection", "-c", metavar="NAME", default="default", help="the collection (default: %(default)s)"
    )


def _profile(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--profile", metavar="P", default="default", help="settings: a name in configs/, or a YAML file"
    )


def _add_index(commands: _Commands[argparse.ArgumentParser]) -> None:
    index = _command(commands, "index", "read documents into a collection", _INDEX_EXAMPLES)
    index.add_argument("paths", nargs="+", metavar="PATH", help="a document, or a folder of them")
    _collection(index)
    _profile(index)
    index.add_argument("--workers", type=_positive, metavar="N", help="processes that read pages")
    index.add_argument(
        "--ocr",
        choices=("auto", "always", "never"),
        default="auto",
        help="recognise text in pictures: where a page has no text of its own (auto), always, or never",
    )
    index.add_argument(
        "--visual",
        choices=("ocr_regions", "none"),
        help="who indexes what pages look like, for the modes image and multi (default: ocr_regions, what is read off "
        "their pixels); decided when a collection is made",
    )
    index.add_argument(
        "--pixels",
        choices=("images", "pages"),
        help="what of pages is read off their pixels: images, page images and pictures (default); or pages, every "
        "page whole, which takes several times as long as all the rest",
    )
    index.add_argument("--password", metavar="PW", help="opens encrypted files; - asks for it")
    index.add_argument("--json", action="store_true", help="print the report as JSON and nothing else")


def _add_ask(commands: _Commands[argparse.ArgumentParser]) -> None:
    ask = _command(commands, "ask", "answer a question, every sentence with its source", _ASK_EXAMPLES)
    _retrieval(ask)
    ask.add_argument(
        "--export",
        metavar="DIR|FILE",
        help="write the answer there: .md, .html, .json, .pdf with highlights, .bbox (CiteVQA), or a folder for all",
    )
    ask.add_argument("--overlay", metavar="DIR", help="write each cited page there as a PNG, its proof boxed")
    ask.add_argument("--json", action="store_true", help="print the answer as JSON and nothing else")


def _add_search(commands: _Commands[argparse.ArgumentParser]) -> None:
    search = _command(commands, "search", "rank what bears on a question, without answering it", _SEARCH_EXAMPLES)
    _retrieval(search)
    search.add_argument("--json", action="store_true", help="print the ranking as JSON and nothing else")


def _retrieval(parser: argparse.ArgumentParser) -> None:
    """What asking and searching share."""
    parser.add_argument("question", metavar="QUESTION", type=_question, help="in quotes")
    _collection(parser)
    parser.add_argument(
        "--doc", action="append", default=[], metavar="D", help="only this document, by name or id; may be repeated"
    )
    parser.add_argument(
        "--mode",
        choices=("text", "image", "multi"),
        help="search the text of elements, the pixels of pages, or both (default: as the profile says; both, where "
        "the collection has them)",
    )
    parser.add_argument("--queries", type=_positive, metavar="N", help="most queries to make of the question")
    parser.add_argument("--top-k", type=_positive, metavar="K", help="how many passages to look at")
    parser.add_argument(
        "--image", metavar="FILE", help="an image to go with the question: what it says is searched too"
    )
    _profile(parser)


def _add_collection_commands(commands: _Commands[argparse.ArgumentParser]) -> None:
    listing = _command(commands, "list", "name the collections, or the documents of one")
    listing.add_argument("--collection", "-c", metavar="NAME", help="list its documents")
    listing.add_argument("--json", action="store_true", help="print JSON and nothing else")
    remove = _command(commands, "remove", "take documents out of a collection")
    which = remove.add_mutually_exclusive_group(required=True)
    which.add_argument("documents", nargs="*", default=[], metavar="NAME", help="a document, by name or id")
    which.add_argument("--all", action="store_true", help="delete the collection itself")
    remove.add_argument("--collection", "-c", metavar="NAME", required=True, help="the collection")
    stats = _command(commands, "stats", "say how large a collection is and what made it")
    _collection(stats)
    stats.add_argument("--json", action="store_true", help="print JSON and nothing else")
    compact = _command(commands, "compact", "give back the disk space of removed and replaced documents")
    _collection(compact)


def _add_resolve(commands: _Commands[argparse.ArgumentParser]) -> None:
    resolve = _command(commands, "resolve", "find the place that an anchor names, wherever its document went")
    resolve.add_argument("anchor", metavar="ANCHOR", help="from an exported answer: vouch1:...")
    resolve.add_argument("--collection", "-c", metavar="NAME", help="look there only (default: in all)")
    resolve.add_argument("--json", action="store_true", help="print JSON and nothing else")


def _add_serve(commands: _Commands[argparse.ArgumentParser]) -> None:
    serve = _command(commands, "serve", "show a page to upload, ask and read in a browser")
    serve.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s, this machine)")
    serve.add_argument("--port", type=_port, default=7860, help="default: %(default)s")
    serve.add_argument("--collection", "-c", metavar="NAME", help="the collection to begin with")
    _profile(serve)


def _positive(text: str) -> int:
    """A whole number from 1."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


def _port(text: str) -> int:
    """A port that a program may choose."""
    number = _positive(text)
    if number > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port (1 to 65535)")
    return number


def _question(text: str) -> str:
    """Words to look for."""
    if not text.strip():
        raise argparse.ArgumentTypeError("the question is empty")
    return text.strip()


if __name__ == "__main__":
    sys.exit(main())
