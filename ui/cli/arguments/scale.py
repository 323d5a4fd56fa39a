"""The options of large collections."""

from __future__ import annotations

import argparse

from ui.cli.arguments.values import positive


def add_scale_options(index: argparse.ArgumentParser) -> None:
    """Add `--shards`, and `--on` for reading and embedding."""
    index.add_argument(
        "--shards",
        type=positive,
        metavar="N",
        help="split a new collection into N databases, by document, which are searched in parallel; a collection "
        "keeps its number (docs/shards.md)",
    )
    index.add_argument(
        "--on",
        default="",
        metavar="CLUSTER",
        help="read and embed on the nodes of a Ray cluster: ray for the one of this machine, or ray://HOST:PORT; "
        "--workers is then the number of processes on each node (docs/ray.md)",
    )


def add_search_on(serve: argparse.ArgumentParser) -> None:
    """Add `--on` for searching."""
    serve.add_argument(
        "--on",
        default="",
        metavar="CLUSTER",
        help="search on the nodes of a Ray cluster, each node some shards of a collection that it can read: ray for "
        "the cluster of this machine, or ray://HOST:PORT (docs/shards.md)",
    )
