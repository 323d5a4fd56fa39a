"""`vouch eval construct references`: works of a BibTeX file, correct and with errors introduced."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from evaluation import positive
from evaluation.harness import model_of
from plugins.audit.evaluation.construct.construction import ReferenceRecipe, construct
from plugins.audit.evaluation.construct.styles import STYLES
from rag import load_profile


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = parser.add_argument
    add("--bib", metavar="FILE", type=Path, required=True, help="the BibTeX file with the real works")
    add("--out", type=Path, required=True, metavar="DIR", help="the folder for the data")
    add("--style", choices=tuple(STYLES), default="neurips", help="the style of the citations (default: %(default)s)")
    add("--profile", metavar="P", help="the profile whose model rewords titles (default: by rules alone)")
    add("--count", type=positive, default=500, metavar="N", help="the most false references (default: %(default)s)")
    add("--seed", type=int, default=0, help="the random seed (default: %(default)s)")


def run(asked: argparse.Namespace) -> int:
    """Make the references; print what was made and what was left out, by reason; 1 when nothing could be made."""
    model = model_of(asked.profile, load_profile(asked.profile)) if asked.profile else None
    made = construct(model, asked.out, ReferenceRecipe(asked.bib, asked.style, asked.count, asked.seed))
    print(f"{len(made.rows)} citations: {asked.out}")
    for reason, count in made.skipped.most_common():
        print(f"left out, {reason}: {count}", file=sys.stderr)
    return 0 if made.rows else 1
