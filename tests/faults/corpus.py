"""Every file of a folder, indexed or refused by name: `python -m tests.faults.corpus FOLDER [--mutants N]`.

    python -m tests.faults.corpus FOLDER [--mutants 0] [--seed 1] [--workers 2] [--limit N] [--json FILE]

Each file below FOLDER, of any kind, is given to `build_index` by its name, into a collection that is made for it and
deleted afterwards. A line tells its outcome: indexed (pages, elements, pages that failed, each with the reason) or
refused (the kind of error, and its message). The exit code is 1 if a file is neither, is refused without a reason that
names it, or is said to be indexed and is not whole in the collection; else 0. With `--mutants N` it is N broken copies
of the files that are indexed: cut short, with bytes changed, a part twice, a part left out, drawn by the seed.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from indexing import Collection, FileReport, IndexingSettings, Progress, build_index
from tests.faults import wholeness


def mutant(data: bytes, dice: random.Random) -> tuple[str, bytes]:
    """Break a file in one of five ways; return the name of the way, and the broken file."""
    at, to = sorted(dice.randrange(len(data) + 1) for _ in range(2))
    way = dice.choice(["cut", "bytes", "twice", "without", "digits"])
    if way == "cut":
        return way, data[:at]
    if way == "twice":
        return way, data[:to] + data[at:]
    if way == "without":
        return way, data[:at] + data[to:]
    body = bytearray(data)
    digits = [n for n, byte in enumerate(body) if 48 <= byte <= 57]
    for _ in range(dice.choice([1, 10, 100])):
        if way == "digits" and digits:  # lengths, offsets, numbers of objects
            body[dice.choice(digits)] = dice.randrange(48, 58)
        elif body:
            body[dice.randrange(len(body))] = dice.randrange(256)
    return way, bytes(body)


def mutants(paths: Sequence[Path], count: int, seed: int, target: Path) -> list[Path]:
    """Write `count` broken copies of files, each file in turn, and return them."""
    dice, made = random.Random(seed), list[Path]()
    target.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        source = paths[number % len(paths)]
        way, data = mutant(source.read_bytes(), dice)
        made.append(target / f"{number:04}-{way}-{source.name}")
        made[-1].write_bytes(data)
    return made


def outcome(file: FileReport) -> str:
    """Return a line on what became of a file."""
    reasons = [f"page {f.page}: {f.error}" if f.page else f"{f.error}: {file.reason(f)}" for f in file.failures]
    if file.status == "failed":
        return f"refused  {'; '.join(reasons)[:300]}"
    told = f"{file.pages} pages, {file.elements} elements" if file.status == "indexed" else "the same file as another"
    return f"{file.status:8} {told}" + "".join(f"; {reason[:200]}" for reason in reasons[:5])


def neither(paths: Sequence[Path], files: Sequence[FileReport], made: Collection) -> list[str]:
    """Return the files that were neither indexed, whole, nor refused by name, each with what is wrong."""
    reports: dict[str, list[FileReport]] = {}
    for file in files:
        reports.setdefault(file.path, []).append(file)
    known = {d.id: d for d in made.documents()}
    wrong = [f"{line}" for line in wholeness.problems(made)]
    for path in paths:
        found = reports.get(str(path), [])
        if len(found) != 1:
            wrong.append(f"{path.name}: {len(found)} outcomes")
        elif found[0].status == "failed":
            if not found[0].failures or not all(f.error and path.name in f.message for f in found[0].failures):
                wrong.append(f"{path.name}: refused without a reason that names it")
        elif found[0].doc_id not in known:
            wrong.append(f"{path.name}: {found[0].status}, and not in the collection")
    return wrong


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path, help="the folder of the files")
    options.add_argument("--mutants", type=int, default=0, help="index so many broken copies in place of the files")
    options.add_argument("--seed", type=int, default=1, help="the seed of the mutants (default: %(default)s)")
    options.add_argument("--workers", type=int, default=2, help="how many processes parse pages (default: %(default)s)")
    options.add_argument("--limit", type=int, help="take only so many of the smallest files")
    options.add_argument("--ocr", choices=["auto", "never"], default="auto", help="never is quicker")
    options.add_argument("--json", type=Path, help="a file for the outcomes as JSON")
    return options.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Index, tell, judge."""
    asked = arguments(argv)
    paths = sorted(p.absolute() for p in asked.folder.rglob("*") if p.is_file())
    if asked.limit:
        paths = sorted(sorted(paths, key=lambda p: (p.stat().st_size, p.name))[: asked.limit])
    if not paths:
        raise SystemExit(f"no file in {asked.folder}")

    def tell(progress: Progress) -> None:
        if progress.report:
            print(f"{progress.files_done:5} {progress.report.name}: {outcome(progress.report)}", flush=True)

    with tempfile.TemporaryDirectory(prefix="vouch-corpus-") as folder:
        if asked.mutants:
            paths = mutants(paths, asked.mutants, asked.seed, Path(folder) / "files")
        settings = IndexingSettings(workers=asked.workers, ocr=asked.ocr)
        started = time.monotonic()
        with Collection.create("corpus", Path(folder) / "home", settings) as made:
            report = build_index(made, paths, on_progress=tell, settings=settings)
            wrong = neither(paths, report.files, made)
    if asked.json:
        asked.json.write_text(json.dumps([asdict(f) for f in report.files], indent=1))
    print("\n".join(["", *(f"WRONG {line}" for line in wrong)]))
    counts = Counter("refused" if f.status == "failed" else f.status for f in report.files)
    errors = Counter(f.failures[0].error for f in report.files if f.status == "failed" and f.failures)
    pages = sum(f.page is not None for file in report.files for f in file.failures)
    print(f"{len(paths)} files in {time.monotonic() - started:.0f} s: {dict(counts)}; refused as {dict(errors)}; "
          f"{pages} pages failed; {len(wrong)} wrong.")  # fmt: skip
    return int(bool(wrong) or report.cancelled)


if __name__ == "__main__":
    sys.exit(main())
