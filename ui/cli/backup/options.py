"""The options of `vouch backup` and `vouch restore`. Nothing heavy is imported here."""

from __future__ import annotations

import argparse

BACKUP_EXAMPLES = """\
examples:
  vouch backup /mnt/backups                    all collections, to a new file named after the time
  vouch backup board.tar -c board              one collection
  vouch backup /mnt/backups -c board -c law    two of them

Reading, the page and indexing may go on: each collection is copied as it is at one moment. An existing file is never
replaced. Without -c, bibliographies are included. Nothing in the file is encrypted: docs/operating.md.
"""
RESTORE_EXAMPLES = """\
examples:
  vouch restore board.tar                      everything in it
  vouch restore all.tar -c board --as board2   one collection, under another name
  vouch restore all.tar -c board --replace     replacing the existing one
  vouch restore all.tar --check                check the whole file, and restore nothing

The whole file is unpacked beside the collections and checked before the first of them is put in place, in one step
each. Restart vouch serve after replacing a collection that it serves.
"""


def add_backup_options(backup: argparse.ArgumentParser) -> None:
    """Add the options of `vouch backup`."""
    backup.add_argument("target", metavar="FILE|FOLDER", help="the file to write, or a folder to write a new one into")
    _add_chosen(backup, "back up this collection only; may be repeated (default: all)")


def add_restore_options(restore: argparse.ArgumentParser) -> None:
    """Add the options of `vouch restore`."""
    restore.add_argument("file", metavar="FILE", help="the file that vouch backup wrote")
    _add_chosen(restore, "restore this collection only; may be repeated (default: all)")
    how = restore.add_mutually_exclusive_group()
    how.add_argument("--as", dest="called", metavar="NAME", help="restore the one collection under another name")
    how.add_argument("--replace", action="store_true", help="replace the existing collection")
    how.add_argument("--check", action="store_true", help="check the file, and restore nothing")


def _add_chosen(parser: argparse.ArgumentParser, says: str) -> None:
    parser.add_argument(
        "--collection", "-c", dest="collections", action="append", default=[], metavar="NAME", help=says
    )
