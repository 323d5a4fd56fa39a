"""`vouch eval construct`: benchmark data made from documents or a bibliography of your own, by a model or by rules."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from evaluation.arguments import positive, share
from evaluation.construct import citevqa as construct_citevqa
from evaluation.construct import mavis as construct_mavis
from evaluation.construct import mcitebench as construct_mcitebench
from evaluation.construct import references as construct_references
from evaluation.construct import sft
from evaluation.construct import visa as construct_visa
from evaluation.construct.made import ConstructedRows
from evaluation.errors import RunRefused
from evaluation.harness import model_of
from evaluation.tasks import visa
from indexing import Collection
from rag import Profile, load_profile
from rag.llm import ChatModel

RECIPE = construct_visa.Recipe()
ATTEMPTS = construct_mavis.PostRecipe().attempts
CITED_ITEMS = 5
"""The items of a question of MCiteBench."""
COLLECTED = ("visa", "citevqa", "mavis", "mcitebench")
"""The forms that are made from a collection, by the model of a profile."""
OWN = {
    "collection": COLLECTED,
    "home": COLLECTED,
    "bib": ("references",),
    "style": ("references",),
    "sft": ("visa", "citevqa"),
    "candidates": ("visa",),
    "cropped": ("visa",),
    "examples": ("citevqa",),
    "posts": ("mavis",),
    "attempts": ("mavis",),
    "answerers": ("mavis",),
    "reviews": ("mcitebench",),
    "items": ("mcitebench",),
    "confirmed": ("mcitebench",),
}
"""The forms that an option belongs to, where these are not all."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = parser.add_argument
    add(
        "form",
        choices=(*COLLECTED, "references"),
        help="the format of the data: visa (a page, a box and a short answer), citevqa (elements of documents), "
        "mavis (posts of a community, with answers that documents prove), mcitebench (papers with their "
        "reviews: a question and items of the same paper) or references (works of a BibTeX file, correct and "
        "with errors introduced)",
    )
    add("--collection", metavar="NAME", help="the collection that holds the documents (all formats but references)")
    add(
        "--profile",
        metavar="P",
        help="the profile, which names the model that writes the questions; references: leave it out to make "
        "wrong titles by rules alone",
    )
    add("--out", type=Path, required=True, metavar="DIR", help="the folder for the data")
    add("--count", type=positive, default=RECIPE.count, metavar="N", help="the most questions (default: %(default)s)")
    add("--seed", type=int, default=0, help="the random seed (default: %(default)s)")
    add("--home", type=Path, metavar="DIR", help="the folder of the collections")
    add(
        "--sft",
        metavar="FILE",
        type=Path,
        help="visa, citevqa: also write conversations for supervised fine-tuning to this file",
    )
    add(
        "--examples",
        metavar="FILE",
        type=Path,
        help='citevqa: derive the question templates from these examples, lines of {"question": ...}',
    )
    _add_visa(parser)
    _add_mavis(parser)
    _add_mcitebench(parser)
    _add_references(parser)


def _add_visa(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--candidates",
        type=positive,
        metavar="M",
        help=f"visa: the number of pages per question (default: {RECIPE.candidates})",
    )
    add(
        "--cropped",
        type=share,
        metavar="P",
        help=f"visa: the share of questions whose pages are cropped (default: {RECIPE.cropped}; "
        "0 for training that crops anew in every epoch)",
    )


def _add_mavis(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--posts",
        metavar="FILE",
        type=Path,
        help="mavis: the posts, one JSON object per line: title, selftext, image (or url: a file in the same "
        "folder), comments with body and score",
    )
    add(
        "--attempts",
        type=positive,
        metavar="N",
        help="mavis: how often models answer without the picture; one answer that agrees with the forum's drops the "
        f"post (default: {ATTEMPTS})",
    )
    add(
        "--answerers",
        nargs="+",
        metavar="P",
        help="mavis: the profiles whose models answer without the picture, in turn: the paper has four "
        "(default: that of --profile)",
    )


def _add_mcitebench(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--reviews",
        metavar="DIR",
        type=Path,
        help="mcitebench: the folder with the reviews and rebuttals as exported from OpenReview, NAME.json for "
        "NAME.pdf",
    )
    add(
        "--items",
        type=positive,
        metavar="N",
        help="mcitebench: the number of items, evidence and distractors, per question (default: 5)",
    )
    add(
        "--confirmed",
        action="store_true",
        help="mcitebench: write only questions whose pairs people have all confirmed with `vouch confirm DIR`",
    )


def _add_references(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--bib", metavar="FILE", type=Path, help="references: the BibTeX file with the real works")
    add(
        "--style",
        choices=tuple(construct_references.STYLES),
        help="references: the style of the citations (default: neurips)",
    )


def construct(asked: argparse.Namespace) -> int:
    """Make the data; print what was made and what was left out, by reason; 1 when nothing could be made.

    Raises RunRefused for options of another form, and where what a form is made of is not named.
    """
    _check(asked)
    if asked.form == "references":
        return _told(asked, _references(asked), "citations")
    profile = load_profile(asked.profile)
    model = model_of(asked.profile, profile)
    with Collection.open(asked.collection, asked.home, profile.indexing) as collection:
        made = {"visa": _visa, "citevqa": _citevqa, "mavis": _mavis, "mcitebench": _mcitebench}[asked.form](
            asked, collection, model, profile
        )
    return _told(asked, made, "questions")


def _told(asked: argparse.Namespace, made: ConstructedRows, what: str) -> int:
    """Print what was made and what was left out, by reason; return 1 when nothing was made."""
    print(f"{len(made.rows)} {what}: {asked.out}")
    if asked.form == "mcitebench" and made.rows:
        print(f"to confirm their evidence, run vouch confirm {asked.out}, then the same command again with --confirmed")
    for reason, count in made.skipped.most_common():
        print(f"left out, {reason}: {count}", file=sys.stderr)
    return 0 if made.rows else 1


def _check(asked: argparse.Namespace) -> None:
    """Raise RunRefused for an option of another form, and where what a form is made of is not named."""
    for name, forms in OWN.items():
        if getattr(asked, name) not in (None, False) and asked.form not in forms:
            raise RunRefused(f"--{name} belongs to format {' or '.join(forms)}, not to {asked.form}: leave it out")
    if asked.form in COLLECTED and not (asked.collection and asked.profile):
        raise RunRefused(f"format {asked.form} is made from documents by a model: give --collection and --profile")
    if asked.form == "references" and asked.bib is None:
        raise RunRefused("format references is made from a BibTeX file: give it with --bib")
    if asked.form == "mavis" and asked.posts is None:
        raise RunRefused("format mavis is made from your own posts: give their file with --posts")
    if asked.form == "mcitebench" and asked.reviews is None:
        raise RunRefused("format mcitebench needs the reviews of the papers: give their folder with --reviews")


def _visa(asked: argparse.Namespace, collection: Collection, model: ChatModel, profile: Profile) -> ConstructedRows:
    candidates = asked.candidates or RECIPE.candidates
    cropped = RECIPE.cropped if asked.cropped is None else asked.cropped
    recipe = replace(RECIPE, count=asked.count, candidates=candidates, cropped=cropped, seed=asked.seed)
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
    recipe = construct_mavis.PostRecipe(asked.count, asked.attempts or ATTEMPTS, asked.seed)
    return construct_mavis.construct(collection, model, answerers or [model], asked.posts, asked.out, recipe)


def _mcitebench(asked: argparse.Namespace, collection: Collection, model: ChatModel, _: Profile) -> ConstructedRows:
    recipe = construct_mcitebench.CiteRecipe(
        asked.reviews, asked.count, asked.items or CITED_ITEMS, asked.seed, asked.confirmed
    )
    return construct_mcitebench.construct(collection, model, asked.out, recipe)


def _references(asked: argparse.Namespace) -> ConstructedRows:
    model = model_of(asked.profile, load_profile(asked.profile)) if asked.profile else None
    recipe = construct_references.ReferenceRecipe(asked.bib, asked.style or "neurips", asked.count, asked.seed)
    return construct_references.construct(model, asked.out, recipe)
