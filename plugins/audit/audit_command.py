"""`vouch audit` itself: its events are followed to the end or to Ctrl-C, which keeps what is done."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from indexing import Collection
from plugins.audit.auditing import Audit, AuditEvent, audit_paper
from plugins.audit.export import (
    STATUS_NAMES,
    audit_counts,
    audit_form_of,
    difference,
    differing,
    export_audit,
)
from plugins.audit.progress import AuditMoment
from rag import load_profile
from ui.cli import STOPPED, fail, password_of, print_json, show, status_line
from ui.show import clean, shorten

if TYPE_CHECKING:
    from plugins.audit.auditing import AuditedReference


FAILED = 1
_SIGNS = {"real": "\u2713", "errors": "\u2260", "questionable": "?!", "invented": "!", "unknown": "?"}
_PLAIN_SIGNS = _SIGNS | {"real": "v", "errors": "~"}
_STYLES = {"real": "green", "errors": "yellow", "questionable": "magenta", "invented": "red", "unknown": "dim"}
_TITLE_CHARS, _VALUE_CHARS, _NOTE_CHARS = 90, 80, 160
Lines = list[Text | Table | Padding]


def run(args: Namespace) -> int:
    """Run the command: 0, or 1 for an outcome that `--fail-on` names, or 130 where it was stopped before the end."""
    paper = Path(args.paper)
    for target in args.export:
        audit_form_of(Path(target))  # told before the work, not after it
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
    audit, stopped = follow(events, paper.name, quiet=args.json)
    notes: list[str] = []
    for target in args.export:
        notes += export_audit(audit, paper, Path(target), profile.indexing, password)
    _tell(args, audit, args.export, notes)
    if stopped:
        return fail("stopped: the results so far are above.", STOPPED)
    return FAILED if outcomes(audit) & set(args.fail_on or ()) else 0


def follow(events: Generator[AuditEvent], name: str, *, quiet: bool) -> tuple[Audit, bool]:
    """Return the audit at the end of the events, and False; after Ctrl-C what was done by then, and True."""
    moment = AuditMoment()
    try:
        with closing(events), status_line(quiet=quiet) as status:
            for event in events:
                moment = moment.after(event)
                status(f"looking up references: {len(moment.done)}/{len(moment.references or ())}")
    except KeyboardInterrupt:
        moment = moment.end("stopped")
    return moment.so_far(name), moment.audit is None


def outcomes(audit: Audit) -> set[str]:
    """Return the outcomes that there are, by the words of `--fail-on`."""
    return {entry.status for entry in audit.references} | ({"missing"} if audit.missing else set())


def _tell(args: Namespace, audit: Audit, paths: list[str], notes: list[str]) -> None:
    """Print the audit as a table or as JSON, and the names of the files that were written."""
    if args.json:
        extra = {"exported": paths, "left_out": notes} if paths else {}
        print_json(audit.to_json() | extra)
        return
    show(report(audit, sys.stdout.encoding))
    show([*(Text(f"Written: {clean(path)}") for path in paths), *(Text(clean(note)) for note in notes)])


def report(audit: Audit, encoding: str = "utf-8") -> Lines:
    """Return the table, the marks that have no entry, the notes, and the counts, which a terminal shows last."""
    if not audit.references:
        return [Text(f"{clean(audit.paper)}: no bibliography was found."), *_rest(audit)]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("Verdict", no_wrap=True)
    table.add_column("Entry and differences", ratio=1, overflow="fold")
    signs = _SIGNS if "utf" in (encoding or "").lower() else _PLAIN_SIGNS
    for entry in audit.references:
        verdict = Text(f"{signs[entry.status]} {STATUS_NAMES[entry.status]}", style=_STYLES[entry.status])
        table.add_row(str(entry.reference.number), verdict, _entry_lines(entry))
    return [table, Text(""), *_rest(audit), Text(f"{audit_counts(audit)}   {audit.seconds:.1f} s", style="dim")]


def _entry_lines(entry: AuditedReference) -> Text:
    """Return the title of an entry, and below it a line for each thing to know."""
    reference = entry.reference
    text = Text(shorten(clean(reference.fields.title or reference.text), _TITLE_CHARS))
    lines = [f"{difference(field, _VALUE_CHARS)}{_format_note(field.note)}" for field in differing(entry)]
    if entry.status != "real" and not lines:
        lines = [clean(entry.reason)]
    lines += [clean(finding.text) for finding in entry.findings]
    for line in lines:
        text.append(f"\n{line}", style=_STYLES[entry.status] if entry.status != "real" else "yellow")
    return text


def _format_note(note: str) -> str:
    """Return a note in brackets after a difference."""
    return f" ({shorten(clean(note), _NOTE_CHARS)})" if note else ""


def _rest(audit: Audit) -> Lines:
    missing = ", ".join(clean(mark) for mark in audit.missing)
    lines = [Text(f"Cited, but not in the bibliography: {missing}", style="red")] if missing else []
    return [*lines, *(Text(clean(note), style="dim") for note in audit.notes)]
