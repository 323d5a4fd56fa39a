"""The verdict on a reference (real, with errors, questionable, invented, unknown), and findings on a whole list."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from rapidfuzz import fuzz

from plugins.audit.auditing.judge.authors import compare_authors
from plugins.audit.auditing.judge.comparison import RecordComparison, compare_entry
from plugins.audit.auditing.judge.fields import is_distinct
from plugins.audit.auditing.judge.normal_form import letters_of
from plugins.audit.auditing.sources import bare_arxiv, bare_doi, same_identifier
from plugins.audit.auditing.types import (
    WEB_PAGE,
    AuditedReference,
    FieldVerdict,
    Lookup,
    ReferenceFinding,
    ReferenceStatus,
)
from plugins.audit.references import Reference

_OF_TITLE = ("agrees", "same work", "same title")
_OF_AUTHORS = ("agrees", "same work", "resembles")
MOST_RECORDS = 60
"""The candidates that are compared with one reference."""
LIKE = 75
"""How like a part of an entry must be to a title, 0 to 100, for the two to be one that was read with doubt."""
_ORDER = ("agrees", "same work", "same title", "resembles", "same identifier", "another")


def signs_of_invention(
    reference: Reference,
    comparisons: Sequence[RecordComparison],
    lookups: Sequence[Lookup],
    findings: Sequence[ReferenceFinding] = (),
) -> list[str]:
    """Return the signs, each in words: two of them say that the work does not exist, and one may be a slip.

    1. A source that is complete for such works has none with this title, or none like it by these authors: one sign
       for each source. A title that was read with doubt is missing only where no part of the entry is like a record's,
       and its authors were read without doubt: by them and by its text it was looked for.
    2. A registry does not know the identifier.
    3. The identifier belongs to another work; `findings` are the findings on that.
    4. The title is that of a work by none of these authors.
    """
    fields = reference.fields
    sure = {name: name not in fields.doubtful for name in ("title", "authors", "doi", "arxiv")}
    titled, named = bool(fields.title) and sure["title"], bool(fields.authors) and sure["authors"]
    missing = titled or (bool(fields.title) and named and not _prints_one_like(reference, comparisons))
    others = next((c for c in comparisons if c.relation == "same title"), None)
    distinct = others is not None and titled and named and is_distinct(fields.title)
    signs: dict[str, str] = {}
    for lookup in lookups:
        relations = {c.relation for c in comparisons if c.record.source == lookup.source}
        search_note = f"{lookup.source}: {lookup.searched or 'searched'}"
        if lookup.outcome == "nothing" and not lookup.complete and (fields.doi or fields.arxiv):
            if sure["doi"] and sure["arxiv"]:
                signs.setdefault("identifier", f"no record where one must be ({search_note})")
        elif lookup.complete or lookup.outcome == "nothing":
            if missing and not relations.intersection(_OF_TITLE):
                signs[f"promise of {lookup.source}"] = f"no record of this title where one must be ({search_note})"
            elif titled and named and not distinct and not relations.intersection(_OF_AUTHORS):
                signs[f"promise of {lookup.source}"] = f"no record like it by these authors in {lookup.source}"
    if others and distinct:  # the record that has the title shows by itself that these authors are not its
        signs["others"] = f"authors: {others.record.source} has a work of this title by none of these authors"
    if findings:
        signs["owner"] = findings[0].text
    return list(signs.values())


def _prints_one_like(reference: Reference, comparisons: Sequence[RecordComparison]) -> bool:
    """Return True if a part of the entry's text is like the title of a record, whatever title was read."""
    text = letters_of(reference.text)
    titles = (letters_of(c.record.fields.title) for c in comparisons)
    return any(fuzz.partial_ratio(title, text, score_cutoff=LIKE) for title in titles if title)


def judge(reference: Reference, lookups: Sequence[Lookup]) -> AuditedReference:
    """Return the verdict on a reference out of all that sources have for it.

    A record that agrees makes it real, whatever others say. A record of the same work that differs makes it real with
    errors. Two signs call it invented (see `signs_of_invention`), one questionable. A field that was read with doubt is
    no sign and no error. All else is unknown.
    """
    comparisons = _compare_records(reference, lookups)
    best = comparisons[0] if comparisons else None
    findings = _foreign_identifier(reference, comparisons)
    status, reason = _status(reference, comparisons, lookups, findings)
    if findings and status in ("real", "unknown"):
        status, reason = "errors" if status == "real" else "questionable", findings[0].text
    candidate = best if best and best.relation != "another" else None
    return AuditedReference(
        replace(reference, fields=candidate.cited) if candidate else reference,
        status,
        reason,
        candidate.record if candidate else None,
        _with_owner(candidate.fields, findings) if candidate else (),
        strict=candidate is not None and candidate.strict,
        lookups=tuple(lookups),
        findings=findings,
    )


def _compare_records(reference: Reference, lookups: Sequence[Lookup]) -> list[RecordComparison]:
    """Return the candidates compared, the one to judge by first."""
    records = [record for lookup in lookups for record in lookup.records][:MOST_RECORDS]
    comparisons = [compare_entry(reference, record) for record in records]
    return sorted(
        comparisons, key=lambda c: (_ORDER.index(c.relation), len(c.differing_fields), not c.strict, -c.likeness)
    )


def _status(
    reference: Reference,
    comparisons: Sequence[RecordComparison],
    lookups: Sequence[Lookup],
    findings: Sequence[ReferenceFinding],
) -> tuple[ReferenceStatus, str]:
    best = comparisons[0] if comparisons else None
    if best and best.relation == "agrees":
        return _verdict_without_difference(best)
    if best and best.relation == "same work":
        return _differing(best)
    if not reference.fields.title and not _has_identifier(reference):
        return "unknown", "no title could be read in it, and it has no identifier"
    signs = signs_of_invention(reference, comparisons, lookups, findings)
    if len(signs) > 1:
        return "invented", "; ".join(signs)
    if signs:
        return "questionable", f"{signs[0]}; this is one sign alone, so compare the entry with its source"
    return "unknown", _unknown_reason(reference, lookups, best)


def _differing(best: RecordComparison) -> tuple[ReferenceStatus, str]:
    """Return the verdict on a reference of the same work; where only a doubtful field differs there is none."""
    if all(v.field in best.cited.doubtful for v in best.differing_fields):
        names = " and ".join(v.field for v in best.differing_fields)
        return "unknown", f"{best.record.source} may have it: read with doubt, compare by eye: {names}"
    return "errors", "; ".join(f"{v.field}: {v.note or 'differs'}" for v in best.differing_fields)


def _verdict_without_difference(best: RecordComparison) -> tuple[ReferenceStatus, str]:
    """Return the verdict where no field differs: real, unless the title is all that the two have in common."""
    if not any(verdict.agrees and verdict.field != "title" for verdict in best.fields):
        return "unknown", f"{best.record.source} has a work of this title; nothing else of the two can be compared"
    notes = [f"{v.field}: {v.note}" for v in best.fields if v.note and v.agrees]
    return "real", "; ".join([f"{best.record.source} has it", *notes])


def _unknown_reason(reference: Reference, lookups: Sequence[Lookup], best: RecordComparison | None) -> str:
    away = [lookup.source for lookup in lookups if lookup.outcome == "not reachable"]
    near = ""
    if best and best.relation in ("same title", "resembles"):
        like = "the same title by others" if best.relation == "same title" else "the same authors under another title"
        near = f"; {best.record.source} has {like}"
    if not lookups:
        return "no source was asked"
    if away:
        return f"could not be reached: {', '.join(away)}{near}"
    pages = [f"; {lookup.searched}" for lookup in lookups if lookup.source == WEB_PAGE]
    page = pages[0] if pages else "; the page at its address was not looked for"
    page = page if _is_of_the_web(reference) else ""
    return f"no source covers it{page}{near}"


def _with_owner(fields: tuple[FieldVerdict, ...], findings: Sequence[ReferenceFinding]) -> tuple[FieldVerdict, ...]:
    """Return the verdicts with the DOI, or the arXiv identifier, refused where it is another work's."""
    if not findings:
        return fields
    note = findings[0].text
    names = [v.field for v in fields if v.field in ("doi", "arxiv") and v.cited and v.cited in note]
    return tuple(replace(v, agrees=False, note=note) if v.field in names else v for v in fields)


def _foreign_identifier(reference: Reference, comparisons: Sequence[RecordComparison]) -> tuple[ReferenceFinding, ...]:
    """Return the finding on an identifier that is another work's; none where a record of it is the work itself."""
    owners = [c for c in comparisons if c.relation == "same identifier"]
    own = [c for c in comparisons if c.relation in ("agrees", "same work")]
    if not owners or any(same_identifier(reference.fields, c.record.fields) for c in own):
        return ()
    if "doi" in reference.fields.doubtful and bare_doi(owners[0].record.fields) == bare_doi(reference.fields):
        return ()
    title = owners[0].record.fields.title
    name = reference.fields.doi or reference.fields.arxiv
    return (ReferenceFinding("hijacked-doi", f"{name} is another work: “{title}” ({owners[0].record.source})"),)


def _is_of_the_web(reference: Reference) -> bool:
    return bool(reference.fields.url) and not _has_identifier(reference)


def _has_identifier(reference: Reference) -> bool:
    return bool(reference.fields.doi or reference.fields.arxiv)


def with_findings(
    entries: Sequence[AuditedReference], cited: Collection[int] | None = None
) -> tuple[AuditedReference, ...]:
    """Return the entries with what is told of them as a whole: duplicates, and those that are never cited.

    `cited` are the numbers of the entries that the text cites; None where the text is not known, or has no marks that
    could be read.
    """
    twins = duplicates([entry.reference for entry in entries])
    results = []
    for entry in entries:
        more: list[ReferenceFinding] = []
        if first := twins.get(entry.reference.number):
            more.append(ReferenceFinding("duplicate", f"the same work as entry {first}"))
        if cited is not None and entry.reference.number not in cited:
            more.append(ReferenceFinding("never-cited", "the text never cites it"))
        results.append(replace(entry, findings=(*entry.findings, *more)) if more else entry)
    return tuple(results)


def duplicates(references: Sequence[Reference]) -> dict[int, int]:
    """Return the number of the first entry of the same work, for each later one.

    Two entries are of one work where they share a DOI or an arXiv identifier and no title speaks against it, or a title
    and its authors.
    """
    groups: dict[str, list[Reference]] = defaultdict(list)
    originals: dict[int, int] = {}
    for reference in references:
        for key in _keys(reference):
            first = next((other for other in groups[key] if _same_work(reference, other)), None)
            if first is not None and reference.number != first.number:
                originals.setdefault(reference.number, originals.get(first.number, first.number))
            groups[key] = [*groups[key][:MOST_IN_A_GROUP], reference]
    return originals


MOST_IN_A_GROUP = 20
"""The entries of one title that a further one is compared with."""


def _keys(reference: Reference) -> Iterator[str]:
    fields = reference.fields
    for kind, value in (("doi", bare_doi(fields)), ("arxiv", bare_arxiv(fields)), ("title", letters_of(fields.title))):
        if value:
            yield f"{kind} {value}"


def _same_work(one: Reference, other: Reference) -> bool:
    ours, theirs = one.fields, other.fields
    title = letters_of(ours.title) == letters_of(theirs.title)
    if same_identifier(ours, theirs):
        return title or not (ours.title and theirs.title)
    authors = compare_authors(ours, theirs)
    return title and (authors.shared > 0 or (authors.verdict.agrees is None and is_distinct(ours.title)))
