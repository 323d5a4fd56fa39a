"""`vouch eval construct references`: works of a BibTeX file, correct and with errors introduced."""

from __future__ import annotations

import argparse
import sys

from evaluation.harness import model_of
from plugins.audit.evaluation.construct.construction import ReferenceRecipe, construct
from rag import load_profile


def run(asked: argparse.Namespace) -> int:
    """Make the references; print what was made and what was left out, by reason; 1 when nothing could be made."""
    model = model_of(asked.profile, load_profile(asked.profile)) if asked.profile else None
    made = construct(model, asked.out, ReferenceRecipe(asked.bib, asked.style, asked.count, asked.seed))
    print(f"{len(made.rows)} citations: {asked.out}")
    for reason, count in made.skipped.most_common():
        print(f"left out, {reason}: {count}", file=sys.stderr)
    return 0 if made.rows else 1
