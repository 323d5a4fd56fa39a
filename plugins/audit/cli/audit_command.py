"""`vouch audit` itself: its events are followed to the end or to Ctrl-C, which keeps what is done."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from indexing import Collection
from plugins.audit.auditing import (
    Audit,
    Audited,
    AuditEvent,
    ReferenceAudited,
    ReferencesFound,
    audit_paper,
    stopped_audit,
)
from plugins.audit.export import (
    MISSING_RESTS_ON,
    STATUS_NAMES,
    audit_counts,
    audit_form_of,
    difference,
    differing,
    export_audit,
    write_corrections,
)
from rag import load_profile
from ui.cli import password_of
from ui.show import clean, shorten

if TYPE_CHECKING:
    from plugins.audit.auditing import AuditedReference

FAILED, STOPPED = 1, 130
_SIGNS = {"real": "\u2713", "errors": "\u2260", "questionable": "?!", "invented": "!", "unknown": "?"}
_PLAIN_SIGNS = _SIGNS | {"real": "v", "errors": "~"}
_STYLES = {"real": "green", "errors": "yellow", "questionable": "magenta", "invented": "red", "unknown": "dim"}
_TITLE_CHARS, _VALUE_CHARS, _NOTE_CHARS = 90, 80, 160
Lines = list[Text | Table | Padding]


def run(args: Namespace) -> int:
    """Run the command: 0, or 1 for an outcome that `--fail-on` names, or 130 where it was stopped before the end."""
    paper = Path(args.paper)
    if args.export:
        audit_form_of(Path(args.export))  # told before the work, not after it
    profile = load_profile(args.profile)
    collection = Collection.open(args.collection, settings=profile.indexing) if args.collection else None
    password = password_of(args)
    if collection is not None and password:
        collection.take_password(password)
    events = audit_paper(
        paper,
        profile,
        name=paper.name,
        collection=collection,
        bibliographies=[Path(name) for name in args.bibliography],
        password=password,
    )
    audit, stopped = followed(events, paper.name, quiet=args.json)
    notes: list[str] = []
    if args.export:
        notes += export_audit(audit, paper, Path(args.export), profile.indexing, password)
    if args.bibtex:
        write_corrections(audit, Path(args.bibtex))
    written = [name for name in (args.export, args.bibtex) if name]
    _tell(args, audit, written, notes)
    if stopped:
        print("vouch: stopped: the results so far are above.", file=sys.stderr)
        return STOPPED
    return FAILED if outcomes(audit) & set(args.fail_on or ()) else 0


def followed(events: Generator[AuditEvent], name: str, *, quiet: bool) -> tuple[Audit, bool]:
    """Return the audit at the end of the events, and False; after Ctrl-C what was done by then, and True."""
    shown = not quiet and sys.stderr.isatty()
    done: dict[int, AuditedReference] = {}
    total = 0
    try:
        with closing(events):
            for event in events:
                match event:
                    case ReferencesFound(references):
                        total = len(references)
                    case ReferenceAudited(reference):
                        done[reference.reference.number] = reference
                    case Audited(audit):
                        return audit, False
                if shown:
                    print(f"\rlooking up references: {len(done)}/{total} ", end="", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        return stopped_audit(name, total, done), True
    finally:
        if shown:
            print(f"\r{' ' * 50}\r", end="", file=sys.stderr, flush=True)
    raise AssertionError("the events of an audit end with the audit")


def outcomes(audit: Audit) -> set[str]:
    """Return the outcomes that there are, by the words of `--fail-on`."""
    return {audited.status for audited in audit.references} | ({"missing"} if audit.missing else set())


def _tell(args: Namespace, audit: Audit, written: list[str], notes: list[str]) -> None:
    """Print the audit as a table or as JSON, and the names of the files that were written."""
    if args.json:
        extra = {"exported": written, "left_out": notes} if written else {}
        print(json.dumps(audit.to_json() | extra, indent=2, ensure_ascii=True))
        return
    terminal = sys.stdout.isatty()
    console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False, width=None if terminal else 120)
    for line in report(audit, sys.stdout.encoding):
        console.print(line)
    for path in written:
        console.print(Text(f"Written: {clean(path)}"), soft_wrap=True)
    for note in notes:
        console.print(Text(clean(note)), soft_wrap=True)


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
