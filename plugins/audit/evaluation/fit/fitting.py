"""Fit of the fields of references: a small network and a chain for the reader of fields, and what they get right.

    python -m plugins.audit.evaluation.fit --bib FILE.bib... [--names NAMES.json] [--text FILE]

Entries are printed from the works of the files, with names, titles and venues drawn anew: as people type them
(`layouts.py`) and in the styles of `vouch eval construct references`. So every token's field is known. One work in ten
is held out. Titles are cut from the sentences of the text, too. Names beside those of the files may be given as JSON:
pairs of given and family name. Needs torch (`pip install 'vouch[reference-training]'`); the weights need numpy alone.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from random import Random

from evaluation import positive, print_table
from plugins.audit.evaluation.construct import STYLES, PersonName, printed, read_works
from plugins.audit.evaluation.fit.layouts import damaged, typed
from plugins.audit.evaluation.fit.network import fit, samples_of, write
from plugins.audit.evaluation.fit.owned import LabelledEntry, OwnedText, Owner, labelled
from plugins.audit.evaluation.fit.works import WorkPool, sentences_of
from plugins.audit.references import fields_of
from plugins.audit.references.fields import WEIGHTS_FILE

OUT = Path(__file__).resolve().parents[2] / "references" / "fields" / WEIGHTS_FILE
CHECKED = ("title", "first author", "authors", "year")
_IN_STYLE = 0.25
"""The share of entries that are printed in a style of `STYLES`; the others are typed."""
_OWNERS = {"title": Owner.TITLE, "venue": Owner.VENUE, "year": Owner.YEAR}


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit the weights and write them; or, with --test, print what the shipped ones get right."""
    parser = argparse.ArgumentParser(prog="python -m plugins.audit.evaluation.fit", description=__doc__)
    add = parser.add_argument
    add("--bib", type=Path, nargs="+", required=True, metavar="FILE", help="BibTeX files")
    add("--names", type=Path, metavar="FILE", help="more names: a JSON list of [given, family]")
    add("--text", type=Path, metavar="FILE", help="a running text, whose phrases titles are made of")
    for name, value, text in (("count", 60000, "entries"), ("held-out", 100, "entries a style to test on")):
        add(f"--{name}", type=positive, default=value, metavar="N", help=f"{text} (default: %(default)s)")
    add("--epochs", type=float, default=5.0, metavar="X", help="passes over them (default: %(default)s)")
    add("--seed", type=int, default=0)
    add("--out", type=Path, default=OUT, metavar="FILE")
    add("--test", action="store_true", help="fit nothing: test the shipped weights on held-out entries")
    asked = parser.parse_args(arguments)
    if not asked.test and find_spec("torch") is None:
        parser.error("this needs torch: install torch first, then pip install 'vouch[reference-training]'")
    learnt, held = pools(asked.bib, asked.names, asked.text, asked.seed)
    if not asked.test:
        rng = Random(asked.seed)  # noqa: S311  no secret
        entries = [drawn_entry(learnt, rng) for _ in range(asked.count)]
        print(f"{len(entries)} entries", file=sys.stderr)
        write(fit(samples_of(entries), asked.epochs, asked.seed), asked.out)
        if asked.out != OUT:
            return
    print_table(
        "held-out entries, share read as printed", ["style", *CHECKED], tested(held, asked.held_out, asked.seed)
    )


def pools(bib: Iterable[Path], names: Path | None, text: Path | None, seed: int) -> tuple[WorkPool, WorkPool]:
    """Return what is learnt from and what is held out: one work and one name in ten."""
    works = [work for path in bib for work in read_works(path) if 8 <= len(work.title) <= 250]
    people = {author for work in works for author in work.authors if author.given and len(author.plain) < 60}
    if names:
        people |= {PersonName(family, given) for given, family in json.loads(names.read_text(encoding="utf-8"))}
    everyone = sorted(people, key=lambda name: name.plain)
    rng = Random(seed)  # noqa: S311  no secret
    rng.shuffle(works)
    rng.shuffle(everyone)
    sentences = sentences_of(text) if text else ()
    learnt, held = (
        WorkPool(
            tuple(work for k, work in enumerate(works) if (k % 10 == 0) == apart),
            tuple(name for k, name in enumerate(everyone) if (k % 10 == 0) == apart),
            sentences,
        )
        for apart in (False, True)
    )
    return learnt, held


def drawn_entry(pool: WorkPool, rng: Random, style: str = "") -> LabelledEntry:
    """Return an entry in a style of `STYLES`; or in one by chance, or as people type, and damaged."""
    while True:
        work = pool.draw(rng)
        chosen = style or (rng.choice(list(STYLES)) if rng.random() < _IN_STYLE else "")
        entry = typed(work, rng)
        if chosen:
            entry, person = OwnedText(), int(Owner.NAME)
            for piece in printed(work, STYLES[chosen], rng.randrange(1, 200)):
                entry.add(piece.text, person if piece.field == "author" else _OWNERS.get(piece.field, Owner.NONE))
                person += piece.field == "author"
        if found := labelled(entry if style else damaged(entry, rng)):
            return found


def tested(pool: WorkPool, count: int, seed: int) -> list[list[str]]:
    """Return the shares of held-out entries whose fields are read as they were printed, a row for each style."""
    rows = []
    for style in [*STYLES, ""]:
        rng, right = Random(f"{seed} {style}"), Counter[str]()  # noqa: S311  no secret
        total = count if style else count * 5
        for _ in range(total):
            right.update(agreement(drawn_entry(pool, rng, style)))
        rows.append([style or "drawn at random", *(f"{right[name] / total:.3f}" for name in CHECKED)])
    return rows


def agreement(entry: LabelledEntry) -> list[str]:
    """Return the names of the fields that are read as they were printed."""
    found = fields_of(entry.text)
    names, true = [*map(_loose, found.authors)], [*map(_loose, entry.authors)]
    same = (_loose(found.title) == _loose(entry.title), names[:1] == true[:1], names == true, found.year == entry.year)
    return [name for name, agrees in zip(CHECKED, same, strict=True) if agrees]


def _loose(text: str) -> str:
    """Return a text without the marks at its ends, which the style may share with it."""
    return text.strip(" .,;:“”\"'‘’„«»`")
