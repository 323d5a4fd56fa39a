"""The options of `vouch watch`, and those that tag and choose documents. Nothing heavy is imported here."""

from __future__ import annotations

import argparse

EXAMPLES = """\
examples:
  vouch watch minutes/ --collection board      follow a folder until Ctrl-C
  vouch watch minutes/ -c board --dry-run      say what would happen, and do nothing
  vouch watch minutes/ -c board --once         bring the collection up to date, then end (for cron)
  vouch watch /mnt/share -c board --poll       look every second, where a network mount tells no changes

New and changed files are read once nobody writes them any more, a moved one keeps its document and its anchors. A file
that is gone leaves its document behind, marked missing; with --prune it goes too. Tags, dates and authors come from
FILE.yaml and .vouch.yaml beside the files: docs/folders.md. Ctrl-C ends it, and another start catches up.
exit code: 0 you ended it, or all is up to date (--once, --dry-run), 1 something was left or could not be read (--once)
"""


def add_watch_options(watch: argparse.ArgumentParser) -> None:
    """Add the options of `vouch watch` but for those that it shares."""
    watch.add_argument("folder", metavar="FOLDER", help="the folder to follow, with all folders in it")
    watch.add_argument(
        "--dry-run", action="store_true", help="say what would be read, moved, marked or removed, and change nothing"
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
        help="leave a file alone until it was still for so many seconds (default: %(default)g)",
    )
    watch.add_argument(
        "--poll", action="store_true", help="look every second, for network mounts and others that tell no changes"
    )
    watch.add_argument("--json", action="store_true", help="print a line of JSON for each change, and nothing else")


def add_tags(parser: argparse.ArgumentParser) -> None:
    """Add `--tag` and `--untag`."""
    parser.add_argument(
        "--tag",
        action="append",
        default=[],
        metavar="T",
        help="give the documents this tag, those that are there already too; may be repeated",
    )
    parser.add_argument(
        "--untag",
        action="append",
        default=[],
        metavar="T",
        help="take this tag from the documents; one of a sidecar is taken out there; may be repeated",
    )


def add_where(parser: argparse.ArgumentParser) -> None:
    """Add `--where`."""
    parser.add_argument(
        "--where",
        metavar="FILTER",
        help="look at documents that fit this only: 'tag=minutes and date>=2024' (fields: tag, date, author, language, "
        "folder, name, title, kind, missing)",
    )


def _seconds(text: str) -> float:
    """Read a number of seconds from 0 to an hour."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 3600:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds from 0 to 3600")
    return number
