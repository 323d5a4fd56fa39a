"""Recorded replies: what was replied in each round, and the places that the labels stood for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from indexing import BBox, Collection
from rag.crops import Crops
from rag.events import Shown
from rag.llm.chat import Reply
from rag.methods.write.pages import Labels, page_views
from rag.settings import WritingSettings
from tests.support.fakes import ScriptedModel
from tests.support.writers import USAGE

FILE = Path(__file__).with_name("replies.json")
SAME = 0.5
"""The least IoU of two boxes of one element: parsing may move its edges."""


@dataclass(frozen=True)
class Place:
    """The element that a label stood for, and of a table the row."""

    document: str
    page: int
    bbox: BBox
    row: int | None

    @classmethod
    def of(cls, told: dict[str, Any]) -> Place:
        return cls(told["document"], told["page"], BBox(*told["bbox"]), told["row"])


def places(collection: Collection, shown: Shown, labels: Labels) -> Iterator[tuple[str, Place]]:
    """Yield what each label stands for on the pages that a model is shown, after the `labels` of earlier rounds."""
    writing = WritingSettings()
    crops = Crops(collection, writing.page_width, writing.picture_side)
    for view in page_views(collection, crops, shown.pages, (), "text", writing, labels)[0]:
        for piece in view.pieces:
            whole = Place(view.of.name, view.page.number, piece.element.bbox, None)
            yield piece.label, whole
            for row in sorted({cell.row for cell in piece.element.cells}):
                yield f"{piece.label}.r{row}", Place(whole.document, whole.page, whole.bbox, row)


class RecordedModel(ScriptedModel):
    """A model that says again what was recorded, with the labels that the same places have now.

    `lost` are the labels whose places are no pieces of the pages any more.
    """

    def __init__(self, rounds: Sequence[dict[str, Any]]) -> None:
        super().__init__(lambda _: "", "recorded", 0)
        self._rounds = list(rounds)
        self.now: dict[str, Place] = {}
        self.lost: list[str] = []

    def stream(self, *_: object, **__: object) -> Iterator[str | Reply]:
        """Yield the reply of the next round, whole."""
        told = self._rounds.pop(0)
        reply = told["reply"]
        for sentence in reply["sentences"]:
            known = [self._label(Place.of(told["places"][label])) for label in sentence["labels"]]
            self.lost += [old for old, new in zip(sentence["labels"], known, strict=True) if new is None]
            sentence["labels"] = [label for label in known if label is not None]
        text = json.dumps(reply)
        yield text
        yield Reply(text, USAGE)

    def _label(self, place: Place) -> str | None:
        same = {
            label: other.bbox.iou(place.bbox)
            for label, other in self.now.items()
            if (other.document, other.page, other.row) == (place.document, place.page, place.row)
        }
        best = max(same, key=lambda label: same[label], default=None)
        return best if best is not None and same[best] >= SAME else None
