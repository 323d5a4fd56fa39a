"""The `vouch` command: its subcommands, their options, and what they print."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ui.cli.parser import main

if TYPE_CHECKING:
    from ui.cli.audit_notes import command_access, note_report
    from ui.cli.commands import STOPPED, existing_collection, open_collection, report_answer
    from ui.cli.index import changed_tags
    from ui.cli.options import (
        add_collection,
        add_password,
        add_profile,
        add_scope,
        add_tags,
        positive,
        question_words,
    )
    from ui.cli.password import password_of
    from ui.cli.progress import graceful_end, shown_progress, status_line
    from ui.cli.terminal import fail, print_json, report_summary, show

_MODULES = dict.fromkeys(("STOPPED", "existing_collection", "open_collection", "report_answer"), "commands")
_MODULES |= dict.fromkeys(
    ("add_collection", "add_password", "add_profile", "add_scope", "add_tags", "positive", "question_words"), "options"
)
_MODULES |= dict.fromkeys(("graceful_end", "shown_progress", "status_line"), "progress")
_MODULES |= dict.fromkeys(("command_access", "note_report"), "audit_notes")
_MODULES |= {"changed_tags": "index", "password_of": "password"}
_MODULES |= dict.fromkeys(("fail", "print_json", "report_summary", "show"), "terminal")


def __getattr__(name: str) -> Any:
    """Import what commands of plugins share when it is first asked for."""
    if name in _MODULES:
        return getattr(import_module(f"ui.cli.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
