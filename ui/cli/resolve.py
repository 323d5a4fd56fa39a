"""`vouch resolve`: find the current place of an anchor."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from indexing import Collection, CollectionError, list_collections
from rag import Anchor, AnchorLost, Resolved
from rag import resolve as find
from ui.cli.terminal import fail, print_json
from ui.show import KIND_NAMES, clean, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

EXIT_CODES = {"found": 0, "placed": 0, "changed": 1}


def resolve(args: Namespace) -> int:
    """Run `vouch resolve`: return 0 if the place was found, 1 if the document changed there.

    Searches `args.collection` or, if that is None, all collections; the best outcome counts. Raises AnchorDamaged and
    AnchorLost (exit code 2).
    """
    anchor = Anchor.parse(args.anchor)
    names = [args.collection] if args.collection else list_collections()
    name, best = _best(anchor, names, one=bool(args.collection))
    if args.json:
        print_json(_to_json(name, best))
    else:
        _show(name, best)
    return EXIT_CODES[best.state]


def _best(anchor: Anchor, names: Sequence[str], *, one: bool) -> tuple[str, Resolved]:
    """Return the collection with the best outcome. Unreadable collections are reported and skipped, unless `one`."""
    order = list(EXIT_CODES)
    outcomes: list[tuple[str, Resolved]] = []
    failure: AnchorLost | None = None
    for name in names:
        try:
            with Collection.open(name) as collection:
                outcomes.append((name, find(anchor, collection)))
        except AnchorLost as error:
            failure = error
        except CollectionError as error:
            if one:
                raise
            fail(f"skipped: {error}")
    if outcomes:
        return min(outcomes, key=lambda outcome: order.index(outcome[1].state))
    if one and failure is not None:
        raise failure
    raise AnchorLost(
        f"{anchor.name or 'the document'} (sha256 {anchor.sha256[:16]}...) was not found in any of {len(names)} "
        "collections, or its words have changed: index it with vouch index PATH"
    )


def _show(name: str, result: Resolved) -> None:
    print(clean(result.says))
    print(f"  collection {clean(name)}, document {result.document.id}")
    citation = result.citation
    if citation is None:
        return
    kind = KIND_NAMES.get(citation.kind, citation.kind)
    box = ", ".join(f"{v:.4f}" for v in citation.bbox.as_tuple())
    print(f"  page {citation.page}, {clean(kind)}, box {box} (fractions of the displayed page)")
    if citation.quote:
        print(f"  {shorten(citation.quote, 400)}")


def _to_json(name: str, result: Resolved) -> dict[str, Any]:
    return {
        "state": result.state,
        "says": result.says,
        "collection": name,
        "document": result.document.name,
        "doc_id": result.document.id,
        "sha256": result.document.sha256,
        "citation": result.citation.to_json() if result.citation else None,
    }
