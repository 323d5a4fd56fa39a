"""The options of `vouch index` that name a Zotero library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ui.cli.zotero.options import add_zotero_options

if TYPE_CHECKING:
    from argparse import Namespace

    from indexing import ZoteroLibrary

__all__ = ["add_zotero_options", "library_of"]


def library_of(args: Namespace) -> ZoteroLibrary:
    """Read the library that was named, one without files where none was. Raises IndexingError."""
    from ui.cli.zotero.library import named_library

    return named_library(args)
