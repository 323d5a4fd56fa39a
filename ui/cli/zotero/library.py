"""The Zotero library that `vouch index` reads."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from indexing import LibraryUnreadable, ZoteroLibrary, read_library


def named_library(args: Namespace) -> ZoteroLibrary:
    """Return the library that the options name, one without files where they name none. Raises LibraryUnreadable."""
    base = Path(args.zotero_base) if args.zotero_base else None
    if not args.zotero:
        if base is not None:
            raise LibraryUnreadable(f"--zotero-base {base}: goes with a library: name that with --zotero PATH")
        return ZoteroLibrary(())
    if base is not None and not base.is_dir():
        raise LibraryUnreadable(f"--zotero-base {base}: is not a folder: give the one in Zotero's settings")
    return read_library(Path(args.zotero), base)
