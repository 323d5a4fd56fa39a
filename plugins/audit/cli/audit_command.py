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
from rich.text import Text

from indexing import Collection
from plugins.audit.auditing import Audit, Audited, AuditEvent, ReferenceAudited, ReferencesFound, audit_paper
from plugins.audit.cli.audit_table import report
from plugins.audit.export import audit_form_of, export_audit, write_corrections
from rag import load_profile
from ui.cli import password_of
from ui.show import clean

if TYPE_CHECKING:
    from plugins.audit.auditing import AuditedReference

FAILED, STOPPED = 1, 130


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
        sources=Path(args.sources) if args.sources else None,
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
        told = f"Stopped after {len(done):,} of {total:,} entries: the others were not looked up."
        return Audit(name, tuple(done[n] for n in sorted(done)), (), (told,)), True
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
