"""The keyword arguments of the pipeline, and the `Question` that they become."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypedDict, cast

from indexing import Mode
from rag.types import MethodName


class SearchOptions(TypedDict, total=False):
    """The options of a search. One that is left out or None has its value from the settings.

    mode: what is searched, and what a model is shown. documents: search only these, by id, name or path. where: search
    only documents that match this filter, such as `tag=minutes and date>=2024` (docs/folders.md). top_k: the most
    pieces of evidence (where a model writes, an image counts as one, with the text read on it). queries: the most
    queries made from the question. image: the path of an image that belongs to the question.
    """

    mode: Mode | None
    documents: Sequence[str]
    where: str | None
    top_k: int | None
    queries: int | None
    image: Path | str | None


class AnswerOptions(SearchOptions, total=False):
    """The options of an answer, in addition to those of a search.

    method: quote, or a model writes (vanilla: in one step; cot: find, extract, answer; visa: with a box on a page).
    extract: if True, the model (vanilla, cot) answers only from knowledge that was extracted from the evidence without
    seeing the question. earlier: earlier questions, which show a model that writes (vanilla, cot) what this one is
    about; they are not searched for. pages: use these (document id, page from 1), in this order, instead of searching;
    documents, where, top_k and queries then have no effect. A model that writes reads their elements, method visa shows
    them, and method quote does not accept pages. every_page: if True, the model (vanilla, cot) reads every page of
    the chosen documents, a few at a time, and answers from what it noted of each: for counts and lists over a whole
    document, at the cost of one call for some six pages. model: the name of a model in the settings
    (`RagSettings.model_names`), instead of the default.
    """

    method: MethodName | None
    extract: bool | None
    earlier: Sequence[str]
    pages: Sequence[tuple[str, int]]
    every_page: bool
    model: str | None


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its options, as `SearchOptions` and `AnswerOptions` explain them."""

    text: str
    mode: Mode | None = None
    documents: tuple[str, ...] = ()
    top_k: int | None = None
    queries: int | None = None
    image: Path | str | None = None
    method: MethodName | None = None
    extract: bool | None = None
    earlier: tuple[str, ...] = ()
    pages: tuple[tuple[str, int], ...] = ()
    every_page: bool = False
    model: str | None = None
    where: str | None = None

    @classmethod
    def of(cls, text: str, options: SearchOptions) -> Question:
        """Return a question with `SearchOptions` or `AnswerOptions`. Raises TypeError for an unknown option."""
        values = cast("dict[str, Any]", options)
        several = {name: tuple(values.get(name, ())) for name in ("documents", "earlier", "pages")}
        return cls(text, **(values | several))

    def options(self) -> AnswerOptions:
        """Return the options alone, as the pipeline's methods take them."""
        return cast("AnswerOptions", {f.name: getattr(self, f.name) for f in fields(self) if f.name != "text"})
