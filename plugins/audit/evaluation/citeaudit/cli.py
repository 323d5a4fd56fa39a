"""`vouch eval citeaudit`: citations, true and made up, are audited, and the verdicts are held against their labels.

--data is CiteAudit's `benchmark.json` as published, or a file of citations, a line each (`source_type`, `citation`,
`real`, and `published_system`: the verdict of the system that was published with them). Each is parsed into fields,
looked up and judged as `vouch audit` does.

The bibliography is made of the real citations of the file. --world closed: all of them, called complete; open: a
seeded half, not complete, so that "unknown" is an honest verdict and counts apart. As records and citations go through
one parser, the closed world is a floor and no result on real sources. Fake is the positive class; errors, questionable
and invented count as it. The tables also have recall and F1 over all fakes, those left open among them, and all figures
by the paper's own rule, which knows no "unknown" and calls it fake.

--out is a folder: predictions.jsonl in it has a line a citation and world.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from evaluation import positive, print_progress
from evaluation.harness import print_grid
from plugins.audit.auditing.judge import judge
from plugins.audit.auditing.sources import RecordIndex
from plugins.audit.evaluation.citeaudit.citations import LabelledCitation, read_citations
from plugins.audit.evaluation.citeaudit.figures import HEAD, seconds, world_table
from plugins.audit.evaluation.citeaudit.worlds import WORLDS, world_of
from plugins.audit.references import Reference, fields_of


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = parser.add_argument
    add("--data", type=Path, required=True, metavar="FILE", help="the file of citations, one per line")
    add("--out", type=Path, required=True, metavar="RUN", help="the folder of the run")
    add("--world", nargs="+", choices=WORLDS, default=list(WORLDS), help="the bibliographies (default: both)")
    add("--seed", type=int, default=17, help="the seed of the worlds (default: %(default)s)")
    add("--limit", type=positive, metavar="N", help="only the first N citations")
    add("--markdown", action="store_true", help="print the tables as Markdown")


def citeaudit(args: argparse.Namespace) -> int:
    """Audit the citations and print the tables; return 0. Raises GoldUnreadable."""
    everything, problems = read_citations(args.data)
    for problem in problems:
        print(f"left out: {problem}", file=sys.stderr)
    real = {c.number: fields_of(c.text) for c in everything if c.real}
    args.out.mkdir(parents=True, exist_ok=True)
    with (args.out / "predictions.jsonl").open("w", encoding="utf-8") as file:
        for name in args.world:
            with TemporaryDirectory(prefix="vouch-citeaudit-") as folder:
                world = world_of(name, real, args.seed, Path(folder))
                rows = list(_rows(world, everything[: args.limit]))
                world.close()
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            title = f"CiteAudit, {name} world: {seconds(rows)}"
            print_grid(title, HEAD, world_table(rows), markdown=args.markdown)
    return 0


def _rows(world: RecordIndex, citations: Sequence[LabelledCitation]) -> Iterator[dict[str, Any]]:
    """Yield the verdict on each citation as a line of predictions."""
    for number, citation in enumerate(citations, 1):
        yield _row(world, citation)
        if number % 50 == 0 or number == len(citations):
            print_progress(f"citeaudit, {world.name} world: citations", number, len(citations))
    print(file=sys.stderr)


def _row(world: RecordIndex, citation: LabelledCitation) -> dict[str, Any]:
    start = time.perf_counter()
    fields = fields_of(citation.text)
    entry = Reference(citation.number, citation.text, fields)
    verdict = judge(entry, [world.look_up(entry)])
    took = time.perf_counter() - start
    return {
        "number": citation.number,
        "world": world.name,
        "set": citation.set,
        "real": citation.real,
        "published": citation.published,
        "status": verdict.status,
        "reason": verdict.reason,
        "strict": verdict.strict and verdict.status == "real",
        "record": verdict.record.key if verdict.record else "",
        "fields": fields.to_json(),
        "seconds": round(took, 6),
    }
