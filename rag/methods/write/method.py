"""Method write: a model writes from the evidence it is shown, and every sentence is checked and boxed as it comes."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from indexing import Collection
from rag.attribution import attributed
from rag.attribution.localize import localizer_of
from rag.attribution.verify import judge_of
from rag.crops import Crops
from rag.events import Checked, Drafted, Event, Extracted
from rag.knowledge import Extractor, Knowledge, with_knowledge
from rag.llm import ChatModel
from rag.methods.protocol import Draft
from rag.methods.write.evidence_views import evidence_views
from rag.methods.write.generate import Written, generate
from rag.methods.write.prompt import Writing, WritingTask
from rag.options import Question
from rag.retrieval import Retrieved
from rag.settings import RagSettings
from rag.types import Evidence, EvidenceView, Judge, Sentence
from rag.usage import Ledger


@dataclass(frozen=True, slots=True)
class WriteMethod:
    """The method that writes an answer about a collection; a `judge` that is given replaces that of the settings."""

    collection: Collection
    settings: RagSettings
    model: ChatModel
    writing: Writing
    judge: Judge | None = None

    @property
    def sees(self) -> bool:
        """True if the model looks at images."""
        return self.model.capacity.images > 0

    def answer(self, asked: Question, found: Retrieved, ledger: Ledger) -> Generator[Event, None, Draft]:
        """Yield drafts and verdicts as they come, and return the checked sentences.

        Where it is asked for, knowledge is extracted from the evidence first, without the question, and the answer is
        written from that alone; it is checked against the evidence itself all the same. Raises ModelError; closing it
        ends the model's call.
        """
        writing, served = self.settings.writing, self.settings.model
        crops = Crops(self.collection, writing.page_width, writing.picture_side)
        if self.settings.extract if asked.extract is None else asked.extract:
            found = yield from self._extracted(found, crops, ledger)
        with ledger.timed("draw"):
            shown, notes = evidence_views(crops, found.evidence, found.mode, writing)
            ledger.add(notes=notes)
        form = served.structured if served is not None else "schema"
        task = WritingTask(asked.text, self.writing, form, writing, found.picture, asked.earlier)
        sentences = yield from self._checked(task, shown, found.evidence, crops, ledger)
        return Draft(sentences, found.evidence)

    def _extracted(self, found: Retrieved, crops: Crops, ledger: Ledger) -> Generator[Event, None, Retrieved]:
        """Return the evidence with the knowledge of each piece extracted beforehand; yield the progress."""
        elements = list({item.element.id: item.element for item in found.evidence}.values())
        said: dict[str, Knowledge] = {}
        at_once = self.settings.model.concurrency if self.settings.model else 1
        with closing(Extractor(self.collection, self.model, crops, at_once).extract(elements)) as extracting:
            while True:
                with ledger.timed("extract"):
                    new = next(extracting, None)
                if new is None:
                    break
                said[new[0].id] = new[1]
                ledger.add(new[1].usage)
                yield Extracted(len(said), len(elements))
        ledger.add(notes=_without_knowledge(found.evidence, said))
        return found.with_evidence(with_knowledge(found.evidence, said))

    def _checked(
        self,
        task: WritingTask,
        shown: Sequence[EvidenceView],
        evidence: Sequence[Evidence],
        crops: Crops,
        ledger: Ledger,
    ) -> Generator[Event, None, tuple[Sentence, ...]]:
        judge = judge_of(self.settings, self.model, crops, self.judge)
        localizer = localizer_of(self.collection, self.settings, lambda: self.model)
        by_label, about = {item.label: item for item in evidence}, (task.question,)
        sentences: list[Sentence] = []
        with closing(generate(self.model, task, shown)) as writing:
            while True:
                with ledger.timed("answer"):
                    piece = next(writing)
                if isinstance(piece, Written):
                    break
                index, draft = piece
                yield Drafted(index, draft.text, draft.labels)
                with ledger.timed("check"):
                    cited = _with_pieces([by_label[label] for label in draft.labels], evidence)
                    sentences[index:] = [attributed(draft.text, cited, evidence, judge, localizer, about=about)]
                yield Checked(index, sentences[index])
        ledger.add(piece.usage, piece.notes)
        ledger.charge(judge, localizer)
        return tuple(sentences[: len(piece.drafts)])


def _with_pieces(cited: Sequence[Evidence], evidence: Sequence[Evidence]) -> list[Evidence]:
    """Return what a sentence cites and, after a whole image, the pieces of it: one that proves it has a tighter box."""
    whole = {(item.element.doc_id, item.element.page) for item in cited if item.element.whole_image}
    return [*cited, *(item for item in evidence if (item.element.doc_id, item.element.page) in whole)]


def _without_knowledge(evidence: Sequence[Evidence], said: Mapping[str, Knowledge]) -> list[str]:
    """Return a note on the pieces from which nothing could be extracted, one for each reason."""
    labels: dict[str, list[str]] = {}
    for item in evidence:
        if item.element.id in said and (problem := said[item.element.id].problem):
            labels.setdefault(problem, []).append(item.label)
    return [
        f"nothing was extracted from {', '.join(those)}, which the model was shown as found: {problem}"
        for problem, those in labels.items()
    ]
