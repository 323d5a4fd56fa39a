"""What was asked and how: the keywords of the pipeline's methods, spelled out once, and the value they become."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict, cast

from indexing import Mode
from rag.types import Method


class SearchOptions(TypedDict, total=False):
    """How to search; what is left out, or None, is as the settings say.

    mode: what is searched, and what a model is shown. documents: only these, by id, name or path.
    top_k: most pieces of evidence. queries: most queries made of the question. image: a file to go with the question.
    """

    mode: Mode | None
    documents: Sequence[str]
    top_k: int | None
    queries: int | None
    image: Path | str | None


class AnswerOptions(SearchOptions, total=False):
    """How to answer besides. method: quote, or a model answers (vanilla; cot: find, extract, answer; visa: by a box).

    extract: whether the model reads what was extracted from the evidence beforehand. earlier: questions asked before,
    which tell a model that writes (vanilla, cot) what this one is about; they are searched for by nobody.
    """

    method: Method | None
    extract: bool | None
    earlier: Sequence[str]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its options, as `SearchOptions` and `AnswerOptions` explain them."""

    question: str
    mode: Mode | None = None
    documents: tuple[str, ...] = ()
    top_k: int | None = None
    queries: int | None = None
    image: Path | str | None = None
    method: Method | None = None
    extract: bool | None = None
    earlier: tuple[str, ...] = ()

    @classmethod
    def of(cls, question: str, options: SearchOptions) -> Asked:
        """The value, of `SearchOptions` or `AnswerOptions`; TypeError for an option that does not exist."""
        given = cast("dict[str, Any]", options)
        several = {name: tuple(given.get(name, ())) for name in ("documents", "earlier")}
        return cls(question, **(given | several))
