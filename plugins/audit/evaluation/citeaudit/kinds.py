"""Kinds of fakes: the fields in which a fake differs from the real entry that it was made of, told by comparing both.

The published file does not say what was changed; a fake that is near no real entry of the file stays untold.
"""

from __future__ import annotations

from typing import Literal

from plugins.audit.auditing.judge import letters_of
from plugins.audit.references import BibliographicFields

FakeKind = Literal["title", "authors", "metadata", "several", "untold"]


def kind_of(fake: BibliographicFields, twin: BibliographicFields | None) -> FakeKind:
    """Return what was changed; "untold" without a twin, and where the two differ in no field."""
    if twin is None:
        return "untold"
    changed: list[FakeKind] = []
    if letters_of(fake.title) != letters_of(twin.title):
        changed.append("title")
    if [letters_of(name) for name in fake.authors] != [letters_of(name) for name in twin.authors]:
        changed.append("authors")
    ours, theirs = ((f.venue, f.year, f.doi, f.arxiv) for f in (fake, twin))
    if any(letters_of(a) != letters_of(b) for a, b in zip(ours, theirs, strict=True)):
        changed.append("metadata")
    if len(changed) != 1:
        return "several" if changed else "untold"
    return changed[0]
