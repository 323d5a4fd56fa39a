"""Bench of local bibliographies: how long an index of records takes to fill, its size, and how long a look-up takes.

Records are made of words of a seeded vocabulary with the frequencies of natural language (Zipf), so that common words
are common. Look-ups are of works that are there, half of them with one word of the title changed.
`python -m evaluation.benches.references.lookups --records 1000000 --folder DIR`
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from evaluation.arguments import positive
from rag.audit import Record
from rag.audit.sources import RecordIndex, index_path
from rag.references import BibliographicFields

_WORDS, _SYLLABLES = 400_000, ("ba", "ke", "lo", "mi", "nu", "ra", "se", "ti", "vo", "za", "dor", "fen", "gal", "hum")
_BATCH = 100_000


def main(argv: list[str] | None = None) -> int:
    """Fill an index, ask it, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=positive, default=1_000_000)
    parser.add_argument("--lookups", type=positive, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--folder", type=Path, required=True, help="the folder for the index (0.3 GB per million records)"
    )
    asked = parser.parse_args(argv)
    path = index_path(asked.folder, f"bench-{asked.records}")
    path.unlink(missing_ok=True)
    index = RecordIndex(path, make=True)
    started = time.perf_counter()
    chosen = set(np.random.default_rng(asked.seed + 1).integers(0, asked.records, asked.lookups).tolist())
    sample: list[Record] = []
    index.fill(_kept(_records(asked.records, asked.seed), chosen, sample))
    filled = time.perf_counter() - started
    count = index.count
    index.close()
    size = sum(file.stat().st_size for file in path.parent.glob(path.name + "*"))
    print(f"{count:,} records in {filled:,.0f} s ({count / filled:,.0f} a second), {size / 1e9:.2f} GB, "
          f"{size / count:.0f} bytes a record; 10 million would have {size / count / 100:.2f} GB")  # fmt: skip
    _drop_cache(path)
    for label in ("first reading", "again"):
        print(label + ": " + json.dumps(_timed(path, sample)))
    return 0


def _records(count: int, seed: int) -> Iterator[Record]:
    for start in range(0, count, _BATCH):
        yield from _batch(start, min(_BATCH, count - start), seed)


def _batch(start: int, count: int, seed: int) -> Iterator[Record]:
    rng = np.random.default_rng((seed, start))
    lengths = rng.integers(5, 15, count)
    words = rng.zipf(1.3, int(lengths.sum())) % _WORDS
    people = rng.integers(1, 7, count)
    names = rng.zipf(1.2, int(people.sum())) % 200_000
    word_at, name_at = np.cumsum(lengths) - lengths, np.cumsum(people) - people
    for n in range(count):
        title = " ".join(_word(w) for w in words[word_at[n] : word_at[n] + lengths[n]]).capitalize()
        authors = tuple(
            f"{_word(int(m) + 7).capitalize()}, {_word(int(m) % 300).capitalize()}"
            for m in names[name_at[n] : name_at[n] + people[n]]
        )
        number = start + n
        fields = BibliographicFields(
            title, authors, venue=f"Journal of {_word(number % 5000)}", year=str(1980 + number % 45),
            doi=f"10.{1000 + number % 900}/{number:x}.{number % 97}",
        )  # fmt: skip
        yield Record(fields, "bench", f"key{number}", "article")


def _word(number: int) -> str:
    """Return the word of a rank: short for common ones."""
    made = ""
    number = int(number) + 1
    while number:
        number, part = divmod(number, len(_SYLLABLES))
        made += _SYLLABLES[part]
    return made


def _kept(records: Iterator[Record], chosen: set[int], sample: list[Record]) -> Iterator[Record]:
    """Yield the records; those whose numbers are chosen go into the sample, too."""
    for number, record in enumerate(records):
        if number in chosen:
            sample.append(record)
        yield record


def _timed(path: Path, sample: list[Record]) -> dict[str, float]:
    """Return how many works were found and the milliseconds of a look-up: median, 95th percentile, most."""
    index = RecordIndex(path)
    taken, worked, found = [], [], 0
    for turn, record in enumerate(sample):
        words = record.fields.title.split()
        if turn % 2:
            words[turn % len(words)] = "changed"
        asked = replace(record.fields, title=" ".join(words), doi="")
        began, began_work = time.perf_counter(), time.thread_time()
        lookup = index.look_up(asked)
        taken.append(1000 * (time.perf_counter() - began))
        worked.append(1000 * (time.thread_time() - began_work))
        found += any(other.key == record.key for other in lookup.records)
    index.close()
    taken.sort()
    return {
        "found": round(found / len(sample), 3),
        "median ms": round(statistics.median(taken), 1),
        "of processor": round(statistics.median(worked), 1),
        "p95 ms": round(taken[int(0.95 * len(taken))], 1),
        "most ms": round(taken[-1], 1),
    }


def _drop_cache(path: Path) -> None:
    """Ask the system to forget the file, so that the first look-ups read the disk."""
    with path.open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


if __name__ == "__main__":
    raise SystemExit(main())
