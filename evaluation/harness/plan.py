"""The plan of a run: the task, the data, the variants, and the places of the results."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.errors import RunRefused
from evaluation.harness.given import RETRIEVED
from evaluation.tasks import Gold, Task
from indexing import Home
from indexing.search import LEAST_PAGES
from rag import Mode, Profile, RagSettings


@dataclass(frozen=True, slots=True)
class Variant:
    """A way of answering: a mode of search, and the profile with the settings that the command line changes.

    `given` is the evidence that a model is shown, `base` the documents that are searched (`evaluation.harness.given`);
    `texts` is the number of texts that are added to the images of a base. With `inline` a model writes boxes itself.
    """

    name: str
    mode: Mode
    profile: Profile
    given: str = RETRIEVED
    base: str = "multi"
    texts: int = 0
    inline: bool = False


@dataclass(frozen=True, slots=True)
class RunFiles:
    """The paths of a run's files; `outputs` is written only by tasks that have a format for other systems."""

    predictions: Path
    summary: Path
    scores: Path
    judgements: Path
    outputs: Path


@dataclass(frozen=True, slots=True)
class Plan:
    """A run: every question of `gold` in every variant, judged by `judges` (profiles by name)."""

    task: Task
    gold: Gold
    source: Path
    profile_name: str
    variants: tuple[Variant, ...]
    places: Mapping[str, RunFiles]
    scope: str
    home: Home | None
    collection: str
    limit: int | None = None
    parallel: int | None = None
    resume: bool = False
    judges: Mapping[str, Profile] | None = None
    foreign: Path | None = None
    by: tuple[str, ...] = ()
    markdown: bool = False


def variants_of(
    profile: Profile, modes: Sequence[Mode], sweep: Mapping[str, Sequence[Any]] | None = None, items: Sequence[str] = ()
) -> tuple[Variant, ...]:
    """Return a variant for every combination of modes and values of `sweep`; other settings are the profile's.

    `sweep` has values of `method`, `localizer`, `queries` and `top_k`, which are settings; of `resolution`, in pixels;
    of `source`, `base`, `texts` (see `Variant`). A variant's name has its mode and the values of settings that vary.
    `items` are inputs that only method vanilla takes; the first of them is its default. Raises RunRefused for a method
    that needs a model if the profile names none, and for an input that the method does not take.
    """
    grid = {name: tuple(dict.fromkeys(values)) for name, values in (sweep or {}).items() if values}
    variants = []
    for mode in dict.fromkeys(modes):
        for values in itertools.product(*grid.values()):
            point = dict(zip(grid, values, strict=True))
            updates = {name: value for name, value in point.items() if name in RagSettings.model_fields}
            if (side := point.get("resolution")) is not None:
                sizes = {"picture_side": side, "page_width": side, "page_side": side}
                updates["writing"] = profile.rag.writing.model_copy(update=sizes)
            settings = profile.rag.model_copy(update=updates)
            if settings.method != "quote" and settings.model is None:
                raise RunRefused(
                    f"method {settings.method} needs a model, and the profile names none (rag.model): give "
                    "another profile with --profile, or use --method quote"
                )
            default = items[0] if items and settings.method == "vanilla" else RETRIEVED
            source, base = point.get("given", default), point.get("base", "multi")
            if source in items and settings.method != "vanilla":
                raise RunRefused(
                    f"--input {source} works only with method vanilla: use that method, or --input {RETRIEVED}"
                )
            if source != RETRIEVED and settings.method == "quote":
                raise RunRefused(
                    f"--input {source} works only with a model that writes: use --method vanilla, cot or visa"
                )
            texts = point.get("texts", 0)
            if texts and base != "image":
                raise RunRefused(f"--texts {texts} adds texts to images: use it with --base image")
            parts = [mode, *(f"{_SHORT[k]}{v}" for k, v in point.items() if len(grid[k]) > 1)]
            variants.append(
                Variant("-".join(parts), mode, profile.model_copy(update={"rag": settings}), source, base, texts)
            )
    return tuple(variants)


_SHORT = {
    "method": "",
    "localizer": "",
    "queries": "N",
    "top_k": "K",
    "resolution": "px",
    "given": "",
    "base": "base-",
    "texts": "texts",
}


def depth_note(plan: Plan, variant: Variant) -> tuple[str, ...]:
    """Return a note if a variant ranks fewer documents than a metric of its task needs (`DEEPEST`), else ()."""
    deepest = getattr(plan.task, "DEEPEST", None)
    if deepest is None or plan.foreign is not None or variant.given != RETRIEVED:
        return ()
    figure, depth = deepest
    n_ranked, total = max(variant.profile.rag.top_k, LEAST_PAGES), len(plan.gold.files)
    if n_ranked >= min(depth, total):
        return ()
    note = f"only {n_ranked} of {total:,} documents are ranked: use --top-k {depth} for the exact figure"
    return (f"{variant.name}: {figure} is a lower bound, as {note}",)


def default_modes(profile: Profile) -> tuple[Mode, ...]:
    """Return the profile's mode; for `auto`, `text` without a visual embedder, else `multi`."""
    if profile.rag.mode != "auto":
        return (profile.rag.mode,)
    return ("text",) if profile.indexing.visual == "none" else ("multi",)


def folders(out: Path, variants: Sequence[Variant]) -> dict[str, RunFiles]:
    """Return the files of each variant by its name: in `out` for a single variant, else in a folder in `out`."""
    return {v.name: run_files(out / v.name if len(variants) > 1 else out) for v in variants}


def run_files(folder: Path) -> RunFiles:
    """Return the paths of the files in a run folder."""
    names = ("predictions.jsonl", "summary.json", "scores.jsonl", "judgements.jsonl", "outputs.jsonl")
    return RunFiles(*(folder / name for name in names))
