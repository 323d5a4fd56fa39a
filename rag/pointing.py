"""Method visa: the model is shown whole pages and answers with a box; an element takes its place and is checked.

Where the model's own boxes meet retrieval and checking, as `rag.author` joins writing with them.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import partial

from indexing import Collection, IndexingError
from rag.attribution import attributed
from rag.chat import ChatModel
from rag.events import Checked, Drafted, Event
from rag.images import fitted
from rag.judge import ModelJudge
from rag.ledger import Ledger
from rag.localizers import drawing_model, localizer_of
from rag.retrieve import Retrieved
from rag.settings import RagSettings
from rag.types import DrawnBox, Evidence, RankedPage, Sentence
from rag.verify import Judge
from rag.visa import Candidate, Pointed, VisaLocalizer, snapped, visa_answer


@dataclass(frozen=True, slots=True)
class Pointer:
    """Answers about one collection from the best pages as they look."""

    collection: Collection
    settings: RagSettings
    model: ChatModel
    judge: Judge | None = None

    def answer(
        self, question: str, found: Retrieved, ledger: Ledger
    ) -> Generator[Event, None, tuple[tuple[Evidence, ...], tuple[Sentence, ...], DrawnBox | None]]:
        """The evidence, with the element under the box; the sentence, or none where the pages do not answer; and the
        box as it was drawn.

        Without an element there the sentence cites nothing, and is pointed to the evidence if that proves it. Raises
        NoModel where the settings do not say how the model writes boxes, and ModelError.
        """
        served = drawing_model(self.settings, "method visa")
        with ledger.timed("draw"):
            shown = self._candidates(found.pages[: self.settings.writing.candidates], ledger)
        with ledger.timed("answer"):
            reply = visa_answer(self.model, question, shown, served.boxes, partial(fitted, settings=served))
        ledger.add(reply.usage, self._left_out(shown[reply.shown :], found))
        if reply.page is None:
            return found.evidence, (), None
        with ledger.timed("check"):
            cited = self._cited(reply, found)
            evidence = (*found.evidence, *(item for item in cited if item not in found.evidence))
        yield Drafted(0, reply.text, tuple(item.label for item in cited))
        with ledger.timed("check"):
            localizer = localizer_of(self.collection, self.settings, lambda: self.model)
            sentence = attributed(reply.text, cited, evidence, self.judge, localizer)
        if isinstance(localizer, VisaLocalizer):
            ledger.add(localizer.usage)
        if isinstance(self.judge, ModelJudge):
            ledger.add(self.judge.usage, self.judge.notes)
        yield Checked(0, sentence)
        drawn = None if reply.box is None else DrawnBox(reply.page.doc_id, reply.page.number, reply.box)
        return evidence, (sentence,), drawn

    def _candidates(self, pages: Sequence[RankedPage], ledger: Ledger) -> list[Candidate]:
        """Pages as images; those that cannot be drawn are left out and noted."""
        shown = []
        for page in pages:
            try:
                image = self.collection.draw_page(page.doc_id, page.number, width=self.settings.writing.page_width)
            except IndexingError as error:
                ledger.add(notes=[f"page {page.number} of {page.document} was not shown: {error}"])
            else:
                shown.append(Candidate(page.doc_id, page.number, image))
        return shown

    def _left_out(self, pages: Sequence[Candidate], found: Retrieved) -> list[str]:
        """A note on the pages for which the model had no room."""
        names = {(page.doc_id, page.number): page.document for page in found.pages}
        told = [f"page {page.number} of {names[page.doc_id, page.number]}" for page in pages]
        return [f"{self.model.name} was not shown {', '.join(told)}: there was no room for more"] if told else []

    def _cited(self, reply: Pointed, found: Retrieved) -> list[Evidence]:
        """The element under the box as evidence: under its label if it was retrieved, else under the next one."""
        if reply.page is None or reply.box is None:
            return []
        place = reply.page.doc_id, reply.page.number
        element = snapped(reply.box, self.collection.page_elements(*place))
        if element is None:
            return []
        known = [item for item in found.evidence if item.element.id == element.id]
        page = next(page for page in found.pages if (page.doc_id, page.number) == place)
        return known or [Evidence(f"E{len(found.evidence) + 1}", element, page.document, page.score)]
