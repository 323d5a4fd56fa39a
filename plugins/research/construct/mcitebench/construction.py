"""MCiteBench from papers of your own (Hu et al. 2025, arXiv 2503.02589, section 3): two questions in three explain.

A model reads answers of authors to their reviews and makes triples of question, answer and evidence; code ties each
place that is named to a part of the paper. One question in three is made from a part itself, with four options. A model
labels all of them, distractors come from the same paper, and people decide on the ties (`decisions.json`).
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation import ConstructedRows, GoldUnreadable, RunRefused, say
from indexing import Collection, IndexingError, crop
from plugins.research.construct.mcitebench import pairs
from plugins.research.construct.mcitebench.paper import KINDS, Paper, PaperPart, read_paper
from plugins.research.construct.mcitebench.questions import (
    as_written,
    locating,
    quality,
    triples,
    unfit,
    unusable,
    with_options,
)
from plugins.research.construct.mcitebench.references import MOST_CHOICES, PlaceKind, PlaceReference, Tie, tied
from plugins.research.construct.mcitebench.replies import KeptReplies
from plugins.research.construct.mcitebench.reviews import Exchange, read_exchanges
from plugins.research.construct.mcitebench.rows import TiedQuestion, distractors, row_of
from rag import ModelError
from rag.llm import ChatModel

if TYPE_CHECKING:
    from PIL import Image

DRAWN_WIDTH = 1400
"""The width of the pages, in pixels, out of which figures and tables are cut."""
MARGIN = 6
"""The pixels that are left around a figure or table."""
LOCATING = 3
"""The number of questions of which one is a locating one: 1,000 of 3,000 in the paper."""


@dataclass(frozen=True, slots=True)
class CiteRecipe:
    """The numbers of the data: questions, items a question (evidence and distractors), the seed of what is drawn.

    With `confirmed`, only questions come out whose pairs people have all decided on.
    """

    reviews: Path
    count: int = 100
    items: int = 5
    seed: int = 0
    confirmed: bool = False


@dataclass(slots=True)
class _Making:
    """The state of a construction: what it draws on, and what it has made so far."""

    collection: Collection
    replies: KeptReplies
    recipe: CiteRecipe
    picture: Callable[[PaperPart], Image.Image]
    made: ConstructedRows = field(default_factory=ConstructedRows)
    questions: list[TiedQuestion] = field(default_factory=list)


def construct(collection: Collection, model: ChatModel, out: Path, recipe: CiteRecipe) -> ConstructedRows:
    """Write `data.jsonl`, `visual_resources/` and the pairs for people into `out`: what was made, however it ends.

    The same collection, model and recipe give the same data, without asking again. Raises RunRefused where no document
    has reviews, the errors of `HOPELESS`, IndexingError.
    """
    out.mkdir(parents=True, exist_ok=True)
    decisions = pairs.read_decisions(out)
    papers = {document.id: read_paper(collection, document) for document in collection.documents()}
    making = _Making(collection, KeptReplies(model, out), recipe, _pictures(collection, papers))
    exchanges = _exchanges(papers, making)
    try:
        located = recipe.count // LOCATING
        _take(_explanations(exchanges, making), recipe.count - located, making)
        _take(_locatings(list(papers.values()), making), located, making)
    finally:
        print(file=sys.stderr)  # the end of the line that tells the progress
        for question in making.questions:
            _finish(question, decisions, making, out)
        pairs.replaced(
            out / "data.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in making.made.rows)
        )
        undrawn = pairs.write_pairs(making.questions, collection, out)
        making.made.skipped.update({"a page cannot be drawn": undrawn} if undrawn else {})
    return making.made


def _pictures(collection: Collection, papers: dict[str, Paper]) -> Callable[[PaperPart], Image.Image]:
    """Return what cuts a part out of its page; the last pages are kept."""
    owners = {part.id: doc_id for doc_id, paper in papers.items() for part in paper.parts}
    drawn = lru_cache(maxsize=4)(lambda doc_id, page: collection.draw_page(doc_id, page, DRAWN_WIDTH))
    return lambda part: crop(drawn(owners[part.id], part.page), part.bbox, MARGIN)


def _exchanges(papers: dict[str, Paper], making: _Making) -> list[tuple[Paper, Exchange]]:
    """Return the answers of the authors of all papers, in an order by chance; a file that is broken is named."""
    found: list[tuple[Paper, Exchange]] = []
    for paper in papers.values():
        file = making.recipe.reviews / f"{Path(paper.document.name).stem}.json"
        try:
            told = read_exchanges(file)
        except GoldUnreadable as error:
            print(f"left out: {error}", file=sys.stderr)
            making.made.skipped["the reviews of a paper cannot be read"] += 1
            continue
        making.made.skipped.update({} if told else {"a paper without an answer to a review": 1})
        found += [(paper, exchange) for exchange in told]
    if not found:
        raise RunRefused(
            f"{making.recipe.reviews}: contains no reviews of these documents with answers of the authors: "
            "for a paper NAME.pdf, put the notes of its forum into NAME.json"
        )
    return random.Random(making.recipe.seed).sample(found, len(found))  # noqa: S311  not a secret


def _take(proposed: Iterator[TiedQuestion], count: int, making: _Making) -> None:
    """Keep the first `count` of these questions whose labels are not low and for which there are distractors."""
    before, taken = len(making.questions), {question.id for question in making.questions}
    while len(making.questions) - before < count:
        say("questions", len(making.questions), making.recipe.count)
        question = next(proposed, None)
        if question is None:
            return
        if question.id in taken:
            making.made.skipped["it was made before"] += 1
            continue
        evidence = question.evidence.values()
        if _others(question, making) is None:
            making.made.skipped["the paper has too few parts for distractors"] += 1
            continue
        seen = [part for part in evidence if part.kind != "text"][: making.replies.images]
        try:
            labels = quality(
                making.replies,
                (question.question, question.answer),
                list(evidence),
                [making.picture(part) for part in seen],
            )
        except ModelError as error:
            making.made.skip(error)
            continue
        except IndexingError:
            making.made.skipped["a page cannot be drawn"] += 1
            continue
        if labels.lowest:
            making.made.skipped[f"a model finds little {labels.lowest}"] += 1
            continue
        making.questions.append(replace(question, labels=labels))
        taken.add(question.id)


def _explanations(exchanges: list[tuple[Paper, Exchange]], making: _Making) -> Iterator[TiedQuestion]:
    for paper, exchange in exchanges:
        try:
            proposed = triples(making.replies, exchange)
        except ModelError as error:
            making.made.skip(error)
            continue
        for triple in proposed:
            reason = unfit(triple, exchange)
            said = f"{triple.question} {triple.answer}"
            ties = [] if reason else [tied(reference, paper, said) for reference in as_written(triple, exchange)]
            whole = tuple(tie for tie in ties if tie is not None)
            if reason or len(whole) < len(ties):
                making.made.skipped[reason or "a reference leads to no part of the paper"] += 1
                continue
            yield TiedQuestion("explanation", triple.question.strip(), triple.answer.strip(), paper, whole)


def _locatings(papers: list[Paper], making: _Making) -> Iterator[TiedQuestion]:
    """Yield locating questions about paragraphs, figures and tables in turn, each from a paper by chance."""
    dice = random.Random(f"{making.recipe.seed} locating")  # noqa: S311  not a secret
    parts = [(paper, part) for paper in papers for part in paper.parts]
    dice.shuffle(parts)
    kinds = [[pair for pair in parts if pair[1].kind == kind] for kind in dict.fromkeys(KINDS.values())]
    for pair in (pair for turn in zip_longest(*kinds) for pair in turn if pair is not None):
        paper, part = pair
        if part.kind == "figure" and not making.replies.images:
            making.made.skipped["a figure, and the model sees none"] += 1
            continue
        try:
            picture = making.picture(part) if part.kind != "text" and making.replies.images else None
            asked = locating(making.replies, part, picture)
        except ModelError as error:
            making.made.skip(error)
            continue
        except IndexingError:
            making.made.skipped["a page cannot be drawn"] += 1
            continue
        if reason := unusable(asked):
            making.made.skipped[reason] += 1
            continue
        question, answer = with_options(asked, random.Random(f"{making.recipe.seed} {part.id}"))  # noqa: S311
        yield TiedQuestion("locating", question, answer, paper, (_own_tie(part, paper),))


def _own_tie(part: PaperPart, paper: Paper) -> Tie:
    """Return the tie of a question that was made from a part; the parts of its page may be chosen instead."""
    kind, _, number = part.name.lower().partition(" ")
    place: PlaceKind = "figure" if kind == "figure" else "table"
    if not part.name:
        place, number = ("section", part.section) if part.section else ("page", str(part.page))
    written = part.name or f"a {'paragraph' if part.kind == 'text' else part.kind} on page {part.page}"
    near = [other for other in paper.parts if other.page == part.page and other is not part]
    return Tie(PlaceReference(place, number, "", written), part, (part, *near)[:MOST_CHOICES], frozenset({part.id}))


def _others(question: TiedQuestion, making: _Making) -> tuple[PaperPart, ...] | None:
    """Return the distractors of a question; those of a question do not depend on which others there are."""
    evidence = list(question.evidence.values())
    near = {part.id for part in evidence}.union(*(tie.place for tie in question.ties))
    dice = random.Random(f"{making.recipe.seed} {question.id}")  # noqa: S311  not a secret
    wanted = making.recipe.items - len(evidence)
    return distractors(question.paper.parts, evidence, near, wanted, dice) if wanted > 0 else None


def _finish(question: TiedQuestion, decisions: pairs.Decisions, making: _Making, out: Path) -> None:
    """Add the row of a question as people left it."""
    left, confirmed = pairs.decided(question, decisions)
    if left is None:
        making.made.skipped["people dropped it"] += 1
        return
    if making.recipe.confirmed and not confirmed:
        making.made.skipped["people have not confirmed it yet"] += 1
        return
    others = _others(left, making)
    if others is None:
        making.made.skipped["the paper has too few parts for distractors"] += 1
        return
    with suppress(IndexingError):  # counted where its pairs are drawn
        making.made.rows.append(row_of(left, others, making.picture, out, confirmed=confirmed))
