"""Method visa: the model sees entire pages and answers with a box; an element replaces the box and is checked.

The pages are the best ones of the search or, if the question names pages, these in their order.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import partial

from indexing import Collection, IndexingError
from rag.attribution import Checker, judge_of
from rag.attribution.localize import drawing_model, localizer_of, snap_to_element
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

    def answer(self, question: Question, results: Retrieved, ledger: Ledger) -> Generator[Event, None, Draft]:
        """Yield the sentence and its verdict; return it with the element under the box, and the model's own box.

        There is no sentence if the pages do not answer. Without an element under the box the sentence is checked
        against all evidence. Raises NoModel if the settings do not say how the model writes boxes, and ModelError.
        """
        model_settings = drawing_model(self.settings, "method visa")
        whole = bool(question.pages)
        count = pages_shown(self.settings.writing.pages, self.model.capacity.images)
        pages = results.pages if whole else in_order(best_pages(results, count))
        with ledger.measure("draw"):
            candidates = self._candidates(pages, ledger, whole=whole)
        with ledger.measure("answer"):
            reply = visa_answer(
                self.model,
                question.text,
                candidates,
                model_settings.boxes,
                partial(fit_image, settings=model_settings),
                whole=whole,
            )
        ledger.add(reply.usage, self._omission_note(candidates[reply.page_count :], results))
        if reply.page is None:
            return Draft((), results.evidence)
        with ledger.measure("check"):
            under_box = self._evidence_under_box(reply, results)
            evidence = (*results.evidence, *(item for item in under_box if item not in results.evidence))
        yield Drafted(0, reply.text, tuple(item.label for item in under_box))
        with ledger.measure("check"):
            crops = Crops(self.collection, self.settings.writing.page_width, self.settings.writing.picture_side)
            judge = judge_of(self.settings, self.model, crops, self.judge)
            localizer = localizer_of(self.collection, self.settings, lambda: self.model)
            sentence = Checker(judge, localizer, about=(question.text,))(reply.text, under_box, evidence)
        ledger.charge(localizer, judge)
        yield Checked(0, sentence)
        box = None if reply.box is None else DrawnBox(reply.page.doc_id, reply.page.number, reply.box)
        return Draft((sentence,), evidence, box)

    def _candidates(self, pages: Sequence[RankedPage], ledger: Ledger, *, whole: bool) -> list[Candidate]:
        """Return the pages as images; one that cannot be rendered gives a note, or ImageRefused if `whole`."""
        candidates = []
        for page in pages:
            try:
                image = self.collection.draw_page(page.doc_id, page.number, width=self.settings.writing.page_width)
            except IndexingError as error:
                note = f"page {page.number} of {page.document} was not shown: {error}"
                if whole:
                    raise ImageRefused(note) from None
                ledger.add(notes=[note])
            else:
                candidates.append(Candidate(page.doc_id, page.number, image))
        return candidates

    def _omission_note(self, pages: Sequence[Candidate], results: Retrieved) -> list[str]:
        """Return a note on the pages for which the model had no room."""
        names = {(page.doc_id, page.number): page.document for page in results.pages}
        labels = [f"page {page.number} of {names[page.doc_id, page.number]}" for page in pages]
        return [f"{self.model.name} was not shown {', '.join(labels)}: there was no room for more"] if labels else []

    def _evidence_under_box(self, reply: Pointed, results: Retrieved) -> list[Evidence]:
        """Return the element under the model's box as evidence, in a list, with a new label unless it was retrieved."""
        if reply.page is None or reply.box is None:
            return []
        place = reply.page.doc_id, reply.page.number
        element = snap_to_element(reply.box, self.collection.page_elements(*place))
        if element is None:
            return []
        existing = [item for item in results.evidence if item.element.id == element.id]
        page = next(page for page in results.pages if (page.doc_id, page.number) == place)
        return existing or [Evidence(f"E{len(results.evidence) + 1}", element, page.document, page.score)]


def visa_method(context: MethodContext) -> VisaMethod:
    """Return the method for one question. Raises NoModel."""
    return VisaMethod(context.collection, context.settings, context.model(), context.judge)
