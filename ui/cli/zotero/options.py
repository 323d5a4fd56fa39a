"""The options of `vouch index` that say what is read: paths, a Zotero library, the samples. Nothing heavy is loaded."""

from __future__ import annotations

import argparse


def add_zotero_options(index: argparse.ArgumentParser) -> None:
    """Add PATH, --zotero and --samples, one of which is needed, and --zotero-base."""
    which = index.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "paths",
        nargs="*",
        default=[],
        metavar="PATH",
        help="a document, a folder of them, or the address of a web page",
    )
    which.add_argument(
        "--zotero",
        metavar="PATH",
        help="read the PDFs of a Zotero library with their records: its data folder (zotero.sqlite, storage), or an "
        "export that names files (Better BibTeX JSON, CSL-JSON, BibTeX)",
    )
    which.add_argument(
        "--samples",
        action="store_true",
        help="read the sample documents that come with Vouch (into the collection samples), to try it out",
    )
    index.add_argument(
        "--zotero-base",
        metavar="DIR",
        help="the folder that its linked files are in (Zotero calls it the linked attachment base directory)",
    )
