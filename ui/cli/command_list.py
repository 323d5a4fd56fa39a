"""The commands of `vouch`, in the order of its help, by the types that plugins use too (vouch/hooks.py)."""

from __future__ import annotations

from ui.cli import examples
from vouch.hooks import Command, additions, with_added

_COMMANDS = "ui.cli.commands"
_OPTIONS = "ui.cli.options"

COMMANDS: tuple[Command, ...] = (
    Command(
        "demo", "read the sample documents, answer a question on them, and draw the cited pages",
        f"{_OPTIONS}:demo_options", "ui.cli.demo:demo", examples.DEMO_EXAMPLES,
    ),
    Command(
        "index", "read documents into a collection",
        f"{_OPTIONS}:index_options", "ui.cli.index:index", examples.index_examples(),
    ),
    Command(
        "reindex", "rebuild a collection with another embedder or this version of Vouch",
        f"{_OPTIONS}:reindex_options", "ui.cli.index:reindex", examples.REINDEX_EXAMPLES,
    ),
    Command(
        "ask", "answer a question, with a source for every sentence",
        f"{_OPTIONS}:ask_options", f"{_COMMANDS}:ask", examples.ASK_EXAMPLES,
    ),
    Command(
        "search", "rank the passages, tables and figures for a question, without answering it",
        f"{_OPTIONS}:search_options", f"{_COMMANDS}:search", examples.SEARCH_EXAMPLES,
    ),
    Command(
        "list", "list the collections, or the documents of one",
        f"{_OPTIONS}:list_options", f"{_COMMANDS}:list_", examples.LIST_EXAMPLES,
    ),
    Command(
        "remove", "remove documents from a collection, or delete it",
        f"{_OPTIONS}:remove_options", f"{_COMMANDS}:remove", examples.REMOVE_EXAMPLES,
    ),
    Command(
        "stats", "show how large a collection is and how it was made",
        f"{_OPTIONS}:stats_options", f"{_COMMANDS}:stats", examples.STATS_EXAMPLES,
    ),
    Command(
        "compact", "free the disk space of removed and replaced documents",
        f"{_OPTIONS}:add_collection", f"{_COMMANDS}:compact", examples.COMPACT_EXAMPLES,
    ),
    Command(
        "resolve", "find the place that an anchor points to, wherever its document is now",
        f"{_OPTIONS}:resolve_options", "ui.cli.resolve:resolve", examples.RESOLVE_EXAMPLES,
    ),
    Command(
        "eval", "run benchmarks, report and compare the results: vouch eval --help",
        "ui.cli.parser:eval_options", "ui.cli.parser:evaluate",
    ),
    Command(
        "feedback", "export people's judgements of answers as an evaluation set",
        f"{_OPTIONS}:feedback_options", "ui.cli.feedback:feedback", examples.FEEDBACK_EXAMPLES,
    ),
    Command(
        "serve", "start a web page for uploading, asking and reading",
        f"{_OPTIONS}:serve_options", "ui.cli.serve:serve", examples.SERVE_EXAMPLES,
    ),
    Command(
        "connect", "find a language model, test what it supports, and write a profile for it",
        f"{_OPTIONS}:connect_options", "ui.cli.connect:connect", examples.CONNECT_EXAMPLES,
    ),
    Command(
        "doctor", "check everything that a profile needs, and say what to change",
        f"{_OPTIONS}:doctor_options", "ui.cli.doctor:doctor", examples.DOCTOR_EXAMPLES,
    ),
)  # fmt: skip
"""The commands of the core."""


def every_command() -> tuple[Command, ...]:
    """Return the commands of the core, then those of the plugins."""
    return with_added(COMMANDS, [command for command in additions("commands") if not command.group])
