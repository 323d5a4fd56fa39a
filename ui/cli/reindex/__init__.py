"""The command `vouch reindex`: rebuild a collection, by another embedder or for another version of Vouch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ui.cli.reindex.options import add_reindex_options

if TYPE_CHECKING:
    from argparse import Namespace

__all__ = ["add_reindex_options", "run_reindex"]


def run_reindex(args: Namespace) -> int:
    """Run `vouch reindex`; all that it needs is imported now, which `vouch --help` need not wait for."""
    from ui.cli.reindex.command import run

    return run(args)
