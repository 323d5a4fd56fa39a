"""The command `python -m plugins.research.fit letters`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from evaluation import say
from plugins.research.fit.letters.sheets import Glyphs, families, glyphs_of, joined
from plugins.research.fit.letters.training import fitted, scores

HELD = 8
"""One family of so many is held out."""
LEASTS = (0.6, 0.8, 0.9, 0.95, 0.98)


def main(argv: Sequence[str] | None = None) -> None:
    """Make the sheets, fit, score, and write the network."""
    options = argparse.ArgumentParser(
        prog="python -m plugins.research.fit letters", description="Fit the letter network."
    )
    options.add_argument("--fonts", type=Path, required=True, metavar="FOLDER", help="the fonts' folder, in any depth")
    options.add_argument("--out", type=Path, required=True, metavar="FILE", help="the file for the network")
    options.add_argument("--epochs", type=int, default=10, metavar="N", help="the rounds over all glyphs (%(default)s)")
    asked = options.parse_args(argv)
    found = families(asked.fonts)
    if not found:
        raise SystemExit(f"{asked.fonts} has no fonts (.ttf, .otf, .t1, .pfb): unpack some there")
    fonts = [(path, n % HELD == 0) for n, own in enumerate(found) for path in own]
    sheets: list[tuple[Glyphs, bool]] = []
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for n, (sheet, (_, held)) in enumerate(zip(pool.map(glyphs_of, [p for p, _ in fonts]), fonts, strict=True), 1):
            say("fonts", n, len(fonts))
            if sheet is not None:
                sheets.append((sheet, held))
    if not all(any(held is wanted for _, held in sheets) for wanted in (True, False)):
        raise SystemExit(f"{asked.fonts} has too few fonts with Latin letters: one family of {HELD} is held out")
    learnt = joined(sheet for sheet, held in sheets if not held)
    kept = joined(sheet for sheet, held in sheets if held)
    numbers = f"{len(learnt.kinds):,} glyphs learnt, {len(kept.kinds):,} held out"
    print(f"\n{len(sheets)} fonts of {len(found)} families; {numbers}")
    network = fitted(learnt, asked.epochs, lambda done, of: say("steps", done, of))
    print("\nheld out: least   likeliest   confirmed   as another   spoilt, confirmed")
    for least in LEASTS:
        one = scores(network, kept, least)
        print(f"{one.least:15.2f} {one.right:10.2%} {one.sure:10.2%} {one.another:11.3%} {one.spoilt:12.2%}")
    network.save(asked.out)
    print(f"{asked.out}: {asked.out.stat().st_size:,} bytes")
