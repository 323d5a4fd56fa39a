"""The keyword arguments of the pipeline, and the `Question` that they become."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypedDict, cast

from indexing import Mode
from rag.types import MethodName


class SearchOptions(TypedDict, total=False):
    """The options of a search; one that is left out, or None, is as the settings say.

    mode: what is searched, and what a model is shown. documents: only these, by id, name or path. where: of them only
    those that this filter lets through, such as `tag=minutes and date>=2024` (docs/folders.md). top_k: most pieces of
    evidence (where a model writes, an image is one, with what was read on it). queries: most queries made of the
    question. image: a file to go with the question.
    """

    mode: Mode | None
    documents: Sequence[str]
    where: str | None
    top_k: int | None
    queries: int | None
    image: Path | str | None


class AnswerOptions(SearchOptions, total=False):
    """The options of an answer, besides those of a search.

    method: quote, or a model answers (vanilla; cot: find, extract, answer; visa: by a box). extract: if True, the model
    (vanilla, cot) answers from what was extracted of the evidence without the question, and from that alone. earlier:
    questions asked before, which tell a model that writes (vanilla, cot) what this one is about; they are not searched
    for. pages: these (document id, page from 1), all and in this order, take the place of a search, so that documents,
    where, top_k and queries choose nothing; a model that writes reads their elements, method visa shows them, and
    method quote takes none. model: a model of the settings, by its name there (`RagSettings.model_names`), in the place
    of the default.
    """

    method: MethodName | None
    extract: bool | None
    earlier: Sequence[str]
    pages: Sequence[tuple[str, int]]
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
    model: str | None = None
    where: str | None = None

    @classmethod
    def of(cls, text: str, options: SearchOptions) -> Question:
        """Return the value, of `SearchOptions` or `AnswerOptions`; TypeError for an option that does not exist."""
        given = cast("dict[str, Any]", options)
        several = {name: tuple(given.get(name, ())) for name in ("documents", "earlier", "pages")}
        return cls(text, **(given | several))

    def options(self) -> AnswerOptions:
        """Return the options alone, as the pipeline's methods take them."""
        return cast("AnswerOptions", {f.name: getattr(self, f.name) for f in fields(self) if f.name != "text"})
