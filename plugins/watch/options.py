"""The options of `vouch watch`. Nothing heavy is imported here."""

from __future__ import annotations

import argparse

from configs import CommandParser
from ui.cli import add_password, add_profile, add_tags, positive


def watch_options(watch: CommandParser) -> None:
    """Add the options of `vouch watch`."""
    watch.add_argument("folder", metavar="FOLDER", help="the folder to follow, with all its subfolders")
    watch.add_argument(
        "--dry-run", action="store_true", help="show what would be read, moved, marked or removed, and change nothing"
    )
    watch.add_argument("--once", action="store_true", help="bring the collection up to date, then end")
    watch.add_argument(
        "--prune", action="store_true", help="remove documents whose files are gone (default: mark them missing)"
    )
    watch.add_argument(
        "--settle",
        type=_seconds,
        default=2.0,
        metavar="S",
        help="wait until a file has not changed for this many seconds (default: %(default)g)",
    )
    watch.add_argument(
        "--poll", action="store_true", help="check every second, for network mounts and others that report no changes"
    )
    watch.add_argument("--json", action="store_true", help="print a line of JSON for each change, and nothing else")
    watch.add_argument(
        "--collection", "-c", metavar="NAME", default="default", help="the collection (default: %(default)s)"
    )
    add_profile(watch)
    watch.add_argument("--workers", type=positive, metavar="N", help="the number of processes that read pages")
    add_tags(watch)
    add_password(watch)


def _seconds(text: str) -> float:
    """Read a number of seconds from 0 to an hour."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 3600:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0 to 3600")
    return number
