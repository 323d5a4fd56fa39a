"""The tags that a run gives and takes away, as they are kept."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexing import Metadata


def changed_tags(args: Namespace) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the tags of `--tag` and `--untag`. Raises BadSidecar for one that cannot be kept, or for both at once."""
    from indexing import BadSidecar, clean_tag  # they bring in what reads files

    to_add, to_remove = tuple(map(clean_tag, args.tag)), tuple(map(clean_tag, args.untag))
    both = next((tag for tag in to_add if tag in to_remove), None)
    if both is not None:
        raise BadSidecar(f"the tag {both!r} is both added and removed: name it in --tag or in --untag, not in both")
    return to_add, to_remove


def tags_of_sidecars(untagged: Sequence[str], records: Iterable[Metadata]) -> list[str]:
    """Return a sentence for each tag that was to be taken away, and stays since sidecars give it."""
    tags = {tag for record in records for tag in record.sidecar_tags}
    return [f"the tag {tag!r} comes from a sidecar file and stays: remove it there" for tag in untagged if tag in tags]
