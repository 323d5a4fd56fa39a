"""Read sidecars: metadata in YAML beside a file (`report.pdf.yaml`) or in its folder (`.vouch.yaml`), untrusted."""

from __future__ import annotations

import errno
import os
import re
import stat
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from configs import did_you_mean
from indexing.errors import BadSidecar
from indexing.ingest.files import find_files
from indexing.metadata import Metadata
from indexing.settings import IndexingSettings

FOLDER_SIDECAR = ".vouch.yaml"
"""The name of a sidecar for all files in its folder and below."""
FILE_SIDECAR = ".yaml"
"""The end of the name of a sidecar for one file, after that file's complete name."""
MOST_BYTES = 65_536
MOST_TAGS = 100
MOST_LETTERS = {"tag": 60, "author": 300}
_FIELDS = ("date", "author", "tags", "language")
_DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,3}")


@dataclass(frozen=True, slots=True)
class FolderRecords:
    """The metadata of files by their paths, and the errors of sidecars that could not be read."""

    records: Mapping[Path, Metadata] = field(default_factory=dict)
    problems: tuple[BadSidecar, ...] = ()


def records_of(paths: Iterable[Path], roots: Sequence[Path]) -> FolderRecords:
    """Return the metadata of files from sidecars and folders; `roots` are the paths that were named to be indexed.

    A sidecar nearer to the file overrides outer ones; the tags of all are joined. The folder of a record is relative to
    the root, "." for the root itself, and "" for a file that was named alone.
    """
    sidecars = _Sidecars()
    root_set = set(roots)
    records: dict[Path, Metadata] = {}
    for path in paths:
        root = _root_of(path, roots)
        record = Metadata()
        for folder in reversed([path.parent, *(f for f in path.parent.parents if f.is_relative_to(root))]):
            record = merge_metadata(record, sidecars.at(folder / FOLDER_SIDECAR))
        record = merge_metadata(record, sidecars.at(path.with_name(path.name + FILE_SIDECAR)))
        below = "" if root not in root_set else path.parent.relative_to(root).as_posix()
        records[path] = replace(record, folder=below, sidecar_tags=record.tags)
    return FolderRecords(records, tuple(sidecars.problems.values()))


def folder_records(paths: Sequence[Path], settings: IndexingSettings) -> FolderRecords:
    """Return the metadata from sidecars of the files at `paths` and in their folders."""
    roots = [path.resolve() if path.is_dir() else path.absolute() for path in paths]
    return records_of((item.path for item in find_files(paths, settings) if item.error is None), roots)


def merge_metadata(outer: Metadata, inner: Metadata) -> Metadata:
    """Merge two records: the inner one overrides the outer, and the tags of both count."""
    return replace(
        outer,
        date=inner.date or outer.date,
        author=inner.author or outer.author,
        language=inner.language or outer.language,
        tags=tuple(dict.fromkeys((*outer.tags, *inner.tags))),
    )


def clean_tag(text: str) -> str:
    """Return a tag as it is stored, one line without spaces around it. Raises BadSidecar if empty or too long."""
    tag = _line(text)
    if not tag or len(tag) > MOST_LETTERS["tag"]:
        raise BadSidecar(f"the tag {text[:60]!r} has {len(tag)} characters: use 1 to {MOST_LETTERS['tag']}")
    return tag


def _root_of(path: Path, roots: Sequence[Path]) -> Path:
    """Return the innermost root above a file; the file's folder if there is none."""
    above = [root for root in roots if root != path and path.is_relative_to(root)]
    return max(above, key=lambda root: len(root.parts), default=path.parent)


class _Sidecars:
    """The sidecars that were read, each once."""

    def __init__(self) -> None:
        self._metadata: dict[Path, Metadata] = {}
        self.problems: dict[Path, BadSidecar] = {}

    def at(self, path: Path) -> Metadata:
        """Return the metadata in a sidecar, empty if it is missing or cannot be read (`problems` has the error)."""
        if path not in self._metadata:
            try:
                self._metadata[path] = _read_sidecar(path)
            except BadSidecar as error:
                self._metadata[path], self.problems[path] = Metadata(), error
        return self._metadata[path]


def _read_sidecar(path: Path) -> Metadata:
    """Return the metadata in a sidecar, empty if there is no such file. Raises BadSidecar."""
    text = _read_text(path)
    if text is None:
        return Metadata()
    try:
        content = yaml.load(text, _StringLoader)  # noqa: S506  it makes strings, lists and mappings of strings alone
    except RecursionError:
        raise BadSidecar(f"{path}: its values are nested too deeply: give {_field_names()}") from None
    except (yaml.YAMLError, ValueError) as error:
        raise BadSidecar(f"{path}: {_yaml_message(error)}: write it as `tags: [minutes, board]`") from None
    if not isinstance(content, dict):
        if content is None or content == "":
            return Metadata()
        raise BadSidecar(f"{path}: has no fields: give {_field_names()}, as in `tags: [minutes, board]`")
    for key in content:
        if key not in _FIELDS:
            near = did_you_mean(str(key)[:60], _FIELDS)
            raise BadSidecar(f"{path}: has no field {str(key)[:60]!r}{near or f': give {_field_names()}'}")
    try:
        return _record(content)
    except BadSidecar as error:
        raise BadSidecar(f"{path}: {error}") from None


def _record(fields: Mapping[str, Any]) -> Metadata:
    """Return the metadata in the fields of a sidecar. Raises BadSidecar."""
    date, language = _single_value(fields, "date"), _single_value(fields, "language")
    if date and not _DATE.fullmatch(date):
        raise BadSidecar(f"date is {date[:40]!r}: write 2024, 2024-05 or 2024-05-17")
    if language and not _LANGUAGE.fullmatch(language):
        raise BadSidecar(f"language is {language[:40]!r}: write its code, such as en or de")
    author = "; ".join(_list_value(fields, "author", ";"))
    if len(author) > MOST_LETTERS["author"]:
        raise BadSidecar(f"author has {len(author)} characters, the limit is {MOST_LETTERS['author']}: give fewer")
    tags = _list_value(fields, "tags", ",")
    if len(tags) > MOST_TAGS:
        raise BadSidecar(f"there are {len(tags)} tags, the limit is {MOST_TAGS}: give fewer")
    return Metadata(date, author, language.partition("-")[0].lower(), tags=tuple(map(clean_tag, tags)))


def _single_value(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name, "")
    if not isinstance(value, str):
        raise BadSidecar(f"{name} is not a single value: write it as `{name}: ...`")
    return _line(value)


def _list_value(fields: Mapping[str, Any], name: str, separator: str) -> list[str]:
    """Return the values of a field, a list or a text split at `separator`, each once. Raises BadSidecar."""
    value = fields.get(name, "")
    parts = value.split(separator) if isinstance(value, str) else value
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise BadSidecar(f"{name} is not a list of words: write it as `{name}: [one, another]`")
    return list(dict.fromkeys(line for part in parts if (line := _line(part))))


def _line(text: str) -> str:
    """Return a text as one line, without control characters."""
    line = "".join(c if unicodedata.category(c)[0] != "C" else " " for c in text)
    return unicodedata.normalize("NFC", " ".join(line.split()))


def _read_text(path: Path) -> str | None:
    """Return the text of a regular file, None if there is none. Raises BadSidecar for links and for large files."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        why = "it is a link, and links are not followed" if error.errno == errno.ELOOP else error.strerror
        raise BadSidecar(f"{path}: cannot be read ({why}): replace it with a file, or remove it") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise BadSidecar(f"{path}: is not a file: replace it with a file, or remove it")
    with os.fdopen(descriptor, "rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise BadSidecar(f"{path}: has more than {MOST_BYTES:,} bytes: give {_field_names()}")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadSidecar(f"{path}: is not UTF-8: save it as UTF-8") from None


class _StringLoader(yaml.BaseLoader):
    """A loader of plain strings, lists and mappings; aliases, by which a few bytes become gigabytes, are refused."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(None, None, "aliases are not allowed", event.start_mark)
        return super().compose_node(parent, index)


def _yaml_message(error: Exception) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        return f"line {mark.line + 1}, column {mark.column + 1}: {_line(str(error.problem))[:120]}"
    return _line(str(error).splitlines()[0] if str(error) else type(error).__name__)[:160]


def _field_names() -> str:
    return f"{', '.join(_FIELDS[:-1])} or {_FIELDS[-1]}"
