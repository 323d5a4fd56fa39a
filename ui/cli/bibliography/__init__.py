"""The command `vouch bibliography`: manage the records in which `vouch audit` looks references up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ui.cli.bibliography.options import EXAMPLES, add_bibliography_options

if TYPE_CHECKING:
    from argparse import Namespace

__all__ = ["EXAMPLES", "add_bibliography_options", "run_bibliography"]


def run_bibliography(args: Namespace) -> int:
    """Run `vouch bibliography`; all that it needs is imported now, which `vouch --help` need not wait for."""
    from ui.cli.bibliography.command import run

    return run(args)
