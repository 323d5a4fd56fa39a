"""The command `vouch watch`, which follows a folder, and the options that tag and filter documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ui.cli.folders.ending import ended_gently
from ui.cli.folders.options import EXAMPLES, add_tags, add_watch_options, add_where
from ui.cli.folders.tags import changed_tags, tags_of_sidecars

if TYPE_CHECKING:
    from argparse import Namespace

__all__ = [
    "EXAMPLES",
    "add_tags",
    "add_watch_options",
    "add_where",
    "changed_tags",
    "ended_gently",
    "run_watch",
    "tags_of_sidecars",
]


def run_watch(args: Namespace) -> int:
    """Run `vouch watch`; all that it needs is imported now, which `vouch --help` need not wait for."""
    from ui.cli.folders.command import run

    return run(args)
