"""Method visa: the model is shown whole pages and answers with a box; an element takes its place and is checked.

The pages are the best that were found or, where the question names pages, those, in their order.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import partial

from indexing import Collection, IndexingError
from rag.attribution import Checker, judge_of
from rag.attribution.localize import drawing_model, localizer_of, snapped
from rag.crops import Crops
from rag.errors import ImageRefused
from rag.events import Checked, Drafted, Event
from rag.llm import ChatModel, fit_image
from rag.methods.protocol import Draft, MethodContext
from rag.methods.visa.boxes import Candidate, Pointed, visa_answer
from rag.options import Question
from rag.retrieval import Retrieved, best_pages, in_order, pages_shown
from rag.settings import RagSettings
from rag.types import DrawnBox, Evidence, Judge, RankedPage
from rag.usage import Ledger


@dataclass(frozen=True, slots=True)
class VisaMethod:
    """The method that answers about one collection from images of the best pages."""

    collection: Collection
    settings: RagSettings
    model: ChatModel
    judge: Judge | None = None

    @property
    def sees(self) -> bool:
        """True if the model looks at images."""
        return self.model.capacity.images > 0

    def answer(self, asked: Question, found: Retrieved, ledger: Ledger) -> Generator[Event, None, Draft]:
        """Yield the sentence and its verdict; return it with the element under the box, and the box as it was drawn.

        There is no sentence where the pages do not answer. Without an element under the box the sentence cites nothing,
        and is pointed to the evidence if that proves it. Raises NoModel where the settings do not say how the model
        writes boxes, and ModelError.
        """
        served = drawing_model(self.settings, "method visa")
        whole = bool(asked.pages)
        count = pages_shown(self.settings.writing.pages, self.model.capacity.images)
        pages = found.pages if whole else in_order(best_pages(found, count))
        with ledger.timed("draw"):
            shown = self._candidates(pages, ledger, whole=whole)
        with ledger.timed("answer"):
            reply = visa_answer(
                self.model, asked.text, shown, served.boxes, partial(fit_image, settings=served), whole=whole
            )
        ledger.add(reply.usage, self._left_out(shown[reply.shown :], found))
        if reply.page is None:
            return Draft((), found.evidence)
        with ledger.timed("check"):
            cited = self._cited(reply, found)
            evidence = (*found.evidence, *(item for item in cited if item not in found.evidence))
        yield Drafted(0, reply.text, tuple(item.label for item in cited))
        with ledger.timed("check"):
            crops = Crops(self.collection, self.settings.writing.page_width, self.settings.writing.picture_side)
            judge = judge_of(self.settings, self.model, crops, self.judge)
            localizer = localizer_of(self.collection, self.settings, lambda: self.model)
            sentence = Checker(judge, localizer, about=(asked.text,))(reply.text, cited, evidence)
        ledger.charge(localizer, judge)
        yield Checked(0, sentence)
        drawn = None if reply.box is None else DrawnBox(reply.page.doc_id, reply.page.number, reply.box)
        return Draft((sentence,), evidence, drawn)

    def _candidates(self, pages: Sequence[RankedPage], ledger: Ledger, *, whole: bool) -> list[Candidate]:
        """Draw pages as images; those that cannot be drawn are left out and noted.

        With `whole`, none are left out: raises ImageRefused.
        """
        shown = []
        for page in pages:
            try:
                image = self.collection.draw_page(page.doc_id, page.number, width=self.settings.writing.page_width)
            except IndexingError as error:
                note = f"page {page.number} of {page.document} was not shown: {error}"
                if whole:
                    raise ImageRefused(note) from None
                ledger.add(notes=[note])
            else:
                shown.append(Candidate(page.doc_id, page.number, image))
        return shown

    def _left_out(self, pages: Sequence[Candidate], found: Retrieved) -> list[str]:
        """Return a note on the pages for which the model had no room."""
        names = {(page.doc_id, page.number): page.document for page in found.pages}
        told = [f"page {page.number} of {names[page.doc_id, page.number]}" for page in pages]
        return [f"{self.model.name} was not shown {', '.join(told)}: there was no room for more"] if told else []

    def _cited(self, reply: Pointed, found: Retrieved) -> list[Evidence]:
        """Return the element under the box as evidence: under its label if it was retrieved, else under the next."""
        if reply.page is None or reply.box is None:
            return []
        place = reply.page.doc_id, reply.page.number
        element = snapped(reply.box, self.collection.page_elements(*place))
        if element is None:
            return []
        known = [item for item in found.evidence if item.element.id == element.id]
        page = next(page for page in found.pages if (page.doc_id, page.number) == place)
        return known or [Evidence(f"E{len(found.evidence) + 1}", element, page.document, page.score)]


def visa_method(made: MethodContext) -> VisaMethod:
    """Return the method for one question. Raises NoModel."""
    return VisaMethod(made.collection, made.settings, made.model(), made.judge)
