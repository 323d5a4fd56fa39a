"""What the plugin `zotero` adds to Vouch."""

from __future__ import annotations

import argparse

from vouch.hooks import DocumentSource, Plugin

PLUGIN = Plugin(
    name="zotero",
    summary="Index a Zotero library, or its export, with its records, tags and collections.",
    sources=(
        DocumentSource(
            "zotero",
            options="plugins.zotero.plugin:add_options",
            read="plugins.zotero.library:library_files",
            example="vouch index --zotero ~/Zotero -c library     "
            "read a Zotero library: its PDFs, records, tags and collections",
        ),
    ),
)


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
