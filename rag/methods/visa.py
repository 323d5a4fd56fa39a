"""Method visa: a model sees entire pages and answers with a box (VISA, Ma et al. 2024); it is checked by an element.

The model sees one page or several candidates, and returns the answer with its page and box, or "no answer". Users never
see its own box: the nearest element replaces it, or there is no box. Evaluation uses the box itself, which the answer
stores as `drawn`.

The pages are the best ones of the search or, if the question names pages, these in their order.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from pydantic import Field

from indexing import BBox, Collection, IndexingError
from rag.attribution import (
    CONVENTIONS,
    Checker,
    Corners,
    Fit,
    Picture,
    box_of,
    drawing_model,
    judge_of,
    localizer_of,
    snap_to_element,
)
from rag.crops import Crops
from rag.errors import ImageRefused, PromptTooLong, ReplyUnusable
from rag.events import Checked, Drafted, Event
from rag.llm import Boxes, ChatModel, Form, Message, complete_as, fence, fit_image, load_prompt, read_form
from rag.methods.protocol import Draft, MethodContext
from rag.options import Question
from rag.retrieval import Retrieved, best_pages, in_order, pages_shown
from rag.settings import RagSettings
from rag.types import DrawnBox, Evidence, Judge, RankedPage
from rag.usage import NO_USAGE, Ledger, Usage

if TYPE_CHECKING:
    from PIL import Image


_MAX_TOKENS = 640
_ANSWER = load_prompt("visa_answer", "question", "pages", "convention")


class _Answer(Form):
    answerable: bool
    answer: str = Field(max_length=600)
    page: int = Field(ge=0, le=64)
    box: Corners


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page that is shown, in RGB, among the candidates."""

    doc_id: str
    number: int
    image: Image.Image


@dataclass(frozen=True, slots=True)
class Pointed:
    """The answer of a model and the page it pointed at; `box` is None when it drew no valid box on that page.

    Without an answer `text` is empty and `page` None. `page_count` is how many of the first candidates were shown.
    """

    text: str
    page: Candidate | None
    box: BBox | None
    usage: Usage
    page_count: int = 0


def visa_answer(
    model: ChatModel, question: str, pages: Sequence[Candidate], boxes: Boxes, fit: Fit, *, whole: bool = False
) -> Pointed:
    """Ask a question about one page, or about several of which one may answer it.

    Pages for which the model has no room are left out, the last first; with `whole`, none are. Raises ModelError;
    PromptTooLong if not even one page fits, or with `whole` not all; ImageRefused with `whole` for more pages than the
    model takes.
    """
    candidates = pages[: max(1, min(model.capacity.images, 64))]
    if whole and len(candidates) < len(pages):
        raise ImageRefused(
            f"{len(pages)} pages are to be shown, and {model.name} takes only {len(candidates)} images per call: "
            "raise rag.model.images if its server takes more"
        )
    if not candidates:
        return Pointed("", None, None, NO_USAGE)
    images, total = [fit(page.image) for page in candidates], NO_USAGE
    while True:
        try:
            answer, usage = complete_as(
                model, [Message("user", prompt_parts(question, images, boxes))], _Answer, _MAX_TOKENS
            )
        except PromptTooLong as error:  # by the client's estimate, which costs no call, or by the server's count
            total += error.usage
            if len(images) == 1 or whole:
                pages_alone = "one page alone takes" if len(images) == 1 else f"all {len(images)} pages take"
                raise PromptTooLong(
                    f"{error}; {pages_alone} that: lower rag.model.max_pixels or rag.writing.page_width", usage=total
                ) from None
            images.pop()
        else:
            total += usage
            text, number, box = _check_answer(answer, [image.size for image in images], boxes, total)
            return Pointed(text, candidates[number - 1] if number else None, box, total, len(images))


def prompt_parts(question: str, images: Sequence[Picture], boxes: Boxes) -> tuple[str | Picture, ...]:
    """Return the parts of the message: the images of the pages, or their placeholders, and the question."""
    parts: list[str | Picture] = []
    for number, image in enumerate(images, 1):
        parts += [f"Page {number}:", image]
    return *parts, _ANSWER.fill(question=fence(question), pages=len(images), convention=CONVENTIONS[boxes])


def read_answer(text: str, sizes: Sequence[tuple[int, int]], boxes: Boxes) -> tuple[str, int, BBox | None]:
    """Return the answer, page number (from 1) and box of a reply about pages sent in these sizes (pixels).

    Without an answer they are "", 0 and None. Raises ReplyUnusable.
    """
    return _check_answer(read_form(text, _Answer), sizes, boxes, NO_USAGE)


def _check_answer(
    answer: _Answer, sizes: Sequence[tuple[int, int]], boxes: Boxes, usage: Usage
) -> tuple[str, int, BBox | None]:
    """Return the answer, page and box of a parsed reply, as `read_answer` does. Raises ReplyUnusable."""
    text = answer.answer.strip()
    if not answer.answerable or not text:
        return "", 0, None
    if not 1 <= answer.page <= len(sizes):
        raise ReplyUnusable(
            f"the model refers to page {answer.page}, but was shown {len(sizes)}: ask with method vanilla or "
            "cot, or show it fewer pages (rag.writing.candidates)",
            text=answer.answer,
            usage=usage,
        )
    return text, answer.page, box_of(answer.box, boxes, sizes[answer.page - 1])


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
