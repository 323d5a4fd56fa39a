"""The options of `vouch proofread`. Nothing heavy is imported here."""

from __future__ import annotations

import argparse

from ui.cli.arguments import add_existing_collection, add_password, add_profile, positive

EXAMPLES = """\
examples:
  vouch proofread                             compare the texts of the collection with its pages
  vouch proofread -c papers --workers 1       the same, with one process
  vouch proofread -c papers --json | jq .pages

Before a quote is shown, its words are compared with the pixels of the page. This command does so for all pages in
advance, so that questions need not wait for it, and lists pages that show other words than their text has. It takes a
second or two for each page, and gives way to other programs. Ctrl-C loses nothing: run the same command again to
continue. vouch serve does the same while nobody asks (ui.look_ahead).
exit code: 0 every page was compared, 1 some could not be compared or saved (it says why), 130 stopped by Ctrl-C
"""


def add_proofread_options(parser: argparse.ArgumentParser) -> None:
    """Add which collection, and by how many processes."""
    add_existing_collection(parser)
    add_profile(parser)
    parser.add_argument("--workers", type=positive, metavar="N", help="the number of processes that look at pages")
    add_password(parser)
    parser.add_argument("--json", action="store_true", help="print the report as JSON and nothing else")
