"""`vouch bibliography` itself: add, list and remove."""

from __future__ import annotations

import re
import sqlite3
from argparse import Namespace
from pathlib import Path
from typing import Any

from anyascii import anyascii
from rich.table import Table

from configs import did_you_mean
from indexing import default_home
from plugins.audit.auditing.sources import FORMS, RecordIndex, form_of, index_path, list_indexes
from plugins.audit.errors import BibliographyUnreadable, NoSuchBibliography
from ui.cli import STOPPED, fail, print_json, show, status_line
from ui.show import clean, count_of, size

_PROMISES = {False: "nothing", True: "every work of its field"}
_NO_NAME = re.compile(r"[^A-Za-z0-9._-]+")


def run(args: Namespace) -> int:
    """Run the command below `vouch bibliography` that was named; returns the exit code."""
    match args.action:
        case "add":
            return _add(args)
        case "list":
            return _list(args)
        case _:
            return _remove(args)


def _add(args: Namespace) -> int:
    """Read the files; what was read stays, whatever ends it, and a bibliography without a record is not left behind."""
    files = [file for name in args.files for file in _files_at(Path(name))]  # faults are told before an hour's work
    path = index_path(default_home(), args.name or _name_of(Path(args.files[0]).resolve()))
    index = RecordIndex(path, make=True)
    stopped = False
    before = index.count
    try:
        with status_line(quiet=False) as status:
            index.add(files, lambda file, n_read, new: status(f"{file}: {n_read:,} records read, {new:,} of them new"))
        if args.complete is not None:
            index.complete = args.complete
    except KeyboardInterrupt:
        stopped = True
    except sqlite3.OperationalError as error:
        raise BibliographyUnreadable(
            f"{path}: cannot be written ({error}): free some space, then run the same command again to continue"
        ) from None
    finally:
        count, complete = index.count, index.complete
        index.close()
        if not count:
            _delete(path)
    summary = f"{clean(path.stem)}: {count_of(count - before, 'new record')}, {count:,} in all"
    if stopped:
        return fail(f"stopped. {summary}. Run the same command again to continue.", STOPPED)
    if not count:
        raise BibliographyUnreadable(f"{', '.join(args.files)}: no records were found: check the file format")
    print(f"{summary}. It promises {_PROMISES[complete]}.")
    return 0


def _files_at(path: Path) -> list[Path]:
    """Return a file, or those of a folder that are bibliographies by their names, and of the folders in it.

    Raises BibliographyUnreadable where there is none.
    """
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file() and form_of(file))
    elif not path.is_file():
        raise BibliographyUnreadable(f"{path}: does not exist: check the path")
    else:
        files = [path] if form_of(path) else []
    if not files:
        what = "holds no bibliography files" if path.is_dir() else "its extension is not that of a bibliography"
        raise BibliographyUnreadable(f"{path}: {what}: give {', '.join(FORMS)}, or these with .gz")
    return files


def _name_of(file: Path) -> str:
    """Return the name that a bibliography has from its file."""
    return _NO_NAME.sub("-", anyascii(file.name[:200].split(".", maxsplit=1)[0])).strip("-._")[:64] or "bibliography"


def _list(args: Namespace) -> int:
    """Print the bibliographies; one that is damaged is named as such."""
    descriptions = [_describe(path) for path in list_indexes(default_home())]
    if args.json:
        print_json(descriptions)
        return 0
    if not descriptions:
        print("There are no bibliographies yet: vouch bibliography add FILE makes one.")
        return 0
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column, right in (("Bibliography", False), ("Records", True), ("Size", True), ("Promises", False)):
        table.add_column(column, justify="right" if right else "left", overflow="fold")
    for each in descriptions:
        records = f"{each['records']:,}" if each["records"] is not None else "damaged"
        table.add_row(clean(each["name"]), records, size(each["bytes"]), each["promises"])
    show([table])
    return 0


def _describe(path: Path) -> dict[str, Any]:
    description: dict[str, Any] = {"name": path.stem, "records": None, "bytes": 0, "promises": "nothing: remove it"}
    description["bytes"] = sum(file.stat().st_size for file in _files(path))
    try:
        index = RecordIndex(path)
        try:
            description |= {"records": index.count, "promises": _PROMISES[index.complete]}
        finally:
            index.close()
    except (BibliographyUnreadable, sqlite3.Error):
        return description
    return description


def _remove(args: Namespace) -> int:
    """Delete a bibliography. Raises NoSuchBibliography."""
    path = index_path(default_home(), args.name)
    if not path.is_file():
        names = [each.stem for each in list_indexes(default_home())]
        raise NoSuchBibliography(
            f"there is no bibliography {args.name!r} (there are: {', '.join(names) or 'none yet'})"
            f"{did_you_mean(args.name, names) or ': see vouch bibliography list'}"
        )
    _delete(path)
    print(f"Removed the bibliography {clean(args.name)}.")
    return 0


def _delete(path: Path) -> None:
    for file in _files(path):
        file.unlink(missing_ok=True)


def _files(path: Path) -> list[Path]:
    """Return the files of a bibliography that are there: SQLite keeps what it writes beside it."""
    return [file for file in (path, *(path.with_name(f"{path.name}-{end}") for end in ("wal", "shm"))) if file.exists()]
