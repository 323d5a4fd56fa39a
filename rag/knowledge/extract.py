"""Evidence -> evidence with knowledge: each item described without a look at the question (MAVIS, Song et al. 2025).

A text is its own knowledge, so it gets none beside it. The cells of a table are told, which needs no model. Pictures,
charts, and tables that are pictures are described by the model; the description is kept in the collection under the
model's name and the version of the prompt, so it is asked for once. An element that fails goes without; nothing else is
lost.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from indexing import Collection, Element, IndexingError
from rag.errors import ModelError
from rag.knowledge.tables import facts_of_table
from rag.llm import ChatModel, Form, Message, around, complete_as, load_prompt, visible
from rag.types import Evidence
from rag.usage import NO_USAGE, Usage

if TYPE_CHECKING:
    from PIL import Image

_RULES = load_prompt("extract")
_LOOK = load_prompt("extract_picture", "around")
PROMPT_VERSION = f"{_RULES.version}-{_LOOK.version}"
_MAX_TOKENS = 1200
_KEPT_AT_ONCE = 16
"""The number of descriptions after which they are written down, so that a stopped run keeps most of its work."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """The knowledge of an element; `problem` says why there is none, `usage` the cost of asking."""

    text: str
    usage: Usage = NO_USAGE
    problem: str = ""


class _Fact(Form):
    series: str = Field(max_length=80)
    at: str = Field(max_length=80)
    value: str = Field(max_length=60)


class _Picture(Form):
    kind: Literal["chart", "table", "diagram", "map", "photograph", "other"]
    shows: str = Field(max_length=400)
    axes: str = Field(max_length=200)
    facts: list[_Fact] = Field(max_length=60)
    seen: list[Annotated[str, Field(max_length=160)]] = Field(max_length=12)


class Extractor:
    """The describer of elements of one collection; with a model that sees no images, of tables only."""

    def __init__(
        self, collection: Collection, model: ChatModel, crop: Callable[[Element], Image.Image], at_once: int = 4
    ) -> None:
        """Keep `crop`, which gives an element's picture and may raise IndexingError; `at_once` calls run at a time."""
        self._collection = collection
        self._model = model
        self._crop = crop
        self._at_once = at_once

    def extract(self, elements: Sequence[Element]) -> Generator[tuple[Element, Knowledge]]:
        """Yield the knowledge of each element: first what needs no model or is kept, then what the model is asked for.

        New answers are kept for the next time. Closing the iterator keeps those that had arrived by then.
        """
        each = list({e.id: e for e in elements}.values())
        asked = [e for e in each if needs_model(e)]
        kept = self._kept(asked)
        for element in each:
            if element.id in kept:
                yield element, Knowledge(kept[element.id])
            elif not needs_model(element):
                yield element, Knowledge(facts_of_table(element) if is_table(element) else "")
        rest = [e for e in asked if e.id not in kept]
        if not self._model.capacity.images:
            yield from ((e, Knowledge("", problem="needs a model that sees images (rag.model.images)")) for e in rest)
            return
        yield from self._described(rest)

    def _described(self, elements: Sequence[Element]) -> Generator[tuple[Element, Knowledge]]:
        """Ask for each, several at once."""
        new: dict[Element, str] = {}
        pool = ThreadPoolExecutor(self._at_once)
        try:
            running = {pool.submit(self._describe, element): element for element in elements}
            for future in as_completed(running):
                element, said = running[future], future.result()
                if said.text:
                    new[element] = said.text
                if len(new) >= _KEPT_AT_ONCE:
                    self._keep(new)
                    new = {}
                yield element, said
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            self._keep(new)

    def _describe(self, element: Element) -> Knowledge:
        try:
            parts = (self._crop(element), _LOOK.filled(around=around(element)))
            messages = (Message("system", (_RULES.filled(),)), Message("user", parts))
            picture, usage = complete_as(self._model, messages, _Picture, _MAX_TOKENS)
        except ModelError as error:
            return Knowledge("", error.usage, str(error))
        except IndexingError as error:
            return Knowledge("", problem=f"its picture cannot be drawn: {error}")
        return Knowledge(_told(picture), usage)

    def _kept(self, elements: Sequence[Element]) -> Mapping[str, str]:
        """Read earlier descriptions of elements, by their ids."""
        if not self._model.capacity.images or not elements:
            return {}
        return self._collection.knowledge.read(elements, self._model.name, PROMPT_VERSION)

    def _keep(self, said: Mapping[Element, str]) -> None:
        if not said:
            return
        try:
            self._collection.knowledge.keep(said, self._model.name, PROMPT_VERSION)
        except IndexingError as error:  # somebody indexes, or the disk is full: it is asked again another time
            logging.getLogger(__name__).warning("what the model said of %d elements is not kept: %s", len(said), error)


def with_knowledge(evidence: Sequence[Evidence], said: Mapping[str, Knowledge]) -> tuple[Evidence, ...]:
    """Return the evidence with the knowledge that `said` has of it, by element id."""
    return tuple(replace(e, knowledge=said[e.element.id].text) if e.element.id in said else e for e in evidence)


def is_table(element: Element) -> bool:
    """Return True if an element has cells, or rows of text, to tell."""
    return element.kind == "table" and bool(element.text.strip())


def needs_model(element: Element) -> bool:
    """Return True if the model has to look at an element: a picture, or a table or group without text."""
    return element.kind == "picture" or (not element.text.strip() and element.kind in ("table", "group"))


def _told(picture: _Picture) -> str:
    """Return the form as lines of text."""
    lines = [f"{picture.kind}: {visible(picture.shows)}"]
    if axes := visible(picture.axes):
        lines.append(f"axes: {axes}")
    facts = dict.fromkeys((visible(f.series), visible(f.at), visible(f.value)) for f in picture.facts)
    lines += [f"{', '.join(p for p in (series, at) if p)}: {value}" for series, at, value in facts if value]
    lines += [f"- {text}" for text in dict.fromkeys(map(visible, picture.seen)) if text]
    return "\n".join(lines)
