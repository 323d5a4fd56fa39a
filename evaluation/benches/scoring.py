"""The time and memory of scoring the predictions of another system, reading and writing included.

    python -m evaluation.benches.scoring [--count 100000]

Made-up answers with citations, in CiteVQA's form, are scored by `vouch eval citevqa --predictions` in a process of its
own. The limits are a minute and 1 GB for 100,000 answers.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evaluation.tables import TableRow, print_rows
from indexing import BBox
from rag.formats import SCALE, CitedRegion, Statement, write_citevqa

COUNT = 100_000
PAGES = 41
SECONDS, MEGABYTES = 60.0, 1000.0
SETTINGS = ("Single-Doc", "Multi (1-Gold)", "Multi (N-Gold)")


def write_data(folder: Path, count: int) -> tuple[Path, Path]:
    """Write a data set of `count` questions about one document, and as many answers; return the two files."""
    dice = random.Random(0)  # noqa: S311  not a secret
    document = _document(folder)
    gold, said = folder / "CiteVQA.jsonl", folder / "answers.jsonl"
    with gold.open("w", encoding="utf-8") as questions, said.open("w", encoding="utf-8") as answers:
        for number in range(count):
            questions.write(json.dumps(_question(dice, number, document.name)) + "\n")
            regions = tuple(_region(dice) for _ in range(dice.randint(0, 5)))
            text = write_citevqa([Statement(f"The answer to it is {dice.randint(0, 99)}.", regions)])
            answers.write(json.dumps({"index": str(number), "model_predict": text}) + "\n")
    return gold, said


def _document(folder: Path) -> Path:
    """Write a PDF of empty pages: only the answers about it are scored."""
    import pymupdf

    path = folder / "document.pdf"
    with pymupdf.open() as document:
        for _ in range(PAGES):
            document.new_page()
        document.save(path)
    return path


def _question(dice: random.Random, number: int, document: str) -> dict[str, Any]:
    evidence = [
        {"source_doc_index": 0, "source_page_id": dice.randint(0, PAGES - 1), "bbox": _box(dice), "type": "text"}
        for _ in range(dice.randint(1, 4))
    ]
    return {
        "index": str(number),
        "Question": f"What is the answer to question {number} of this long list of questions?",
        "Standard_Answer": str(dice.randint(0, 99)),
        "Question_Type": dice.choice(("Factual Retrieval", "Complex Synthesis")),
        "dataset_type": dice.choice(SETTINGS),
        "description": f"domain {dice.randint(0, 29)}",
        "language": "en",
        "PDF_Source": [document],
        "Evidence": evidence,
    }


def _box(dice: random.Random) -> list[int]:
    x, y = dice.randint(0, 400), dice.randint(0, 400)
    return [x, y, x + dice.randint(100, 600), y + dice.randint(50, 600)]


def _region(dice: random.Random) -> CitedRegion:
    box = BBox(*(v / SCALE for v in _box(dice)))
    return CitedRegion(1, dice.randint(1, PAGES), box)


def measured(folder: Path, gold: Path, said: Path) -> tuple[float, float, float]:
    """Return seconds, those of the processor, and the peak resident memory in MB, of scoring in another process."""
    command = ["citevqa", "--data", gold, "--documents", folder, "--predictions", said, "--out", folder / "run"]
    began = time.perf_counter()
    words = [sys.executable, "-m", "evaluation", *map(str, command), "--home", str(folder / "home")]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)  # noqa: S603  our own program
    seconds = time.perf_counter() - began
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument(
        "--count", type=int, default=COUNT, help="the number of answers to score (default: %(default)s)"
    )
    asked = options.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="vouch-bench-") as name:
        folder = Path(name)
        seconds, busy, megabytes = measured(folder, *write_data(folder, asked.count))
    rows = [
        TableRow(f"scoring {asked.count:,} answers", seconds, "s", limit=SECONDS),
        TableRow("of which the processor was busy", busy, "s"),
        TableRow("peak memory", megabytes, "MB", limit=MEGABYTES),
        TableRow("answers a second", asked.count / seconds),
    ]
    print_rows("Scoring the outputs of another system", rows, "reference")
    return 0 if all(row.verdict != "over" for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
