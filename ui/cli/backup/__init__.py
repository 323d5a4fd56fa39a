"""The commands `vouch backup` and `vouch restore`: save collections in one file, and bring them back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ui.cli.backup.options import BACKUP_EXAMPLES, RESTORE_EXAMPLES, add_backup_options, add_restore_options

if TYPE_CHECKING:
    from argparse import Namespace

__all__ = [
    "BACKUP_EXAMPLES",
    "RESTORE_EXAMPLES",
    "add_backup_options",
    "add_restore_options",
    "run_backup",
    "run_restore",
]


def run_backup(args: Namespace) -> int:
    """Run `vouch backup`; all that it needs is imported now, which `vouch --help` need not wait for."""
    from ui.cli.backup.command import backup

    return backup(args)


def run_restore(args: Namespace) -> int:
    """Run `vouch restore`; all that it needs is imported now."""
    from ui.cli.backup.command import run_restore

    return run_restore(args)
