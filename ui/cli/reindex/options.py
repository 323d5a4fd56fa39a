"""The options of `vouch reindex`. Nothing heavy is imported here."""

from __future__ import annotations

import argparse

from ui.cli.arguments import add_password, add_profile, add_reading_options, positive


def add_reindex_options(reindex: argparse.ArgumentParser) -> None:
    """Add which collection, and what becomes different."""
    reindex.add_argument("--collection", "-c", metavar="NAME", required=True, help="the collection")
    add_profile(reindex)
    add_reading_options(reindex)
    reindex.add_argument(
        "--shards", type=positive, metavar="N", help="the number of databases to split it into, by document"
    )
    reindex.add_argument(
        "--parse",
        action="store_true",
        help="parse the stored copies of all files again, instead of reusing what was parsed before",
    )
    reindex.add_argument(
        "--discard", action="store_true", help="discard a reindex that was stopped; the collection stays as it is"
    )
    add_password(reindex)
    reindex.add_argument("--json", action="store_true", help="print the report as JSON and nothing else")
