"""The command `vouch feedback`: export people's judgements of answers as an evaluation set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ui.cli.feedback.options import EXAMPLES, add_feedback_options

if TYPE_CHECKING:
    from argparse import Namespace

__all__ = ["EXAMPLES", "add_feedback_options", "run_feedback"]


def run_feedback(args: Namespace) -> int:
    """Run `vouch feedback`; all that it needs is imported now, which `vouch --help` need not wait for."""
    from ui.cli.feedback.command import run

    return run(args)
