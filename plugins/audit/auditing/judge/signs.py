"""Signs of invention: what speaks for an invented reference, none of it a field that was read with doubt."""

from __future__ import annotations

from collections.abc import Sequence

from plugins.audit.auditing.judge.comparison import RecordComparison
from plugins.audit.auditing.judge.titles import is_distinct
from plugins.audit.auditing.types import Lookup, ReferenceFinding
from plugins.audit.references import Reference

_OF_TITLE = ("agrees", "same work", "same title")
_OF_AUTHORS = ("agrees", "same work", "resembles")


def signs_of_invention(
    reference: Reference,
    compared: Sequence[RecordComparison],
    lookups: Sequence[Lookup],
    owned: Sequence[ReferenceFinding] = (),
) -> list[str]:
    """Return the signs, each in words: two of them say that the work does not exist, and one may be a slip.

    A source that promises all such works lacks it: has none of this title, or none by these authors that is like it,
    which is one promise and one sign a source; a registry does not know the identifier; the identifier is another
    work's; the title is that of a work by none of these authors. `owned` is the finding on an identifier that is
    another work's.
    """
    fields = reference.fields
    sure = {name: name not in fields.doubtful for name in ("title", "authors", "doi", "arxiv")}
    titled, named = bool(fields.title) and sure["title"], bool(fields.authors) and sure["authors"]
    others = next((c for c in compared if c.relation == "same title"), None)
    distinct = others is not None and titled and named and is_distinct(fields.title)
    found: dict[str, str] = {}
    for lookup in lookups:
        relations = {c.relation for c in compared if c.record.source == lookup.source}
        searched = f"{lookup.source}: {lookup.searched or 'searched'}"
        if lookup.outcome == "nothing" and not lookup.complete and (fields.doi or fields.arxiv):
            if sure["doi"] and sure["arxiv"]:
                found.setdefault("identifier", f"no record where one must be ({searched})")
        elif lookup.complete or lookup.outcome == "nothing":
            if titled and not relations.intersection(_OF_TITLE):
                found[f"promise of {lookup.source}"] = f"no record of this title where one must be ({searched})"
            elif titled and named and not distinct and not relations.intersection(_OF_AUTHORS):
                found[f"promise of {lookup.source}"] = f"no record like it by these authors in {lookup.source}"
    if others and distinct:  # the record that has the title shows by itself that these authors are not its
        found["others"] = f"authors: {others.record.source} has a work of this title by none of these authors"
    if owned:
        found["owner"] = owned[0].text
    return list(found.values())
