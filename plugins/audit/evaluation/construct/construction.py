"""Construction of hallucinated references: works of a BibTeX file, each printed as it is and with something wrong.

`references.jsonl` has a line a citation: `citation` is the text, `real` is False where it was made wrong; then
`error_type` is "title", "authors", "metadata" or "compound", and `changes` names every field with its values before and
after. `id` of a wrong one is that of its true one with `-wrong`. The shares follow CiteAudit: 40% title, 40% authors,
20% metadata; one in ten of all is wrong in a second group as well, which is "compound".
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from pydantic import Field

from evaluation import ConstructedRows, RunRefused
from plugins.audit.auditing.judge import letters_of
from plugins.audit.evaluation.construct.printing import printed, text_of
from plugins.audit.evaluation.construct.styles import STYLES
from plugins.audit.evaluation.construct.taxonomy import RULES, SHARES, ErrorGroup, FieldChange, Wrong
from plugins.audit.evaluation.construct.works import Work, read_works
from rag import ModelError
from rag.llm import ChatModel, Form, Message, complete_as, fenced, load_prompt

COMPOUND = 0.1
"""The share of references that are wrong in two groups."""
LEAST_WORKS = 3
BY_MODEL = 2 / 3
"""The share of wrong titles that a model writes, where there is one: two of the three kinds of the taxonomy."""
REFERENCES_FILE = "references.jsonl"
_REPLY_TOKENS, _MOST_TITLE = 200, 300
_PROMPTS = {
    "paraphrase": load_prompt("plugins.audit:construct_title_paraphrase", "title"),
    "topic synthesis": load_prompt("plugins.audit:construct_title_topic", "title"),
}
"""What a model is asked for a title of the same meaning, and for a new one on the same topic."""


class _Title(Form):
    title: str = Field(max_length=_MOST_TITLE)


@dataclass(frozen=True, slots=True)
class ReferenceRecipe:
    """The order for a run: `count` wrong references at most, one a work, in a style of `STYLES`."""

    bib: Path
    style: str = "neurips"
    count: int = 500
    seed: int = 0


def construct(model: ChatModel | None, out: Path, recipe: ReferenceRecipe) -> ConstructedRows:
    """Make the references and write them to `out`; equal seeds and replies give equal files.

    Without a model, wrong titles are substitutions of keywords only. Raises RunRefused for a file with fewer than three
    works that have authors and a year, and GoldUnreadable for one that cannot be read.
    """
    works = [work for work in read_works(recipe.bib) if work.authors and work.year]
    if len(works) < LEAST_WORKS:
        raise RunRefused(
            f"{recipe.bib.name} has {len(works)} works with title, authors and year, and at least three are "
            "needed, because errors are drawn from the other works: give a larger BibTeX file"
        )
    rng, made = Random(recipe.seed), ConstructedRows()  # noqa: S311  no secret
    chosen = rng.sample(works, min(recipe.count, len(works)))
    try:
        for number, (work, group) in enumerate(zip(chosen, _groups(len(chosen), rng), strict=True), 1):
            _add(made, (work, works, number), group, (model, rng, recipe))
    except KeyboardInterrupt:
        made.skipped["stopped by Ctrl-C"] += 1
    out.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(row, ensure_ascii=False) for row in made.rows)
    (out / REFERENCES_FILE).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return made


def _groups(count: int, rng: Random) -> list[ErrorGroup]:
    """Return a group for each reference, in the shares of the taxonomy, in an order by chance."""
    wanted: list[ErrorGroup] = []
    for group, share in SHARES.items():
        wanted += [group] * round(share * count)
    wanted = (wanted + ["title"] * count)[:count]
    rng.shuffle(wanted)
    return wanted


def _add(
    made: ConstructedRows,
    drawn: tuple[Work, Sequence[Work], int],
    group: ErrorGroup,
    means: tuple[ChatModel | None, Random, ReferenceRecipe],
) -> None:
    """Add the true and the wrong line of a work; count the work as left out where nothing can be made wrong."""
    work, works, number = drawn
    model, rng, recipe = means
    style = STYLES[recipe.style]
    changed, changes = work, list[FieldChange]()
    groups: list[ErrorGroup] = [group]
    if rng.random() < COMPOUND:
        groups.append(rng.choice([other for other in SHARES if other != group]))

    def shown(work: Work) -> str:
        return text_of(printed(work, style, number))

    for each in groups:
        found = _wrong(changed, works, each, (model, rng, made, shown))
        if found:
            changed, change = found
            changes.append(change)
    true, text = shown(work), shown(changed)
    if not changes or text == true:
        made.skipped[f"its {group} cannot be changed in a way that the style would show"] += 1
        return
    kind = "compound" if len(changes) > 1 else group
    base = {"source_type": "constructed", "style": recipe.style, "key": work.key}
    told: dict[str, Any] = {"error_type": kind, "changes": [asdict(change) for change in changes]}
    made.rows.append({"id": f"{number}", "citation": true, "real": True, **base})
    made.rows.append({"id": f"{number}-wrong", "citation": text, "real": False, **base, **told})


def _wrong(
    work: Work,
    works: Sequence[Work],
    group: ErrorGroup,
    means: tuple[ChatModel | None, Random, ConstructedRows, Callable[[Work], str]],
) -> Wrong | None:
    """Return the work with an error of the group; rules are tried by chance until the style shows one."""
    model, rng, made, shown = means
    before = shown(work)
    if (
        group == "title"
        and model is not None
        and rng.random() < BY_MODEL
        and (found := reworded(work, model, rng, made))
    ):
        return found
    rules = list(RULES[group])
    rng.shuffle(rules)
    drawn = (rule(work, works, rng) for rule in rules)
    return next((found for found in drawn if found and shown(found[0]) != before), None)


def reworded(work: Work, model: ChatModel, rng: Random, made: ConstructedRows) -> Wrong | None:
    """Return the work with a title by the model; None where its reply cannot be used or is the title itself.

    Replies that failed are counted in `made`. Raises the errors of `HOPELESS`.
    """
    error = rng.choice(sorted(_PROMPTS))
    prompt = _PROMPTS[error].filled(title=fenced(work.title))
    try:
        reply, _ = complete_as(model, [Message("user", (prompt,))], _Title, _REPLY_TOKENS)
    except ModelError as failed:
        made.skip(failed)
        return None
    title = " ".join(reply.title.split()).rstrip(".")
    if not title or letters_of(title) == letters_of(work.title):
        return None
    return replace(work, title=title), FieldChange("title", work.title, title, error)
