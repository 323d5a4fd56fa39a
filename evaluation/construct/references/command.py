"""`vouch eval construct references`: works of a BibTeX file, as they are and with errors introduced."""

from __future__ import annotations

import argparse
from pathlib import Path

from evaluation.arguments import positive
from evaluation.construct.references.construction import ReferenceRecipe, construct
from evaluation.construct.references.styles import STYLES
from evaluation.harness import model_of
from rag import load_profile


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = parser.add_argument
    add("--bib", metavar="FILE", type=Path, required=True, help="the BibTeX file with the real works")
    add("--style", choices=tuple(STYLES), default="neurips", help="the style of the citations")
    add(
        "--profile",
        metavar="P",
        help="the profile, which names a model: leave it out to make wrong titles by rules alone",
    )
    add("--out", type=Path, required=True, metavar="DIR", help="the folder for the data")
    add("--count", type=positive, default=100, metavar="N", help="the most citations")
    add("--seed", type=int, default=0, help="the random seed (default: %(default)s)")


def references_data(asked: argparse.Namespace) -> int:
    """Make the data; print what was made and what was left out, by reason; return 1 when nothing could be made."""
    model = model_of(asked.profile, load_profile(asked.profile)) if asked.profile else None
    recipe = ReferenceRecipe(asked.bib, asked.style, asked.count, asked.seed)
    return construct(model, asked.out, recipe).report("citations", asked.out)
