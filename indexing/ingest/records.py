"""The records that people give of files (tags, an entry of a bibliography), beside what the files say themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

from indexing.metadata import Metadata


@dataclass(frozen=True, slots=True)
class FileRecords:
    """The records of files by their paths, as they are found, the tags of all files of a run, and those taken away."""

    by_path: Mapping[Path, Metadata] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    untagged: tuple[str, ...] = ()

    def complete_metadata(self, own: Metadata, path: Path) -> Metadata:
        """Return the metadata of a file: what people say overrides what it says itself (`own`); all tags count.

        A folder "." says that the file lies in the folder that was named itself. Where the folder is told, its sidecars
        were read, and tags that they do not give any more are taken away. Of `untagged`, those that a sidecar gives
        stay: it would give them again.
        """
        given = self.by_path.get(path, Metadata())
        values = {f.name: getattr(given, f.name) or getattr(own, f.name) for f in fields(Metadata)}
        withdrawn = {*own.sidecar_tags} - {*given.tags} if given.folder else set()
        removed_tags = withdrawn | ({*self.untagged} - {*given.tags})
        own_tags = [tag for tag in own.tags if tag not in removed_tags]
        values["tags"] = tuple(dict.fromkeys((*own_tags, *given.tags, *self.tags)))
        if given.folder:
            values |= {"folder": "" if given.folder == "." else given.folder, "sidecar_tags": given.sidecar_tags}
        return Metadata(**values | {"missing": False})
