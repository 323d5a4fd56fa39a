"""The values of an audit: what sources know of a reference, how its fields compare, and the verdict."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, Protocol

from plugins.audit.references import BibliographicFields, FieldName, Reference

ReferenceStatus = Literal["real", "errors", "questionable", "invented", "unknown"]
"""The verdict on a reference.

Real: a record agrees in every field that can be compared. Errors: the work exists, and fields differ from its record.
Questionable: no record of the work was found, and one sign speaks against it. Invented: two independent signs that
there is no such work. Unknown: no source covers it, or none could be reached; never a sign of a fake.
"""
WEB_PAGE = "web page"
"""The name of the source that fetches the page at an entry's address."""
LookupOutcome = Literal["found", "nothing", "not covered", "not reachable"]
"""How a look-up ended: with records, without one where the source has all such works, or not able to tell."""


@dataclass(frozen=True, slots=True)
class Record:
    """A work as a source has it: `source` names the source, `key` is the record's identifier there.

    `kind` is the type in the source's own word ("journal-article", "inproceedings"), empty if it has none.
    """

    fields: BibliographicFields
    source: str
    key: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Lookup:
    """The outcome of asking one source for one reference: its candidates, best first, and what was searched in words.

    `outcome` is "nothing" only where the source promises to have every such work (a registry for its identifiers, a
    bibliography that its owner calls complete); a source without that promise says "not covered". `complete` is True
    where the source makes that promise: records that are other works then say that there is none of this one.
    """

    source: str
    outcome: LookupOutcome
    records: tuple[Record, ...] = ()
    searched: str = ""
    complete: bool = False


class RecordSource(Protocol):
    """A source of records: bibliographies on this machine, the collection's documents, or a service of the network."""

    @property
    def name(self) -> str:
        """The name under which reports show it."""
        ...

    def look_up(self, reference: Reference) -> Lookup:
        """Return what the source has for an entry. Never raises for a source that is away ("not reachable")."""
        ...


@dataclass(frozen=True, slots=True)
class FieldVerdict:
    """A field as it is cited beside the record's.

    `strict` is True where both are the same characters (CiteAudit's formula); `agrees` where they say the same in
    normalised form, and None where one of the two has no such field. `note` says what differs, or why it is accepted.
    """

    field: FieldName
    cited: str
    found: str
    strict: bool
    agrees: bool | None
    note: str = ""

    @classmethod
    def of(cls, field: FieldName, cited: str, found: str, agrees: bool | None, note: str = "") -> FieldVerdict:
        """Return the verdict on two values, strict where they are the same."""
        return cls(field, cited, found, bool(cited) and cited == found, agrees, note)


@dataclass(frozen=True, slots=True)
class ReferenceFinding:
    """A remark on an entry beside its verdict: `kind` in one word for machines, `text` for people.

    Kinds: "hijacked-doi" (the DOI exists and is another work's), "duplicate", "never-cited".
    """

    kind: Literal["hijacked-doi", "duplicate", "never-cited"]
    text: str


@dataclass(frozen=True, slots=True)
class AuditedReference:
    """A reference with its verdict: the record that it was judged by, field by field, and what was looked up.

    `strict` is CiteAudit's S_c: True where title, authors, venue and address are the record's, character by character.
    """

    reference: Reference
    status: ReferenceStatus
    reason: str
    record: Record | None = None
    fields: tuple[FieldVerdict, ...] = ()
    strict: bool = False
    lookups: tuple[Lookup, ...] = ()
    findings: tuple[ReferenceFinding, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        return {
            **self.reference.to_json(),
            "status": self.status,
            "reason": self.reason,
            "strict": self.strict,
            "record": asdict(self.record) if self.record else None,
            "compared": [asdict(verdict) for verdict in self.fields],
            "lookups": [asdict(lookup) for lookup in self.lookups],
            "findings": [asdict(finding) for finding in self.findings],
        }


@dataclass(frozen=True, slots=True)
class Audit:
    """The audit of one paper: its references in their order, and the marks of the text that have no entry.

    `notes` are what a reader should know of how it came about (sources that were away, entries that were not split).
    """

    paper: str
    references: tuple[AuditedReference, ...]
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the form that `vouch audit --json` prints."""
        return {
            "paper": self.paper,
            "references": [reference.to_json() for reference in self.references],
            "cited but missing": list(self.missing),
            "notes": list(self.notes),
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True, slots=True)
class ReferencesFound:
    """The entries that were extracted, before any is looked up."""

    references: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class ReferenceAudited:
    """One entry, judged; they come in the order in which they are done."""

    reference: AuditedReference


@dataclass(frozen=True, slots=True)
class Audited:
    """The whole audit: the last event."""

    audit: Audit


AuditEvent = ReferencesFound | ReferenceAudited | Audited
