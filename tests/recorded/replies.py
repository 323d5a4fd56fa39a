"""Recorded replies: the questions, what was replied in each round, and the places that the labels stood for."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from indexing import BBox, Collection
from rag.crops import Crops
from rag.events import Shown
from rag.llm.chat import Reply
from rag.methods.write.pages import Labels, PageView, page_views
from rag.methods.write.prompt import WritingTask, messages_of
from rag.settings import WritingSettings
from tests.support.fakes import ScriptedModel, text_of
from tests.support.writers import USAGE

FILE = Path(__file__).with_name("replies.json")
NUMBER, SEED = 40, 43
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


def questions() -> list[dict[str, Any]]:
    """Return the questions about the samples to which replies are recorded: a fifth has no answer there."""
    path = Path(__file__).parents[2] / "samples" / "questions.yaml"
    every = yaml.safe_load(path.read_text(encoding="utf-8"))
    dice = random.Random(SEED)
    answered, open_ = ([q for q in every if (q["answer"] is not None) is known] for known in (True, False))
    most = min(len(open_), NUMBER // 5)
    return [*dice.sample(answered, NUMBER - most), *dice.sample(open_, most)]


class Round:
    """One call of the model: the pages that it is shown, and what their labels stand for."""

    def __init__(self, collection: Collection, question: str, shown: Shown, labels: Labels) -> None:
        """Lay out the pages as the model is shown them, as text; `labels` are those of the rounds before."""
        writing = WritingSettings()
        crops = Crops(collection, writing.page_width, writing.picture_side)
        self.views, _ = page_views(collection, crops, shown.pages, (), "text", writing, labels)
        task = WritingTask(question, "vanilla", "schema", writing)
        self.request = hashlib.sha256(text_of(messages_of(task, self.views)).encode()).hexdigest()

    def places(self) -> dict[str, Place]:
        """Return the places of all labels."""
        return dict(_places(self.views))


def _places(views: Sequence[PageView]) -> Iterator[tuple[str, Place]]:
    for view in views:
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
        self.now: Round | None = None
        self.lost: list[str] = []

    def stream(self, *_: object, **__: object) -> Iterator[str | Reply]:
        """Yield the reply of the next round, whole."""
        told = self._rounds.pop(0)
        reply, there = told["reply"], (self.now.places() if self.now else {})
        for sentence in reply["sentences"]:
            known = [self._label(Place.of(told["places"][label]), there) for label in sentence["labels"]]
            self.lost += [old for old, new in zip(sentence["labels"], known, strict=True) if new is None]
            sentence["labels"] = [label for label in known if label is not None]
        text = json.dumps(reply)
        yield text
        yield Reply(text, USAGE)

    @staticmethod
    def _label(place: Place, there: dict[str, Place]) -> str | None:
        same = {
            label: other.bbox.iou(place.bbox)
            for label, other in there.items()
            if (other.document, other.page, other.row) == (place.document, place.page, place.row)
        }
        best = max(same, key=lambda label: same[label], default=None)
        return best if best is not None and same[best] >= SAME else None
