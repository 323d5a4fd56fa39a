"""PendingVersion: a version of a collection's tables that is being made beside the current one.

Its plan is saved before the first row, so that an interrupted run continues with the same.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any, cast

from configs import parsed_json
from indexing.embed import EmbedderRecord, TextRecord
from indexing.errors import CollectionDamaged
from indexing.settings import OcrMode, Pixels
from indexing.storage import StorageRoot
from indexing.store.home import record_content

NAME = "reindex.json"
"""The file beside the record of a collection."""


@dataclass(frozen=True, slots=True)
class PendingVersion:
    """The next version: its record (with its number), and how files are read for it.

    `parse` reads the copies of all documents again, `seeing` the pixels of all pages; `ocr` and `pixels` are the
    settings of those names.
    """

    record: EmbedderRecord
    parse: bool
    seeing: bool
    ocr: OcrMode
    pixels: Pixels

    def write(self, place: StorageRoot) -> None:
        """Save the plan at the place of the collection. Raises DiskFull."""
        content = {"record": parsed_json(record_content(self.record)), "parse": self.parse, "seeing": self.seeing}
        content |= {"ocr": self.ocr, "pixels": self.pixels}
        place.write(NAME, (json.dumps(content, indent=1) + "\n").encode())

    @classmethod
    def read(cls, place: StorageRoot) -> PendingVersion | None:
        """Return the version in progress of the collection at a place, or None. Raises CollectionDamaged."""
        if not place.exists(NAME):
            return None
        try:
            content: dict[str, Any] = parsed_json(place.read(NAME))
            return cls(
                _parse_record(content["record"]),
                bool(content["parse"]),
                bool(content["seeing"]),
                content["ocr"],
                content["pixels"],
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CollectionDamaged(
                f"{place}/{NAME} cannot be read ({error}): give up the reindex with vouch reindex "
                f"--collection {place.name} --discard"
            ) from None

    @staticmethod
    def forget(place: StorageRoot) -> None:
        """Delete the plan, after the version became current or was given up."""
        place.delete(NAME)


def _parse_record(content: dict[str, Any]) -> EmbedderRecord:
    """Return the record that `record_content` wrote. Raises KeyError, TypeError, ValueError."""
    text = TextRecord(**content["text"]) if "text" in content else TextRecord()
    text = replace(text, languages=tuple(text.languages))
    more = {name: content[name] for name in ("checkpoint", "fingerprint", "dim", "token_pooling") if name in content}
    return EmbedderRecord(
        cast("Any", content["visual"]),
        text=text,
        shards=int(content.get("shards", 1)),
        version=int(content["version"]),
        **more,
    )
