"""The keyword arguments of the pipeline, and the `Question` that they become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypedDict, cast

from configs import did_you_mean, method_spec, methods
from indexing import Mode
from rag.errors import OptionRefused
from rag.types import MethodName
from vouch.hooks import AnswerMethod, OptionValue, names


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
    (`RagSettings.model_names`), instead of the default. method_options: values of options that the method itself
    declares (`AnswerMethod.options`), by name.
    """

    method: MethodName | None
    extract: bool | None
    earlier: Sequence[str]
    pages: Sequence[tuple[str, int]]
    every_page: bool
    model: str | None
    method_options: Mapping[str, OptionValue]


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
    method_options: Mapping[str, OptionValue] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str, options: SearchOptions) -> Question:
        """Return a question with `SearchOptions` or `AnswerOptions`. Raises TypeError for an unknown option."""
        values = cast("dict[str, Any]", options)
        several = {name: tuple(values.get(name, ())) for name in ("documents", "earlier", "pages")}
        return cls(text, **(values | several))

    def for_method(self, name: MethodName) -> Question:
        """Return the question with the values of all options that the method declares. Raises OptionRefused."""
        method = method_spec(name)
        given = [option for option in ("pages", "every_page", "extract") if getattr(self, option)]
        for option in (*given, *self.method_options):
            if not _has(method, option):
                others = " or ".join(other.name for other in methods() if _has(other, option))
                advice = f": ask with method {others}" if others else did_you_mean(option, names(method.options))
                raise OptionRefused(f"method {name} does not have the option {option!r}{advice}")
        values = {one.name: self.method_options.get(one.name, one.default) for one in method.options}
        for key, kind in ((one.name, type(one.default)) for one in method.options):
            if type(values[key]) not in (kind, int if kind is float else kind):  # 3 is a number like 3.0
                raise OptionRefused(f"the option {key!r} takes a value of the type {kind.__name__}")
        return replace(self, method_options=values)

    def options(self) -> AnswerOptions:
        """Return the options alone, as the pipeline's methods take them."""
        return cast("AnswerOptions", {f.name: getattr(self, f.name) for f in fields(self) if f.name != "text"})


def _has(method: AnswerMethod, option: str) -> bool:
    """Return True if a method has an option that not all methods have."""
    notes = method.notes and option in ("extract", "every_page")
    return notes or (method.pages and option == "pages") or option in names(method.options)
