"""The argument parser of all commands, which reports a mistyped option or choice in one line and suggests the right."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from vouch.hooks import left_out_advice

_ALIKE = 0.6
"""The least similarity (difflib's ratio) of a word with the name that it is a misspelling of."""


def did_you_mean(word: str, known_names: Iterable[str], *, lead: str = ", ", alike: float = _ALIKE) -> str:
    """Return `, did you mean NAME?` with the known name most like `word`; "" if none has the similarity `alike`.

    It is appended to a message that `word` is unknown, and begins with `lead`. Upper and lower case are the same.
    """
    by_lower = {name.lower(): name for name in known_names}
    near = difflib.get_close_matches(word.lower(), by_lower, n=1, cutoff=alike)
    return f"{lead}did you mean {by_lower[near[0]]}?" if near else ""


def known_name(name: str, known_names: Sequence[str]) -> str:
    """Return the value of a setting if it is a known name. Raises PydanticCustomError for any other."""
    if name not in known_names:
        from pydantic_core import PydanticCustomError

        *most, last = map(repr, known_names)
        expected = f"{', '.join(most)} or {last}" if most else last
        raise PydanticCustomError("literal_error", "Input should be {expected}", {"expected": expected})
    return name


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """A formatter that adds the default to the help of options that do not state it, and keeps descriptions as is."""

    def _get_help_string(self, action: argparse.Action) -> str:
        text = action.help or ""
        empty = action.default in (None, "", False, argparse.SUPPRESS) or action.default == []
        return text if empty or "default" in text or not action.option_strings else f"{text} (default: %(default)s)"


class CommandParser(argparse.ArgumentParser):
    """A parser whose errors are one line: the fault, the name that may have been meant, and the way to the help.

    It exits with 2, as argparse does. Sub-commands that are added to it are parsed alike.
    """

    _arguments: Sequence[str] = ()

    def __init__(self, **options: Any) -> None:
        """Take the options of argparse's own parser; the help says the defaults."""
        super().__init__(**{"formatter_class": _HelpFormatter} | options)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse; arguments that are left over are an error of this command, not of its parent command."""
        self._arguments = sys.argv[1:] if args is None else list(args)
        result, rest = super().parse_known_args(args, namespace)
        if rest and rest[0].startswith("-"):
            self.error(f"there is no option {rest[0]}")
        if rest:
            self.error(f"unexpected arguments: {' '.join(rest)}: put quotes around words that belong together")
        return result, rest

    def error(self, message: str) -> NoReturn:
        """Print one line and exit with 2. An unknown option is reported instead of `message`, which it may explain."""
        option = self._unknown_option()
        if option:
            suggestion = did_you_mean(option, self._option_string_actions)
            message = f"there is no option {option}{suggestion}{_advice()}"
        end = "" if message.endswith("?") else ";"
        self.exit(2, f"{self.prog}: error: {_printable(message)}{end} see {self.prog} --help\n")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is none of the choices. Sub-commands are choices, too."""
        if action.choices is not None and value not in action.choices:
            names = [str(choice) for choice in action.choices]
            message = f"{value!r} is not known{did_you_mean(str(value), names)} (there are: {', '.join(names)})"
            if action.nargs == argparse.PARSER:
                message += _advice()
            raise argparse.ArgumentError(action, message)

    def _unknown_option(self) -> str:
        """Return the first option in the arguments that this command does not have; "" if it has all of them."""
        actions = self._option_string_actions
        return next((name for name in self._option_names() if not any(k.startswith(name) for k in actions)), "")

    def _option_names(self) -> Iterable[str]:
        """Yield the names of the long options in the arguments, up to `--` or a sub-command, which has its own."""
        for word in self._arguments:
            if word == "--" or (self._subparsers is not None and not word.startswith("-")):
                return
            if word.startswith("--"):
                yield word.partition("=")[0]


def _advice() -> str:
    """Return "; ADVICE" for a name that a left-out plugin may have; "" if no plugin is left out."""
    advice = left_out_advice()
    return f"; {advice}" if advice else ""


def _printable(text: str) -> str:
    """Return the text with a space for each character that is not printable, line breaks and escapes among them."""
    return "".join(c if c.isprintable() else " " for c in text)
