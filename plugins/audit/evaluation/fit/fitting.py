"""Fit of the fields of references: averaged perceptron weights for the reader of fields, and what they get right.

    python -m plugins.audit.evaluation.fit --bib FILE.bib... [--names NAMES.json] [--out FILE.npz]

Entries are printed from the works of the files in many styles, with names, titles and venues drawn anew
(`entries.py`), so that every token's field is known. One work in ten is held out. Names beside those of the files may
be given as JSON: pairs of given and family name. The seed fixes everything that is drawn.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from evaluation import positive, print_table
from plugins.audit.evaluation.construct import STYLES, PersonName, Work, read_works
from plugins.audit.evaluation.fit.entries import LabelledEntry, RecordPool, drawn_entry
from plugins.audit.references import fields_of
from plugins.audit.references.fields import HASHED, LABELS, WEIGHTS_FILE, best_path, feature_ids, identified, tokens_of

OUT = Path(__file__).resolve().parents[3] / "rag" / "references" / "fields" / WEIGHTS_FILE
FIRST_UNSPACED = 0x2E80
"""The first code point of the scripts that write a name without a space."""
UNSEEN_WORDS = 0.4
"""The share of entries that are learnt from without their words, by shapes and places alone."""
Pass = tuple[NDArray[np.float32], NDArray[np.float32]]


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit the weights and write them; or, with --test, print what the shipped ones get right."""
    parser = argparse.ArgumentParser(prog="python -m plugins.audit.evaluation.fit", description=__doc__)
    parser.add_argument("--bib", type=Path, nargs="+", required=True, metavar="FILE", help="BibTeX files")
    parser.add_argument("--names", type=Path, metavar="FILE", help="more names: a JSON list of [given, family]")
    parser.add_argument(
        "--count", type=positive, default=12000, metavar="N", help="entries to learn from (default: %(default)s)"
    )
    parser.add_argument(
        "--passes", type=positive, default=6, metavar="N", help="passes over them (default: %(default)s)"
    )
    parser.add_argument(
        "--held-out", type=positive, default=100, metavar="N", help="entries a style to test on (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=OUT, metavar="FILE")
    parser.add_argument(
        "--test", action="store_true", help="fit nothing: test the shipped weights on the held-out entries"
    )
    asked = parser.parse_args(arguments)
    learnt, held = pools(asked.bib, asked.names, asked.seed)
    if not asked.test:
        rng = Random(asked.seed)  # noqa: S311  no secret
        entries = [drawn_entry(learnt, rng) for _ in range(asked.count)]
        write(fit(entries, asked.passes, rng), asked.out)
        if asked.out != OUT:
            return
    print_table(
        "held-out entries, share read as printed", ["style", *CHECKED], tested(held, asked.held_out, asked.seed)
    )


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
    )


def fit(entries: Sequence[LabelledEntry], passes: int, rng: Random) -> Pass:
    """Return averaged weights: of features, (HASHED, L), and of one label after another, (L + 1, L)."""
    samples = []
    for entry in entries:
        ids = feature_ids(tokens_of(identified(entry.text).masked), words=rng.random() >= UNSEEN_WORDS)
        samples.append((ids, entry.labels))
    size = len(LABELS)
    weights = np.zeros((HASHED, size), np.float32), np.zeros((size + 1, size), np.float32)
    sums = np.zeros((HASHED, size), np.float64), np.zeros((size + 1, size), np.float64)
    step, order = 1, list(range(len(samples)))
    for number in range(passes):
        rng.shuffle(order)
        wrong = 0
        for k in order:
            ids, gold = samples[k]
            guess = best_path(ids, weights)
            if tuple(guess) != gold:
                wrong += 1
                _update(weights, sums, ids, (gold, guess), step)
            step += 1
        print(f"pass {number + 1}: {wrong} of {len(samples)} entries wrong", file=sys.stderr)
    emissions, moves = (w - s / step for w, s in zip(weights, sums, strict=True))
    return emissions.astype(np.float32), moves.astype(np.float32)


def _update(
    weights: Pass,
    sums: tuple[NDArray[np.float64], NDArray[np.float64]],
    ids: Sequence[NDArray[np.int32]],
    paths: tuple[Sequence[int], Sequence[int]],
    step: int,
) -> None:
    """Move the weights towards the true path and away from the guess; `sums` are the moves times their step."""
    size = len(LABELS)
    for sign, path in zip((1.0, -1.0), paths, strict=True):
        last = size
        other = paths[1] if sign > 0 else paths[0]
        for features, label, instead in zip(ids, path, other, strict=True):
            if label != instead:
                places = features.astype(np.int64) * size + label
                np.add.at(weights[0].reshape(-1), places, sign)
                np.add.at(sums[0].reshape(-1), places, sign * step)
            weights[1][last, label] += sign
            sums[1][last, label] += sign * step
            last = label


def write(weights: Pass, out: Path) -> None:
    """Write the weights: whole numbers of eight bits with one scale, and only the features that have any."""
    emissions, moves = weights
    scale = float(np.quantile(np.abs(emissions[emissions != 0]), 0.999)) / 127
    values = np.clip(np.rint(emissions / scale), -127, 127).astype(np.int8)
    rows = np.flatnonzero((np.abs(values) > 1).any(axis=1)).astype(np.uint16)
    np.savez_compressed(out, size=HASHED, rows=rows, values=values[rows], scale=np.float32(scale), moves=moves)
    print(f"{out.name}: {len(rows)} features, {out.stat().st_size / 1000:.0f} kB", file=sys.stderr)


def tested(pool: RecordPool, count: int, seed: int) -> list[list[str]]:
    """Return the shares of held-out entries whose fields are read as they were printed, a row for each style."""
    rows = []
    for style in [*STYLES, ""]:
        rng, right = Random(f"{seed} {style}"), Counter[str]()  # noqa: S311  no secret
        for _ in range(count if style else count * 5):
            entry = drawn_entry(pool, rng, style)
            right.update(agreement(entry))
        total = count if style else count * 5
        rows.append([style or "drawn at random", *(f"{right[name] / total:.3f}" for name in CHECKED)])
    return rows


CHECKED = ("title", "first author", "authors", "year", "venue")


def agreement(entry: LabelledEntry) -> list[str]:
    """Return the names of the fields that are read as they were printed."""
    found, true = fields_of(entry.text), entry.fields
    first = (found.authors[:1], true.authors[:1])
    return [
        name
        for name, same in zip(
            CHECKED,
            (
                _loose(found.title) == _loose(true.title),
                [*map(_loose, first[0])] == [*map(_loose, first[1])],
                [*map(_loose, found.authors)] == [*map(_loose, true.authors)],
                found.year == true.year,
                _loose(found.venue) == _loose(true.venue),
            ),
            strict=True,
        )
        if same
    ]


def _loose(text: str) -> str:
    """Return a text without the marks at its ends, which the style may share with it."""
    return text.strip(" .,;:“”\"'‘’„«»`")
