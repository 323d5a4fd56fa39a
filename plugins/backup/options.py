"""The options of `vouch backup` and `vouch restore`. Nothing heavy is imported here."""

from __future__ import annotations

import argparse


def backup_options(backup: argparse.ArgumentParser) -> None:
    """Add the options of `vouch backup`."""
    backup.add_argument("target", metavar="FILE|FOLDER", help="the file to write, or a folder to write a new one into")
    _add_collections(backup, "back up this collection only; may be repeated (default: all)")


def restore_options(restore: argparse.ArgumentParser) -> None:
    """Add the options of `vouch restore`."""
    restore.add_argument("file", metavar="FILE", help="the file that vouch backup wrote")
    _add_collections(restore, "restore this collection only; may be repeated (default: all)")
    how = restore.add_mutually_exclusive_group()
    how.add_argument("--as", dest="called", metavar="NAME", help="restore the one collection under another name")
    how.add_argument("--replace", action="store_true", help="replace the existing collection")
    how.add_argument("--check", action="store_true", help="check the file, and restore nothing")


def _add_collections(parser: argparse.ArgumentParser, meaning: str) -> None:
    parser.add_argument(
        "--collection", "-c", dest="collections", action="append", default=[], metavar="NAME", help=meaning
    )
