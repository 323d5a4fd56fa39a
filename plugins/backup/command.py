"""`vouch backup` and `vouch restore`: a line for each collection on stdout."""

from __future__ import annotations

from argparse import Namespace
from datetime import datetime
from pathlib import Path

from plugins.backup.archive import BackupContents
from plugins.backup.backup import back_up, check_backup, restore
from ui import BadRequest
from ui.cli import command_access
from ui.show import clean, count_of, size


def backup(args: Namespace) -> int:
    """Run `vouch backup`."""
    target = Path(args.target)
    if target.is_dir():
        target /= f"vouch-{datetime.now().astimezone():%Y%m%d-%H%M%S}.tar"
    with command_access() as access:
        contents = back_up(target, args.collections)
        for summary in contents.collections:
            access.note("back-up", summary.name, target.name)
    _print_contents(contents)
    print(f"Written: {clean(str(target))} ({size(target.stat().st_size)}).")
    return 0


def restore_backup(args: Namespace) -> int:
    """Run `vouch restore`."""
    path = Path(args.file)
    if args.check:
        if args.collections:
            raise BadRequest("--check checks the whole backup: leave out -c")
        contents = check_backup(path)
        _print_contents(contents)
        print(f"Checked {clean(str(path))}, made {clean(contents.made_at)}: the file is intact.")
        return 0
    results = restore(path, args.collections, new_name=args.called, replace=args.replace)
    with command_access() as access:
        for name, summary in results:
            access.note("restore", name, path.name)
            print(f"Restored: {clean(name)}, {_counts_text(summary.documents, summary.pages)}.")
    return 0


def _print_contents(contents: BackupContents) -> None:
    for summary in contents.collections:
        print(f"{clean(summary.name)}: {_counts_text(summary.documents, summary.pages)}.")
    if beside := contents.of_home():
        print(f"Beside the collections: {', '.join(clean(file.key) for file in beside)}.")


def _counts_text(documents: int, pages: int) -> str:
    return f"{count_of(documents, 'document')}, {count_of(pages, 'page')}"
