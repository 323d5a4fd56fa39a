"""`vouch watch`: changes are printed on stdout, a line each, the progress of reading on stderr."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from indexing import Collection, IndexReport, list_collections
from plugins.watch.changes import FolderChange, FolderLook
from plugins.watch.following import FolderFollower, FolderNotice
from rag import load_profile
from ui.cli import changed_tags, command_access, graceful_end, note_report, password_of, report_summary, shown_progress
from ui.show import clean, count_of

_KIND_NAMES = {"told": "description updated", "returned": "back again"}
"""The names of kinds of changes that differ from the kind."""


def watch(args: Namespace) -> int:
    """Run `vouch watch`: follow a folder until stopped, or once, or only print what would change."""
    root = Path(args.folder).resolve()
    settings = load_profile(args.profile).indexing.with_values(workers=args.workers)
    tags, removed_tags = changed_tags(args)
    settle = 0.0 if args.dry_run else args.settle
    look = FolderLook(root, settings, settle, prune=args.prune, tags=tags, untagged=removed_tags)
    lines = _Lines(root, as_json=args.json)
    if args.dry_run:
        exists = args.collection in list_collections()
        lines.plan(look, Collection.open(args.collection, settings=settings).documents() if exists else ())
        return 0
    password = password_of(args)
    look.check()
    with (
        command_access() as access,
        graceful_end() as stop,
        shown_progress(sys.stderr, quiet=True) as on_progress,
    ):
        access.note("begin-index", args.collection)
        collection = Collection.create(args.collection, settings=settings)

        def on_notice(notice: FolderNotice) -> None:
            """Print a notice; the audit log has what was read and what was removed. Raises AuditUnwritable."""
            lines.notice(notice)
            if notice.report is not None:
                note_report(access, notice.report)
            if notice.change is not None and notice.change.kind == "removed":
                access.note("remove-document", args.collection, notice.change.doc_id)

        follower = FolderFollower(collection, look, on_notice, on_progress, stop, poll=args.poll, password=password)
        if args.once:
            return 0 if follower.once() else 1
        lines.line("watching", f"{root} for collection {args.collection}; Ctrl-C ends it")
        follower.follow()
    lines.line("stopped", "everything complete was kept")
    return 0


@dataclass(slots=True)
class _Lines:
    """Prints the lines of the command, as text or JSON."""

    root: Path
    as_json: bool

    def plan(self, look: FolderLook, documents: Any) -> None:
        """Print the changes that would be applied, and the problems."""
        state = look.state(documents)
        for change in state.changes:
            self.change(change)
        for text in (*map(str, state.problems), *(str(item.error) for item in state.unreadable)):
            self.line("problem", text)
        if not state.changes:
            self.line("current", f"{count_of(state.files, 'file')}, nothing to do")

    def notice(self, notice: FolderNotice) -> None:
        """Print a notice of the follower."""
        if notice.change is not None:
            self.change(notice.change)
        elif notice.report is not None:
            self._report(notice.report)
        elif notice.kind == "current":
            self.line("current", f"{count_of(int(notice.text), 'file')}, all up to date")
        elif notice.kind == "polling":
            text = f"the system cannot watch this folder ({notice.text}): it is checked every second instead"
            self.line("polling", text)
        else:
            self.line(notice.kind, notice.text)

    def change(self, change: FolderChange) -> None:
        """Print a change."""
        if self.as_json:
            former = {"former": str(change.former)} if change.former else {}
            self._json({"what": change.kind, "path": str(change.path), "doc_id": change.doc_id} | former)
            return
        former_place = f"{self._short(change.former)} -> " if change.former else ""
        self._print(_KIND_NAMES.get(change.kind, change.kind), f"{former_place}{self._short(change.path)}")

    def line(self, what: str, text: str) -> None:
        """Print another line."""
        if self.as_json:
            self._json({"what": what, "text": text})
        else:
            self._print(what, text)

    def _report(self, report: IndexReport) -> None:
        """Print what could not be read, the notes, and what was read."""
        for file in report.files:
            for failure in file.failures:
                page = f", page {failure.page}" if failure.page is not None else ""
                self.line("problem", f"{self._short(Path(file.path))}{page}: {file.reason(failure)}")
        for note in report.notes:
            self.line("note", note)
        if any(file.status in ("indexed", "replaced") for file in report.files):
            self.line("read", report_summary(report))

    def _short(self, path: Path) -> str:
        return str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)

    def _json(self, values: dict[str, Any]) -> None:
        time = datetime.now().astimezone().isoformat(timespec="seconds")
        print(json.dumps({"time": time} | values, ensure_ascii=True), flush=True)

    def _print(self, what: str, text: str) -> None:
        print(f"{datetime.now().astimezone():%H:%M:%S}  {what:<14}  {clean(text)}", flush=True)
