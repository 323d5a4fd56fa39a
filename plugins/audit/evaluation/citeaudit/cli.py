"""`vouch eval citeaudit`: citations, true and made up, are audited, and the verdicts are held against their labels.

--data is CiteAudit's `benchmark.json` as published, or a file of citations, a line each (`source_type`, `citation`,
`real`, and `published_system`: the verdict of the system that was published with them). Each is parsed into fields,
looked up and judged as `vouch audit` does.

The bibliography is made of the real citations of the file. --world closed: all of them, called complete; open: a
seeded half, not complete, so that "unknown" is an honest verdict and counts apart; printed: all of them, each printed
in another way than it is cited (initials, short venues, preprints). As records and citations go through one parser, the
closed world is a floor and no result on real sources. Fake is the positive class; errors, questionable and invented
count as it. The tables also have recall and F1 over all fakes, those left open among them, and all figures by the
paper's own rule, which knows no "unknown" and calls it fake.

--out is a folder: predictions.jsonl in it has a line a citation and world and is only appended to.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from evaluation import positive, say
from evaluation.harness import OWN_WORDS, Predictions, model_of, print_grid
from plugins.audit.auditing.judge import ModelArbiter, judge
from plugins.audit.auditing.sources import RecordIndex
from plugins.audit.evaluation.citeaudit.citations import LabelledCitation, read_citations
from plugins.audit.evaluation.citeaudit.figures import HEAD, seconds, world_table
from plugins.audit.evaluation.citeaudit.worlds import WORLDS, world_of
from plugins.audit.references import Reference, fields_of
from rag import load_profile

VERSION = 2
"""The version of the form of a line; another one is not continued."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = parser.add_argument
    add("--data", type=Path, required=True, metavar="FILE", help="the file of citations, one per line")
    add("--out", type=Path, required=True, metavar="RUN", help="the folder of the run")
    add("--world", nargs="+", choices=WORLDS, default=list(WORLDS), help="the bibliographies (default: all three)")
    add("--seed", type=int, default=17, help="the seed of the worlds (default: %(default)s)")
    add("--limit", type=positive, metavar="N", help="only the first N citations")
    add("--arbiter", metavar="PROFILE", help="the profile whose model decides what the fields leave open")
    add("--resume", action="store_true", help="continue the run in --out")
    add("--markdown", action="store_true", help="print the tables as Markdown")


def citeaudit(asked: argparse.Namespace) -> int:
    """Audit the citations that are not audited yet and print the tables; return 0. Raises RunRefused and others."""
    everything, problems, sha256 = read_citations(asked.data)
    for problem in problems:
        print(f"left out: {problem}", file=sys.stderr)
    citations = everything[: asked.limit]
    real = {c.number: fields_of(c.text) for c in everything if c.real}
    arbiter = ModelArbiter(model_of(asked.arbiter, load_profile(asked.arbiter))) if asked.arbiter else None
    run = run_of(sha256, asked.seed, asked.arbiter)
    tables: dict[str, list[Mapping[str, Any]]] = {}
    with Predictions(asked.out / "predictions.jsonl", run, resume=asked.resume) as kept:
        for name in asked.world:
            with TemporaryDirectory(prefix="vouch-citeaudit-") as folder:
                world = world_of(name, real, asked.seed, Path(folder))
                _audit(world, citations, kept, arbiter)
                world.close()
            tables[name] = [kept.rows[_key(name, c)] for c in citations]
    for name, rows in tables.items():
        _print(name, rows, markdown=asked.markdown)
    if arbiter is not None:
        print(OWN_WORDS)
    return 0


def run_of(sha256: str, seed: int, arbiter: str | None) -> str:
    """Return twelve hex digits for everything that a line depends on besides its citation and world."""
    return hashlib.sha256(json.dumps([VERSION, sha256, seed, arbiter]).encode()).hexdigest()[:12]


def _key(world: str, citation: LabelledCitation) -> str:
    return f"{world} {citation.number}"


def _audit(
    world: RecordIndex,
    citations: Sequence[LabelledCitation],
    kept: Predictions,
    arbiter: ModelArbiter | None,
) -> None:
    """Audit the citations that have no line for this world yet."""
    rest = [c for c in citations if _key(world.name, c) not in kept.rows]
    for number, citation in enumerate(rest, 1):
        kept.add({"qid": _key(world.name, citation), **_row(world, citation, arbiter)})
        if number % 50 == 0 or number == len(rest):
            say(f"citeaudit, {world.name} world: citations", len(citations) - len(rest) + number, len(citations))
    if rest:
        print(file=sys.stderr)


def _row(world: RecordIndex, citation: LabelledCitation, arbiter: ModelArbiter | None) -> dict[str, Any]:
    started = time.perf_counter()
    fields = fields_of(citation.text)
    entry = Reference(citation.number, citation.text, fields)
    found = judge(entry, [world.look_up(entry)], arbiter)
    took = time.perf_counter() - started
    return {
        "world": world.name,
        "set": citation.set,
        "real": citation.real,
        "published": citation.published,
        "status": found.status,
        "reason": found.reason,
        "strict": found.strict and found.status == "real",
        "record": found.record.key if found.record else "",
        "fields": fields.to_json(),
        "seconds": round(took, 6),
    }


def _print(name: str, rows: Sequence[Mapping[str, Any]], *, markdown: bool) -> None:
    print_grid(f"CiteAudit, {name} world: {seconds(rows)}", HEAD, world_table(rows), markdown=markdown)
