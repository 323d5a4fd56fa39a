"""The options of `vouch index` that name a Zotero library. Nothing heavy is loaded."""

from __future__ import annotations

import argparse


def add_options(index: argparse.ArgumentParser, which: argparse._MutuallyExclusiveGroup) -> None:
    """Add --zotero to the options of which one is needed, and --zotero-base."""
    which.add_argument(
        "--zotero",
        metavar="PATH",
        help="read the PDFs of a Zotero library with their records: its data folder (zotero.sqlite, storage), or an "
        "export that names files (Better BibTeX JSON, CSL-JSON, BibTeX)",
    )
    index.add_argument(
        "--zotero-base",
        metavar="DIR",
        help="the folder that its linked files are in (Zotero calls it the linked attachment base directory)",
    )
