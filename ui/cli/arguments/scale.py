"""The options of large collections."""

from __future__ import annotations

import argparse

from ui.cli.arguments.values import positive


def add_scale_options(index: argparse.ArgumentParser) -> None:
    """Add `--shards`."""
    index.add_argument(
        "--shards",
        type=positive,
        metavar="N",
        help="split a new collection into so many databases, by document, which are searched at the same time; a "
        "collection keeps its number (docs/shards.md)",
    )
