"""The command `vouch proofread`: verify the texts of a collection against their pages ahead of questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ui.cli.proofread.options import EXAMPLES, add_proofread_options

if TYPE_CHECKING:
    from argparse import Namespace

__all__ = ["EXAMPLES", "add_proofread_options", "run_proofread"]


def run_proofread(args: Namespace) -> int:
    """Run `vouch proofread`; all that it needs is imported now, which `vouch --help` need not wait for."""
    from ui.cli.proofread.command import run

    return run(args)
