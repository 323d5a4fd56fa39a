"""A model that writes: what it is shown is drawn and extracted, and what it writes is checked sentence by sentence.

Where writing, extracting, judging and boxing meet, as `rag.pipeline` joins finding and answering.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from indexing import Collection
from rag.attribution import attributed
from rag.chat import ChatModel
from rag.crops import Crops
from rag.events import Checked, Drafted, Event, Extracted
from rag.exhibits import exhibits
from rag.extract import Extractor, Said, with_knowledge
from rag.generate import Written, generate
from rag.judge import ModelJudge
from rag.ledger import Ledger
from rag.localizers import localizer_of
from rag.retrieve import Retrieved
from rag.settings import RagSettings
from rag.task import Task, Writing
from rag.types import Evidence, Exhibit, Sentence
from rag.verify import Judge
from rag.visa import VisaLocalizer

if TYPE_CHECKING:
    from PIL import Image


class Author:
    """Writes one answer about a collection."""

    def __init__(
        self, collection: Collection, settings: RagSettings, model: ChatModel, judge: Judge | None = None
    ) -> None:
        """A `judge` that is given stands in the place of that of the settings."""
        self._collection = collection
        self._settings = settings
        self._model = model
        self._judge = judge
        self._crops = Crops(collection, settings.writing.page_width, settings.writing.picture_side)

    def write(
        self,
        question: str,
        method: Writing,
        found: Retrieved,
        picture: Image.Image | None,
        ledger: Ledger,
        earlier: Sequence[str] = (),
    ) -> Generator[Event, None, tuple[Sentence, ...]]:
        """The checked sentences; drafts and verdicts are told as they come. `picture` goes with the question, which
        follows the `earlier` ones.

        Raises ModelError. Closing it ends the model's call.
        """
        writing, served = self._settings.writing, self._settings.model
        with ledger.timed("draw"):
            shown, notes = exhibits(self._crops, found.evidence, found.mode, writing)
            ledger.add(notes=notes)
        form = served.structured if served is not None else "schema"
        task = Task(question, method, form, writing, picture, tuple(earlier))
        return (yield from self._checked(task, shown, found.evidence, ledger))

    def extracted(self, found: Retrieved, ledger: Ledger) -> Generator[Event, None, Retrieved]:
        """The evidence with what is known of each piece beforehand; how far that is, is told."""
        elements = list({item.element.id: item.element for item in found.evidence}.values())
        said: dict[str, Said] = {}
        with closing(Extractor(self._collection, self._model, self._crops).extract(elements)) as extracting:
            while True:
                with ledger.timed("extract"):
                    new = next(extracting, None)
                if new is None:
                    break
                said[new[0].id] = new[1]
                ledger.add(new[1].usage)
                yield Extracted(len(said), len(elements))
        ledger.add(notes=_without_knowledge(found.evidence, said))
        return replace(found, evidence=with_knowledge(found.evidence, said))

    def _checked(
        self, task: Task, shown: Sequence[Exhibit], evidence: Sequence[Evidence], ledger: Ledger
    ) -> Generator[Event, None, tuple[Sentence, ...]]:
        judge = self.judging()
        localizer = localizer_of(self._collection, self._settings, lambda: self._model)
        by_label = {item.label: item for item in evidence}
        sentences: list[Sentence] = []
        with closing(generate(self._model, task, shown)) as writing:
            while True:
                with ledger.timed("answer"):
                    piece = next(writing)
                if isinstance(piece, Written):
                    break
                index, draft = piece
                yield Drafted(index, draft.text, draft.labels)
                with ledger.timed("check"):
                    cited = [by_label[label] for label in draft.labels]
                    sentences[index:] = [attributed(draft.text, cited, evidence, judge, localizer)]
                yield Checked(index, sentences[index])
        ledger.add(piece.usage, piece.notes)
        if isinstance(judge, ModelJudge):
            ledger.add(judge.usage, judge.notes)
        if isinstance(localizer, VisaLocalizer):
            ledger.add(localizer.usage)
        return tuple(sentences[: len(piece.drafts)])

    def judging(self) -> Judge | None:
        """Who decides what strict checking leaves open; None: nobody."""
        if self._judge is not None or self._settings.judge == "rules":
            return self._judge
        return ModelJudge(self._model, self._crops)


def _without_knowledge(evidence: Sequence[Evidence], said: Mapping[str, Said]) -> list[str]:
    """A note on each piece from which nothing could be extracted."""
    problems = {item.label: said[item.element.id].problem for item in evidence if item.element.id in said}
    return [f"nothing was extracted from {label}: {problem}" for label, problem in problems.items() if problem]
