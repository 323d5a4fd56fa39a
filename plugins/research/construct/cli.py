"""`vouch eval construct FORMAT`: benchmark data made from your own documents by the model of a profile."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from evaluation import ConstructedRows, positive
from evaluation.harness import model_of
from evaluation.tasks import visa
from indexing import Collection
from plugins.research.arguments import share
from plugins.research.construct import citevqa as construct_citevqa
from plugins.research.construct import mavis as construct_mavis
from plugins.research.construct import mcitebench as construct_mcitebench
from plugins.research.construct import sft
from plugins.research.construct import visa as construct_visa
from rag import Profile, load_profile
from rag.llm import ChatModel

RECIPE = construct_visa.Recipe()
ATTEMPTS = construct_mavis.PostRecipe().attempts
CITED_ITEMS = 5
"""The items of a question of MCiteBench."""
Make = Callable[[argparse.Namespace, Collection, ChatModel, Profile], ConstructedRows]


def add_visa_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `vouch eval construct visa`."""
    _add_common(parser)
    _add_sft(parser)
    add = parser.add_argument
    add("--candidates", type=positive, metavar="M", default=RECIPE.candidates, help="the number of pages per question")
    add("--cropped", type=share, metavar="P", default=RECIPE.cropped, help="the share of questions whose pages are "
        "cropped (0 for training that crops anew in every epoch)")  # fmt: skip


def add_citevqa_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `vouch eval construct citevqa`."""
    _add_common(parser)
    _add_sft(parser)
    parser.add_argument("--examples", metavar="FILE", type=Path, help="derive the question templates from these "
                        'examples, lines of {"question": ...}')  # fmt: skip


def add_mavis_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `vouch eval construct mavis`."""
    _add_common(parser)
    add = parser.add_argument
    add("--posts", metavar="FILE", type=Path, required=True, help="your own posts, one JSON object per line: title, "
        "selftext, image (or url: a file in the same folder), comments with body and score")  # fmt: skip
    add("--attempts", type=positive, metavar="N", default=ATTEMPTS, help="how often models answer without the "
        "picture; one answer that agrees with the forum's drops the post")  # fmt: skip
    add("--answerers", nargs="+", metavar="P", help="the profiles whose models answer without the picture, in turn: "
        "the paper has four (default: that of --profile)")  # fmt: skip


def add_mcitebench_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `vouch eval construct mcitebench`."""
    _add_common(parser)
    add = parser.add_argument
    add("--reviews", metavar="DIR", type=Path, required=True, help="the folder with the reviews and rebuttals as "
        "exported from OpenReview, NAME.json for NAME.pdf")  # fmt: skip
    add("--items", type=positive, metavar="N", default=CITED_ITEMS, help="the number of items, evidence and "
        "distractors, per question")  # fmt: skip
    add("--confirmed", action="store_true", help="write only questions whose pairs people have all decided on, in "
        "DIR/decisions.json (docs/evaluation.md)")  # fmt: skip


def _add_common(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--collection", required=True, metavar="NAME", help="the collection that holds the documents")
    add("--profile", required=True, metavar="P", help="the profile, which names the model that writes the questions")
    add("--out", type=Path, required=True, metavar="DIR", help="the folder for the data")
    add("--count", type=positive, default=RECIPE.count, metavar="N", help="the most questions")
    add("--seed", type=int, default=0, help="the random seed")
    add("--home", type=Path, metavar="DIR", help="the folder of the collections")


def _add_sft(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sft", metavar="FILE", type=Path, help="also write conversations for fine-tuning to this file"
    )


def visa_data(asked: argparse.Namespace) -> int:
    """Make VISA data: a page, a box and a short answer for each question."""
    return _made(asked, _visa)


def citevqa_data(asked: argparse.Namespace) -> int:
    """Make CiteVQA data: elements of one or several documents for each question."""
    return _made(asked, _citevqa)


def mavis_data(asked: argparse.Namespace) -> int:
    """Make MAVIS data: posts of a community, with answers that documents prove."""
    return _made(asked, _mavis)


def mcitebench_data(asked: argparse.Namespace) -> int:
    """Make MCiteBench data: papers with their reviews, a question and items of the same paper."""
    code = _made(asked, _mcitebench)
    if code == 0:
        print(f"--confirmed takes the decisions of people from {asked.out}/decisions.json (docs/evaluation.md)")
    return code


def _made(asked: argparse.Namespace, make: Make) -> int:
    """Make the data; print what was made and what was left out, by reason; return 1 when nothing could be made."""
    profile = load_profile(asked.profile)
    model = model_of(asked.profile, profile)
    with Collection.open(asked.collection, asked.home, profile.indexing) as collection:
        made = make(asked, collection, model, profile)
    return made.report("questions", asked.out)


def _visa(asked: argparse.Namespace, collection: Collection, model: ChatModel, profile: Profile) -> ConstructedRows:
    recipe = replace(RECIPE, count=asked.count, candidates=asked.candidates, cropped=asked.cropped, seed=asked.seed)
    made = construct_visa.construct(collection, model, asked.out, recipe)
    if asked.sft and made.rows and profile.rag.model is not None:
        gold = visa.load(asked.out, None, asked.out, None)
        print(f"{sft.export(gold, asked.sft, profile.rag.model)} conversations: {asked.sft}")
    return made


def _citevqa(asked: argparse.Namespace, collection: Collection, model: ChatModel, _: Profile) -> ConstructedRows:
    recipe = construct_citevqa.PackageRecipe(asked.count, asked.seed)
    if asked.examples:
        examples = construct_citevqa.read_examples(asked.examples)
        recipe = replace(recipe, templates=construct_citevqa.distilled(model, examples))
    made = construct_citevqa.construct(collection, model, asked.out, recipe)
    if asked.sft and made.rows:
        print(f"{construct_citevqa.export(made.rows, collection, asked.sft)} conversations: {asked.sft}")
    return made


def _mavis(asked: argparse.Namespace, collection: Collection, model: ChatModel, _: Profile) -> ConstructedRows:
    answerers = [model_of(name, load_profile(name)) for name in asked.answerers or ()]
    recipe = construct_mavis.PostRecipe(asked.count, asked.attempts, asked.seed)
    return construct_mavis.construct(collection, model, answerers or [model], asked.posts, asked.out, recipe)


def _mcitebench(asked: argparse.Namespace, collection: Collection, model: ChatModel, _: Profile) -> ConstructedRows:
    recipe = construct_mcitebench.CiteRecipe(asked.reviews, asked.count, asked.items, asked.seed, asked.confirmed)
    return construct_mcitebench.construct(collection, model, asked.out, recipe)
