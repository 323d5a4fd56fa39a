"""The report of an audit for a terminal: a table of the entries, what is wrong with each, and the counts. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from plugins.audit.export import MISSING_RESTS_ON, STATUS_NAMES, audit_counts, difference, differing
from ui.show import clean, shorten

if TYPE_CHECKING:
    from plugins.audit.auditing import Audit, AuditedReference

_SIGNS = {"real": "\u2713", "errors": "\u2260", "questionable": "?!", "invented": "!", "unknown": "?"}
_PLAIN_SIGNS = _SIGNS | {"real": "v", "errors": "~"}
_STYLES = {"real": "green", "errors": "yellow", "questionable": "magenta", "invented": "red", "unknown": "dim"}
_TITLE_CHARS, _VALUE_CHARS, _NOTE_CHARS = 90, 80, 160
Lines = list[Text | Table | Padding]


def report(audit: Audit, encoding: str = "utf-8") -> Lines:
    """Return the table, the marks that have no entry, the notes, and the counts, which a terminal shows last."""
    if not audit.references:
        return [Text(f"{clean(audit.paper)}: no bibliography was found."), *_rest(audit)]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("Verdict", no_wrap=True)
    table.add_column("Entry and differences", ratio=1, overflow="fold")
    signs = _SIGNS if "utf" in (encoding or "").lower() else _PLAIN_SIGNS
    for audited in audit.references:
        verdict = Text(f"{signs[audited.status]} {STATUS_NAMES[audited.status]}", style=_STYLES[audited.status])
        table.add_row(str(audited.reference.number), verdict, _told(audited))
    return [table, Text(""), *_rest(audit), Text(f"{audit_counts(audit)}   {audit.seconds:.1f} s", style="dim")]


def _told(audited: AuditedReference) -> Text:
    """Return the title of an entry, and below it a line for each thing to know."""
    cited = audited.reference
    told = Text(shorten(clean(cited.fields.title or cited.text), _TITLE_CHARS))
    lines = [f"{difference(field, _VALUE_CHARS)}{_noted(field.note)}" for field in differing(audited)]
    if audited.status != "real" and not lines:
        lines = [clean(audited.reason)]
    lines += [clean(finding.text) for finding in audited.findings]
    wrong = [claim for claim in audited.claims if claim.verdict in ("unconfirmed", "contradicted")]
    lines += [f"not proven by its source: {shorten(clean(claim.text), _TITLE_CHARS)}" for claim in wrong]
    for line in lines:
        told.append(f"\n{line}", style=_STYLES[audited.status] if audited.status != "real" else "yellow")
    return told


def _noted(note: str) -> str:
    """Return a note in brackets after a difference."""
    return f" ({shorten(clean(note), _NOTE_CHARS)})" if note else ""


def _rest(audit: Audit) -> Lines:
    missing = [clean(mark) for mark in audit.missing]
    lines: Lines = []
    if missing:
        lines.append(Text(f"Cited, but not in the bibliography: {', '.join(missing)}", style="red"))
        lines.append(Text(f"({MISSING_RESTS_ON})", style="dim"))
    return [*lines, *(Text(clean(note), style="dim") for note in audit.notes)]
