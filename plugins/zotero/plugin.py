"""What the plugin `zotero` adds to Vouch."""

from __future__ import annotations

import argparse

from vouch.hooks import DocumentSource, Export, Plugin

PLUGIN = Plugin(
    name="zotero",
    summary="Index a Zotero library with its records, and export the works that an answer cites.",
    exports=(
        Export(
            "bibtex",
            (".bib", ".bibtex"),
            "BibTeX of the cited works",
            "application/x-bibtex",
            "plugins.zotero.works:bibtex_file",
            cites=True,
        ),
        Export(
            "ris",
            (".ris",),
            "RIS of the cited works",
            "application/x-research-info-systems",
            "plugins.zotero.works:ris_file",
            cites=True,
        ),
    ),
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
        help="read the PDFs of a Zotero library with their records: its data folder (zotero.sqlite, storage)",
    )
    index.add_argument(
        "--zotero-base",
        metavar="DIR",
        help="the folder that its linked files are in (Zotero calls it the linked attachment base directory)",
    )
