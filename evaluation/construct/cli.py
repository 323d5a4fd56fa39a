"""`vouch eval construct`: benchmark data made from a collection of your own by the model of a profile."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from evaluation.arguments import positive
from evaluation.construct import citevqa as construct_citevqa
from evaluation.construct import sft
from evaluation.construct import visa as construct_visa
from evaluation.errors import RunRefused
from evaluation.harness import model_of
from evaluation.tasks import visa
from indexing import Collection
from rag import load_profile

RECIPE = construct_visa.Recipe()


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = parser.add_argument
    add(
        "form",
        choices=("visa", "citevqa"),
        help="the form of the data: visa (a page, a box and a short answer) or citevqa (elements of several documents)",
    )
    add("--collection", required=True, metavar="NAME", help="the collection that holds the documents")
    add("--profile", required=True, metavar="P", help="the settings, which name the model that writes the questions")
    add("--out", type=Path, required=True, metavar="DIR", help="the folder that gets the data")
    add("--count", type=positive, default=RECIPE.count, metavar="N", help="the most questions (default: %(default)s)")
    add("--seed", type=int, default=0, help="the seed of what is drawn (default: %(default)s)")
    add(
        "--candidates",
        type=positive,
        metavar="M",
        help=f"visa: the number of pages a question (default: {RECIPE.candidates})",
    )
    add(
        "--sft",
        metavar="FILE",
        type=Path,
        help="visa: write conversations for supervised fine-tuning too, to this file",
    )
    add("--home", type=Path, metavar="DIR", help="the folder of the collections")


def construct(asked: argparse.Namespace) -> int:
    """Make the data; print what was made and what was left out, by reason; 1 when nothing could be made.

    Raises RunRefused for options of another form.
    """
    if asked.form != "visa" and (asked.sft or asked.candidates):
        raise RunRefused(
            f"--sft and --candidates belong to form visa, not to {asked.form}: leave them out, or make visa"
        )
    profile = load_profile(asked.profile)
    model = model_of(asked.profile, profile)
    with Collection.open(asked.collection, asked.home, profile.indexing) as collection:
        if asked.form == "citevqa":
            made = construct_citevqa.construct(collection, model, asked.out, asked.count, asked.seed)
        else:
            candidates = asked.candidates or RECIPE.candidates
            recipe = replace(RECIPE, count=asked.count, candidates=candidates, seed=asked.seed)
            made = construct_visa.construct(collection, model, asked.out, recipe)
            if asked.sft and made.rows and profile.rag.model is not None:
                gold = visa.load(asked.out, None, asked.out, None)
                print(f"{sft.export(gold, asked.sft, profile.rag.model)} conversations: {asked.sft}")
    print(f"{len(made.rows)} questions: {asked.out}")
    for reason, count in made.skipped.most_common():
        print(f"left out, {reason}: {count}", file=sys.stderr)
    return 0 if made.rows else 1
