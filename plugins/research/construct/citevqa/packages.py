"""Evidence packages: the elements that a model chooses, under a schema, from those that code offers it.

A package has elements of two pages and two kinds at least, and what it says can be understood from it alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import Field

from evaluation.harness import rubric_prompt
from indexing import Element
from plugins.research.construct.citevqa.linking import SegmentGroup, uniform
from plugins.research.errors import LeftOut
from rag import Crops
from rag.llm import ChatModel, Form, Message, around, complete_as, fenced

if TYPE_CHECKING:
    from PIL import Image

MOST_CANDIDATES = 16
MOST_ELEMENTS = 5
REPLY_TOKENS = 300


class _Chosen(Form):
    elements: list[int] = Field(max_length=MOST_ELEMENTS)
    complete: bool
    reason: str = Field(max_length=300)


def package_of(model: ChatModel, crops: Crops, group: SegmentGroup, documents: int) -> tuple[Element, ...]:
    """Return the elements that a model chooses from a group, in the order of the candidates, pictures seen as such.

    Raises LeftOut when they are of fewer than `documents` documents, two pages or two kinds, when context is missing,
    and ModelError, IndexingError.
    """
    candidates = candidates_of(group, model.capacity.images)
    _check(candidates, documents, "the group")
    words = rubric_prompt("plugins.research:construct_package").filled(elements=listed(candidates), most=most_of(model))
    shown = (*pictures(candidates, crops), words)
    reply, _ = complete_as(model, [Message("user", shown)], _Chosen, REPLY_TOKENS, most={"elements": most_of(model)})
    numbers = sorted(set(reply.elements))
    if not all(0 < n <= len(candidates) for n in numbers) or len(numbers) > most_of(model):
        raise LeftOut("the package names elements that were not offered")
    package = tuple(candidates[n - 1] for n in numbers)
    _check(package, documents, "the package")
    if not reply.complete:
        raise LeftOut("the package lacks context")
    return package


def candidates_of(group: SegmentGroup, images: int) -> tuple[Element, ...]:
    """Return the elements of a group, taken in turn from its segments; `images` is the most pictures of them."""
    found: list[Element] = []
    left = images
    for place in range(max(len(s.elements) for s in group.segments)):
        for segment in group.segments:
            element = segment.elements[place] if place < len(segment.elements) else None
            if element is None or (element.kind == "picture" and not left) or len(found) == MOST_CANDIDATES:
                continue
            left -= element.kind == "picture"
            found.append(element)
    return tuple(found)


def most_of(model: ChatModel) -> int:
    """Return the most elements of a package: each of them is shown to the model as a picture."""
    return min(MOST_ELEMENTS, model.capacity.images)


def _check(elements: Sequence[Element], documents: int, what: str) -> None:
    why = uniform(elements)
    if len({e.doc_id for e in elements}) < documents:
        why = "evidence of one document"
    if why:
        raise LeftOut(f"{what} has {why}")


def listed(elements: Sequence[Element]) -> str:
    """Return elements as numbered lines of a prompt: kind, document, page, headings, text."""
    order = list(dict.fromkeys(e.doc_id for e in elements))
    lines = []
    for n, e in enumerate(elements, 1):
        lines.append(f"{n}. ({e.kind}, document {order.index(e.doc_id) + 1}, page {e.page}, under: {around(e)})")
        lines.append(fenced(e.text) or "(no text; see its picture)")
    return "\n".join(lines)


def pictures(elements: Sequence[Element], crops: Crops) -> tuple[str | Image.Image, ...]:
    """Return each picture among the elements after a line with its number. Raises IndexingError."""
    parts: list[str | Image.Image] = []
    for n, element in enumerate(elements, 1):
        if element.kind == "picture":
            parts += [f"The picture of element {n}:", crops(element)]
    return tuple(parts)
