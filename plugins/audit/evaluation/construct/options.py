"""The options of `vouch eval construct references`. Nothing heavy is imported here."""

from __future__ import annotations

import argparse
from pathlib import Path

from evaluation import positive
from plugins.audit.evaluation.construct.styles import STYLES


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = parser.add_argument
    add("--bib", metavar="FILE", type=Path, required=True, help="the BibTeX file with the real works")
    add("--out", type=Path, required=True, metavar="DIR", help="the folder for the data")
    add("--style", choices=tuple(STYLES), default="neurips", help="the style of the citations (default: %(default)s)")
    add("--profile", metavar="P", help="the profile whose model rewords titles (default: by rules alone)")
    add("--count", type=positive, default=500, metavar="N", help="the most false references (default: %(default)s)")
    add("--seed", type=int, default=0, help="the random seed (default: %(default)s)")
