"""The metadata of a document: its address, date, authors, tags and language, by the file and by people."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from configs import parsed_json


@dataclass(frozen=True, slots=True)
class Metadata:
    """The record of a document. Every field may be empty.

    `date` is its own date, as ISO 8601 as far as it is known ("2024", "2024-05", "2024-05-17"); `folder` the folder
    below the one that was indexed, with slashes; `sidecar_tags` are those of its tags that files beside it gave;
    `language` an ISO 639-1 code; `parent` the id of the document that it is a part of, as of the mail that it was
    attached to; `url` its address; `missing` is True where its file is gone from the folder that is watched; `record`
    is its entry in a bibliography, as CSL-JSON.
    """

    date: str = ""
    author: str = ""
    language: str = ""
    folder: str = ""
    tags: tuple[str, ...] = ()
    parent: str = ""
    url: str = ""
    missing: bool = False
    record: str = ""
    sidecar_tags: tuple[str, ...] = ()

    def to_json(self) -> str:
        """Return the fields that are not empty as JSON; "" without any."""
        values = {key: value for key, value in asdict(self).items() if value}
        return json.dumps(values, ensure_ascii=False, sort_keys=True) if values else ""

    @classmethod
    def from_json(cls, text: str | None) -> Metadata:
        """Return the metadata that `to_json` wrote; fields that only other versions of Vouch have are left out.

        Raises ValueError for any other text.
        """
        content = parsed_json(text) if text else {}
        if not isinstance(content, dict):
            raise ValueError("the metadata is no object")  # noqa: TRY004  what it says, not what type we gave
        values: dict[str, Any] = {}
        for key in (f.name for f in fields(cls) if f.name in content):
            value = values[key] = tuple(content[key]) if isinstance(content[key], list) else content[key]
            texts = not isinstance(value, tuple) or all(isinstance(one, str) for one in value)
            if type(value) is not type(getattr(_EMPTY, key)) or not texts:
                raise ValueError(f"the metadata has {value!r:.80} as {key}")
        return cls(**values)


_EMPTY = Metadata()


@dataclass(frozen=True, slots=True)
class FileRecords:
    """The metadata of the files of a run by path, the tags that all of them get, and the tags that all of them lose."""

    by_path: Mapping[Path, Metadata] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    untagged: tuple[str, ...] = ()

    def complete_metadata(self, own: Metadata, path: Path) -> Metadata:
        """Return the metadata of a file: its record here overrides the file's `own`, and the tags of both are joined.

        A folder "." is the indexed folder itself. If the record has a folder, its sidecars were read, and tags that
        they no longer give are removed. Of `untagged`, those that a sidecar gives stay: it would give them again.
        """
        record = self.by_path.get(path, Metadata())
        values = {f.name: getattr(record, f.name) or getattr(own, f.name) for f in fields(Metadata)}
        withdrawn_tags = {*own.sidecar_tags} - {*record.tags} if record.folder else set()
        removed_tags = withdrawn_tags | ({*self.untagged} - {*record.tags})
        own_tags = [tag for tag in own.tags if tag not in removed_tags]
        values["tags"] = tuple(dict.fromkeys((*own_tags, *record.tags, *self.tags)))
        if record.folder:
            values |= {"folder": "" if record.folder == "." else record.folder, "sidecar_tags": record.sidecar_tags}
        return Metadata(**values | {"missing": False})
