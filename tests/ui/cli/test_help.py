"""The help of every command: its examples can be typed, and what they name is there."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterator

import pytest

from evaluation.cli import options as eval_options
from rag.settings import shipped_profiles
from ui.cli.command_list import every_command
from ui.cli.parser import build_parser


def commands(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """A parser, and all of its sub-commands."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from commands(below)


ALL = {parser.prog: parser for parser in (*commands(build_parser()), *commands(eval_options()))}


def examples(parser: argparse.ArgumentParser) -> list[list[str]]:
    """The words of each line of the help that begins with `vouch`, without the remark behind it."""
    lines = re.findall(r"^  (vouch .*)$", parser.epilog or "", re.MULTILINE)
    return [shlex.split(re.split(r" {2,}| \| ", line)[0]) for line in lines]


@pytest.mark.parametrize("command", [prog for prog, parser in ALL.items() if parser.epilog])
def test_every_example_can_be_typed(command: str) -> None:
    found = examples(ALL[command])
    assert found
    for _, *words in found:
        assert eval_options().parse_args(words[1:]) if words[0] == "eval" else build_parser().parse_args(words)


@pytest.mark.parametrize("command", [f"vouch {c.name}" for c in every_command() if c.name != "eval"])
def test_every_command_has_examples(command: str) -> None:
    found = examples(ALL[command])
    assert found
    assert {words[1] for words in found} == {command.split()[1]}


@pytest.mark.parametrize("command", ALL)
def test_every_profile_that_a_help_names_is_there_or_a_file_of_ones_own(command: str) -> None:
    named = re.findall(r"--(?:profile|judge|identify)[ =](\S+)", ALL[command].format_help().partition("examples:")[2])
    assert [name for name in named if not name.endswith(".yaml") and name not in shipped_profiles()] == []
