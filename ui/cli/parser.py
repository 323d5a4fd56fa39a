"""The `vouch` command: parse the arguments, then hand over to `ui.cli.commands`.

Nothing heavy is imported here, so that `vouch --help` answers at once.
"""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Sequence
from importlib.util import find_spec

from configs import LOCAL, CommandParser
from ui.cli import command_list
from ui.cli.command_list import every_command
from vouch.hooks import load


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command, and return its exit code (for invalid arguments argparse exits with 2)."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets a question mark, not a crash.
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="replace")
    parser = build_parser()
    arguments = sys.argv[1:] if argv is None else list(argv)
    if arguments[:1] == ["eval"]:  # its options are those of the package evaluation, which reads them itself
        return evaluate(arguments[1:])
    args = parser.parse_args(arguments)
    if args.command is None:
        parser.print_help()
        return 0
    try:
        from indexing.lazy_imports import import_without
        from ui.cli import commands
    except KeyboardInterrupt:
        return 130
    if argv is None and args.command != "serve" and getattr(args, "on", LOCAL) == LOCAL:
        # A third of importing LanceDB is pandas, which no command uses. Gradio and Ray do, and callers may.
        import_without("lancedb", "pandas")
    return commands.run(args)


def build_parser() -> CommandParser:
    """Return the parser of the whole command line."""
    parser = CommandParser(
        prog="vouch",
        description="Ask your documents a question: every sentence of the answer cites the place that proves it.",
        epilog=command_list.EXAMPLES,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for command in every_command():
        options = commands.add_parser(
            command.name,
            help=command.summary,
            description=command.summary[0].upper() + command.summary[1:] + ".",
            epilog=command.examples,
        )
        load(command.options)(options)
        options.set_defaults(run=command.run)
    return parser


def eval_options(_: CommandParser) -> None:
    """Add nothing: the package `evaluation` reads the options of `vouch eval` itself."""


def evaluate(arguments: Sequence[str]) -> int:
    """Run `python -m evaluation`, which the user interface never imports, in this process; return its exit code."""
    if find_spec("evaluation") is None:
        print("vouch: the package evaluation is not installed: install Vouch again", file=sys.stderr)
        return 2
    before = sys.argv
    sys.argv = ["vouch eval", *arguments]
    try:
        runpy.run_module("evaluation", run_name="__main__")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0 if end.code is None else 2
    finally:
        sys.argv = before
    return 0


class _Version(argparse.Action):
    """The option `--version`, which looks the version up only when it is used."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print `vouch` and the version of the installed package."""
        from importlib.metadata import PackageNotFoundError, version

        try:
            number = version("vouch")
        except PackageNotFoundError:
            number = "(not installed: running from source)"
        print("vouch", number)
        parser.exit()
