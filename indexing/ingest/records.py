"""What people say of files (tags, an entry of a bibliography), beside what the files say of themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from indexing.metadata import Metadata


@dataclass(frozen=True, slots=True)
class FileRecords:
    """The records of files by their paths, as they are found, and the tags of all files of a run."""

    by_path: Mapping[Path, Metadata] = field(default_factory=dict)
    tags: tuple[str, ...] = ()

    def completed(self, own: Metadata, path: Path) -> Metadata:
        """Return what is known of a file: what people say goes before what it says itself (`own`); all tags count."""
        given = self.by_path.get(path, Metadata())
        said = {f.name: getattr(given, f.name) or getattr(own, f.name) for f in fields(Metadata)}
        tags = tuple(dict.fromkeys((*own.tags, *given.tags, *self.tags)))
        return replace(own, **said | {"tags": tags})
