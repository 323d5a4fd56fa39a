"""What a run of the harness is to do: which task on which data, in which variants, and where the results go."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.choosing import Asked
from evaluation.predictions import Refused
from evaluation.questions import Gold
from evaluation.task import Deep, Task
from indexing.search import LEAST_PAGES
from rag import Mode, Profile


@dataclass(frozen=True, slots=True)
class Variant:
    """One way of answering: a mode, and the profile with everything else that was asked for in it."""

    name: str
    mode: Mode
    profile: Profile


@dataclass(frozen=True, slots=True)
class Place:
    """Where a variant's results go; a run that is scored elsewhere has the first two alone."""

    predictions: Path
    summary: Path
    scores: Path | None = None
    judgements: Path | None = None
    choices: Path | None = None
    fluency: Path | None = None
    outputs: Path | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """A run: every question of `gold` in every variant, judged by `judges` (profiles by name).

    `identify`: who is put the sources to choose from; `mauve`: the model whose features tell how fluent answers are.
    """

    task: Task
    gold: Gold
    source: Path
    profile_name: str
    variants: tuple[Variant, ...]
    places: Mapping[str, Place]
    scope: str
    home: Path | None
    collection: str
    limit: int | None = None
    parallel: int | None = None
    resume: bool = False
    judges: Mapping[str, Profile] | None = None
    identify: Asked | None = None
    mauve: str = ""
    foreign: Path | None = None
    by: tuple[str, ...] = ()
    markdown: bool = False


def variants_of(
    profile: Profile,
    modes: Sequence[Mode],
    *,
    methods: Sequence[str] = (),
    localizers: Sequence[str] = (),
    queries: Sequence[int] = (),
    top_k: Sequence[int] = (),
) -> tuple[Variant, ...]:
    """Every combination of what was asked for; what was not is as the profile says.

    A variant is named by its mode and, of the rest, by what more than one value was asked for. Raises Refused for a
    method that needs a model where the profile names none.
    """
    choices: dict[str, Sequence[Any]] = {"method": methods, "localizer": localizers, "queries": queries, "top_k": top_k}
    asked = {name: tuple(dict.fromkeys(values)) for name, values in choices.items() if values}
    found = []
    for mode in dict.fromkeys(modes):
        for values in itertools.product(*asked.values()):
            chosen = dict(zip(asked, values, strict=True))
            settings = profile.rag.model_copy(update=chosen)
            if settings.method != "quote" and settings.model is None:
                raise Refused(
                    f"method {settings.method} needs a model, and the profile names none (rag: model:): name another "
                    "with --profile, or leave --method at quote"
                )
            parts = [mode, *(f"{_SHORT[k]}{v}" for k, v in chosen.items() if len(asked[k]) > 1)]
            found.append(Variant("-".join(parts), mode, profile.model_copy(update={"rag": settings})))
    return tuple(found)


_SHORT = {"method": "", "localizer": "", "queries": "N", "top_k": "K"}


def shallow(plan: Plan, variant: Variant) -> tuple[str, ...]:
    """That a variant ranks fewer documents than a figure of its task looks at, though there are more; else nothing."""
    if not isinstance(plan.task, Deep) or plan.foreign is not None:
        return ()
    figure, depth = plan.task.DEEPEST
    ranked, total = max(variant.profile.rag.top_k, LEAST_PAGES), len(plan.gold.files)
    if ranked >= min(depth, total):
        return ()
    known = f"only {ranked} of {total:,} documents are ranked: --top-k {depth} for the figure itself"
    return (f"{variant.name}: {figure} is a lower bound, as {known}",)


def default_modes(profile: Profile) -> tuple[Mode, ...]:
    """The mode of the profile, where auto is all that it indexes."""
    if profile.rag.mode != "auto":
        return (profile.rag.mode,)
    return ("text",) if profile.indexing.visual == "none" else ("multi",)


def folders(out: Path, variants: Sequence[Variant]) -> dict[str, Place]:
    """A run folder: `out` itself for a single variant, one inside it for each of several."""
    return {v.name: place(out / v.name if len(variants) > 1 else out) for v in variants}


def place(folder: Path) -> Place:
    """The files of a run folder."""
    results = ("predictions.jsonl", "summary.json", "scores.jsonl")
    more = ("judgements.jsonl", "choices.jsonl", "fluency.json", "outputs.jsonl")
    return Place(*(folder / name for name in (*results, *more)))
