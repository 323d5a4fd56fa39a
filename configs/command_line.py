"""The argument parser of all commands, which reports a mistyped option or choice in one line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from configs.spelling import did_you_mean
from vouch.hooks import left_out_advice


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """A formatter that says the default of an option whose help does not, and leaves descriptions as they are."""

    def _get_help_string(self, action: argparse.Action) -> str:
        said = action.help or ""
        silent = action.default in (None, "", False, argparse.SUPPRESS) or action.default == []
        return said if silent or "default" in said or not action.option_strings else f"{said} (default: %(default)s)"


class CommandParser(argparse.ArgumentParser):
    """A parser whose errors are one line: the fault, the name that may have been meant, and the way to the help.

    It exits with 2, as argparse does. Sub-commands that are added to it are parsed alike.
    """

    _given: Sequence[str] = ()

    def __init__(self, **options: Any) -> None:
        """Take the options of argparse's own parser; the help says the defaults."""
        super().__init__(**{"formatter_class": _HelpFormatter} | options)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse; whatever is left over is an error of this very command, not of the one above it."""
        self._given = sys.argv[1:] if args is None else list(args)
        found, left = super().parse_known_args(args, namespace)
        if left and left[0].startswith("-"):
            self.error(f"there is no option {left[0]}")
        if left:
            self.error(f"unexpected arguments: {' '.join(left)}: put quotes around words that belong together")
        return found, left

    def error(self, message: str) -> NoReturn:
        """Print one line and exit with 2. An unknown option is reported first, as it explains what else is missing."""
        unknown = self._unknown_option()
        if unknown:
            meant = did_you_mean(unknown, self._option_string_actions)
            message = f"there is no option {unknown}{meant}{_advice()}"
        end = "" if message.endswith("?") else ";"
        self.exit(2, f"{self.prog}: error: {_printable(message)}{end} see {self.prog} --help\n")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is none of the choices. Sub-commands are choices, too."""
        if action.choices is not None and value not in action.choices:
            names = [str(choice) for choice in action.choices]
            said = f"{value!r} is not known{did_you_mean(str(value), names)} (there are: {', '.join(names)})"
            if action.nargs == argparse.PARSER:
                said += _advice()
            raise argparse.ArgumentError(action, said)

    def _unknown_option(self) -> str:
        """Return the first option given to this command that it does not have; "" where it has all of them."""
        known = self._option_string_actions
        return next((name for name in self._named() if not any(k.startswith(name) for k in known)), "")

    def _named(self) -> Iterable[str]:
        """Yield the options among the words of this command; those after a sub-command are not its own."""
        for word in self._given:
            if word == "--" or (self._subparsers is not None and not word.startswith("-")):
                return
            if word.startswith("--"):
                yield word.partition("=")[0]


def _advice() -> str:
    """Return the end of a message about what does not exist, but may belong to a plugin that is left out."""
    advice = left_out_advice()
    return f"; {advice}" if advice else ""


def _printable(text: str) -> str:
    """Return the text on one line, without what a terminal would obey."""
    return "".join(c if c.isprintable() else " " for c in text)
