"""The command `vouch verify`."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from indexing import ExtraMissing
from plugins.evidence.container import read_file
from plugins.evidence.errors import PackUnusable
from plugins.evidence.signature import public_key
from plugins.evidence.verification import Report, verify_pack
from ui.export import write_atomically
from ui.show import VERDICT_NAMES, clean, count_of, shorten

_MARKS = {"holds": ("holds", "green"), "open": ("not verified", "yellow"), "fails": ("FAILS", "bold red")}


def verify(args: Namespace) -> int:
    """Run `vouch verify`: 0 nothing was found wrong, 1 something was. Raises PackUnusable."""
    folder, key = Path(args.documents) if args.documents else None, args.key
    if folder is not None and not folder.is_dir():
        raise PackUnusable(f"{folder}: there is no such folder: check --documents")
    if key and Path(key).is_file():
        key = read_file(Path(key)).decode("utf-8", "replace")
    report = verify_pack(Path(args.file), folder, public_key(key) if key else None)
    if args.format == "json":
        states = [report.state(n) for n in range(1, len(report.answer.sentences) + 1)]
        values = {"file": args.file, "made_at": report.made_at, "state": report.state(), "sentence_states": states}
        findings = [finding._asdict() for finding in report.findings]
        print(json.dumps({**values, "findings": findings, "answer": report.answer.to_json()}, indent=2))
    else:
        _show(args.file, report)
    return int(report.state() == "fails")


def sign(args: Namespace) -> int:
    """Run `vouch sign`: make the key where there is none, and sign. Raises ExtraMissing, PackUnusable."""
    try:
        from plugins.evidence.signature import make_key, signature_of
    except ImportError:
        raise ExtraMissing("signing needs the package cryptography: pip install 'vouch[signatures]'") from None
    path, key = Path(args.file), Path(args.key)
    data = read_file(path)
    if not key.exists():
        print(f"Made {clean(args.key)}, keep it secret, and {clean(args.key)}.pub, publish it: {make_key(key)}")
    signature = signature_of(data, read_file(key).decode("utf-8", "replace"), path.name)
    write_atomically(Path(f"{path}.minisig"), signature.encode())
    print(f"Written: {clean(args.file)}.minisig")
    return 0


def _show(file: str, report: Report) -> None:
    """Print the checks of the pack, then those of each sentence, and a line that sums them up."""
    out = Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else 200)
    answer, states = report.answer, []
    out.print(f"{clean(file)}, made {clean(report.made_at)}: {shorten(answer.question, 300)}")
    out.print(_table(report, 0))
    for number, one in enumerate(answer.sentences, 1):
        by = {"words": " by words", "judge": f" by a judge, {shorten(answer.model, 60)}"}.get(one.checked_by, "")
        states.append(report.state(number))
        out.print(f"\n{number}. {shorten(one.text, 300)}")
        out.print(Text(f"   {VERDICT_NAMES[one.verdict]}{by}: ").append_text(Text(*_MARKS[states[-1]])))
        out.print(_table(report, number))
    words = {"holds": "verified", "open": "not verified in full", "fails": "wrong"}
    numbers = ", ".join(f"{states.count(state)} {words[state]}" for state in words if state in states)
    pack = " The pack itself FAILS." if report.state(0) == "fails" else ""
    outcome = "Something does not hold: do not rely on it." if report.state() == "fails" else "Nothing was found wrong."
    out.print(f"\n{count_of(len(states), 'sentence')}: {numbers}.{pack} {outcome}")


def _table(report: Report, number: int) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 1, 0, 0))
    last = 0
    for finding in (each for each in report.findings if each.sentence == number):
        citation = report.answer.citations[finding.citation - 1]
        place = f"   [{finding.citation}] {shorten(citation.document, 40)}, {clean(citation.where)}"
        where = "   " if finding.citation == last else place
        table.add_row(Text(where), finding.check, Text(*_MARKS[finding.state]), Text(clean(finding.text)))
        last = finding.citation
    return table
