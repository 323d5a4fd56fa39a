"""The options of `vouch proofread`. Nothing heavy is imported here."""

from __future__ import annotations

import argparse

from ui.cli.arguments import add_existing_collection, add_password, add_profile, positive

EXAMPLES = """\
examples:
  vouch proofread                             hold the texts of the collection against its pages
  vouch proofread -c papers --workers 1       the same, by one process
  vouch proofread -c papers --json | jq .pages

Before a quote is shown, its words are held against the pixels of their page. This does it for all pages at once, so
that questions need not wait for it, and names the pages that show other words than their text has. It takes a second
or two a page, and stands back where others want the processor. Ctrl-C loses nothing: the same command goes on.
vouch serve does the same by itself while nobody asks (ui.look_ahead).
exit code: 0 every page was looked at, 1 some could not be, or not be kept (it says why), 130 you stopped it
"""


def add_proofread_options(parser: argparse.ArgumentParser) -> None:
    """Add which collection, and by how many processes."""
    add_existing_collection(parser)
    add_profile(parser)
    parser.add_argument("--workers", type=positive, metavar="N", help="how many processes look at pages")
    add_password(parser)
    parser.add_argument("--json", action="store_true", help="print the report as JSON and nothing else")
