"""PendingVersion: a version of a collection's tables that is being made beside the one that answers.

What it is to be is written down before the first row, so that a run that ended early goes on with the same.
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
    """The version to come: its record (with its number), and how files are read for it.

    `parse` reads the copies of all documents anew, `seeing` the pixels of all pages; `ocr` and `pixels` are the
    settings of those names.
    """

    made: EmbedderRecord
    parse: bool
    seeing: bool
    ocr: OcrMode
    pixels: Pixels

    def write(self, place: StorageRoot) -> None:
        """Write it down at the place of the collection. Raises DiskFull."""
        told = {"record": parsed_json(record_content(self.made)), "parse": self.parse, "seeing": self.seeing}
        told |= {"ocr": self.ocr, "pixels": self.pixels}
        place.write(NAME, (json.dumps(told, indent=1) + "\n").encode())

    @classmethod
    def read(cls, place: StorageRoot) -> PendingVersion | None:
        """Return what is being made of the collection at a place; None for nothing. Raises CollectionDamaged."""
        if not place.exists(NAME):
            return None
        try:
            told: dict[str, Any] = parsed_json(place.read(NAME))
            return cls(_made(told["record"]), bool(told["parse"]), bool(told["seeing"]), told["ocr"], told["pixels"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CollectionDamaged(
                f"{place}/{NAME} cannot be read ({error}): give up the reindex with vouch reindex "
                f"--collection {place.name} --discard"
            ) from None

    @staticmethod
    def forget(place: StorageRoot) -> None:
        """Take the note away: the version answers, or was given up."""
        place.delete(NAME)


def _made(told: dict[str, Any]) -> EmbedderRecord:
    """Return the record that `record_content` wrote. Raises KeyError, TypeError, ValueError."""
    text = TextRecord(**told["text"]) if "text" in told else TextRecord()
    text = replace(text, languages=tuple(text.languages))
    more = {name: told[name] for name in ("checkpoint", "fingerprint", "dim", "token_pooling") if name in told}
    return EmbedderRecord(
        cast("Any", told["visual"]), text=text, shards=int(told.get("shards", 1)), version=int(told["version"]), **more
    )
