"""Ask a vision model to answer from page images with a box around its evidence (VISA, Ma et al. 2024).

The model sees one page or several candidates, and returns the answer with its page and box, or "no answer". Users never
see its own box: the nearest element replaces it, or there is no box. Evaluation uses the box itself, which the answer
stores as `drawn`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import Field

from indexing import BBox
from rag.attribution.localize import CONVENTIONS, Corners, Fit, Picture, box_of
from rag.errors import ImageRefused, PromptTooLong, ReplyUnusable
from rag.llm import Boxes, ChatModel, Form, Message, complete_as, fence, load_prompt, read_form
from rag.usage import NO_USAGE, Usage

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
