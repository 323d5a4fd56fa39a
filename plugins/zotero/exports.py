"""Exports of a Zotero library: Better BibTeX JSON, and CSL-JSON with files; each entry with the files it names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from indexing import LibraryUnreadable
from plugins.zotero.records import (
    MOST_FILES,
    READ_SUFFIXES,
    Creator,
    LibraryEntry,
    collection_path,
    csl_of,
    one_line,
    plain_record,
    texts,
)

MOST_MB = 128
_MB = 1024 * 1024
_HINT = 'export the library with "Better BibTeX JSON"'


def read_export(path: Path) -> list[LibraryEntry]:
    """Return the entries of an export that name a file. Raises LibraryUnreadable."""
    try:
        if path.stat().st_size > MOST_MB * _MB:
            raise LibraryUnreadable(f"{path}: over {MOST_MB} MB: export the library in parts, by collection")
        entries = list(_json(path))
    except (OSError, UnicodeDecodeError) as error:
        raise LibraryUnreadable(
            f"{path}: cannot be read ({error}): check its permissions, or export it again"
        ) from None
    except (ValueError, RecursionError) as error:
        raise LibraryUnreadable(f"{path}: is not a complete export ({type(error).__name__}): {_HINT}") from None
    named = [entry for entry in entries if entry.paths]
    if not named:
        problem = f"none of its {len(entries):,} entries names a file" if entries else "it has no library entries"
        raise LibraryUnreadable(f"{path}: {problem}: {_HINT}")
    return named[:MOST_FILES]


def _json(path: Path) -> Iterator[LibraryEntry]:
    value = json.loads(path.read_text(encoding="utf-8-sig"))
    if isinstance(value, Mapping) and isinstance(value.get("items"), list):
        found = value["items"]
        collections = _collections(value.get("collections"))
    else:
        found, collections = value, {}
    for item in found if isinstance(found, list) else ():
        if isinstance(item, Mapping):
            yield _item(item, collections) if "itemType" in item else _csl(item)


def _csl(item: Mapping[str, Any]) -> LibraryEntry:
    """Return an object of CSL-JSON; its files stand in `file` or `attachments`, as postscripts of exports add them."""
    record = plain_record(item)
    key = one_line(item.get("citation-key")) or one_line(item.get("id"))
    if key and "/" not in key:
        record["citation-key"] = key[:200]
    return LibraryEntry(record, texts(one_line(item.get("keyword")).split(",")), paths=_files(item))


def _item(item: Mapping[str, Any], collections: Mapping[Any, tuple[str, ...]]) -> LibraryEntry:
    """Return an item as Better BibTeX JSON has it, in Zotero's own fields."""
    creators = [
        Creator(
            one_line(person.get("creatorType")), one_line(person.get("firstName")),
            one_line(person.get("name")) or one_line(person.get("lastName")), whole=bool(one_line(person.get("name"))),
        )
        for person in _list(item.get("creators"))
        if isinstance(person, Mapping)
    ]  # fmt: skip
    fields = {str(name): str(value) for name, value in item.items() if isinstance(value, str | int)}
    fields.setdefault("citationKey", one_line(item.get("citekey")))
    record = csl_of(one_line(item.get("itemType")), fields, creators)
    tags = (tag.get("tag") if isinstance(tag, Mapping) else tag for tag in _list(item.get("tags")))
    return LibraryEntry(record, texts(tags), collections.get(item.get("itemID"), ()), _files(item))


def _files(item: Mapping[str, Any]) -> tuple[str, ...]:
    found: list[str] = []
    for name in ("file", "attachments"):
        value = item.get(name)
        for one in _list(value) or [value]:
            path = one.get("path") or one.get("localPath") if isinstance(one, Mapping) else None
            if isinstance(path, str):
                found.append(path[:4096])
            elif isinstance(one, str):
                found += _file_paths(one[:20_000])
    return tuple(dict.fromkeys(found))


def _collections(value: object) -> dict[Any, tuple[str, ...]]:
    """Return the paths of the collections of each item, by its number."""
    if not isinstance(value, Mapping):
        return {}
    known = {key: one for key, one in value.items() if isinstance(one, Mapping)}
    parents = {
        key: (up if isinstance(up := one.get("parent"), str) else None, one.get("name")) for key, one in known.items()
    }
    paths: dict[Any, set[str]] = {}
    for key, one in known.items():
        for number in _list(one.get("items")):
            if isinstance(number, int):
                paths.setdefault(number, set()).add(collection_path(key, parents))
    return {number: tuple(sorted(names)) for number, names in paths.items()}


def _list(value: object) -> list[Any]:
    return value[:MOST_FILES] if isinstance(value, list) else []


def _file_paths(text: str) -> tuple[str, ...]:
    r"""Return the paths in a field of files: "a.pdf;b.html", or "Title:a.pdf:application/pdf", `\` before a sign."""
    paths: list[str] = []
    for item in re.split(r"(?<!\\);", text):
        parts = [_plain(part) for part in re.split(r"(?<!\\):", item)]
        named = [part for part in parts if part.lower().endswith(tuple(READ_SUFFIXES))]
        if len(parts) >= 3:
            paths.append(":".join(parts[1:-1]))
        elif named and len(parts) == 2 and len(parts[0]) > 1:
            paths.append(named[-1])
        else:
            paths.append(_plain(item))
    return tuple(dict.fromkeys(filter(None, map(str.strip, paths))))


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)
