"""The options of `vouch watch`, and those that tag and choose documents. Nothing heavy is imported here."""

from __future__ import annotations

import argparse

EXAMPLES = """\
examples:
  vouch watch minutes/ --collection board      follow a folder until Ctrl-C
  vouch watch minutes/ -c board --dry-run      show what would happen, and do nothing
  vouch watch minutes/ -c board --once         bring the collection up to date, then end (for cron)
  vouch watch /mnt/share -c board --poll       check every second, for network mounts that report no changes

New and changed files are read once they have stopped changing; a file that moved keeps its document and its anchors.
When a file is gone, its document stays, marked as missing; --prune removes it. Tags, dates and authors come from
FILE.yaml and .vouch.yaml beside the files: docs/folders.md. Ctrl-C ends it, and the next start catches up.
exit code: 0 you ended it, or all is up to date (--once, --dry-run), 1 something was not done or not read (--once)
"""


def add_watch_options(watch: argparse.ArgumentParser) -> None:
    """Add the options of `vouch watch` but for those that it shares."""
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


def add_tags(parser: argparse.ArgumentParser) -> None:
    """Add `--tag` and `--untag`."""
    parser.add_argument(
        "--tag",
        action="append",
        default=[],
        metavar="T",
        help="give the documents this tag, also those already in the collection; may be repeated",
    )
    parser.add_argument(
        "--untag",
        action="append",
        default=[],
        metavar="T",
        help="remove this tag from the documents; edit the sidecar file to remove one that it gives; may be repeated",
    )


def add_where(parser: argparse.ArgumentParser) -> None:
    """Add `--where`."""
    parser.add_argument(
        "--where",
        metavar="FILTER",
        help="use only documents that match this: 'tag=minutes and date>=2024' (fields: tag, date, author, language, "
        "folder, name, title, kind, missing)",
    )


def _seconds(text: str) -> float:
    """Read a number of seconds from 0 to an hour."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 3600:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0 to 3600")
    return number
