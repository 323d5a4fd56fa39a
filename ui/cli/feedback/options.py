"""The options of `vouch feedback`. Nothing heavy is imported here."""

from __future__ import annotations

import argparse

EXAMPLES = """\
examples:
  vouch feedback export judged/                write questions.yaml and its documents
  vouch feedback list --json                   print every judgement with its note, one line of JSON each

A sentence that was judged right gives its question a gold box; wrong and wrong place give none, but `list` has them.
Measure on this set with: vouch eval samples --data judged/ --out run/
exit code: 0 written, 1 something was left out (see stderr), 2 nothing to write
"""


def add_feedback_options(feedback: argparse.ArgumentParser) -> None:
    """Add `export FOLDER` and `list`."""
    actions = feedback.add_subparsers(dest="action", metavar="ACTION", required=True)
    export = actions.add_parser("export", help="write an evaluation set from the sentences that were judged right")
    export.add_argument("folder", metavar="FOLDER", help="the folder to write to, new or empty")
    listing = actions.add_parser("list", help="print all judgements, oldest answers first")
    listing.add_argument("--json", action="store_true", help="print each as one line of JSON")
