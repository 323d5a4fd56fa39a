"""Fail when quality on the samples falls below fixed thresholds, in all modes: `make eval-samples`.

    python -m evaluation.samples_gate [--out DIR] [--home DIR]

It uses no judge, no model server, nothing from the network. It fails when retrieval, citations or abstention get worse
than `LEAST`, which is a little below the last measured figures (docs/experiments/).
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from evaluation import cli
from evaluation.console import print_table
from rag import Mode

MODES: tuple[Mode, ...] = ("text", "image", "multi")
_TEXT = {"R@1": 75.0, "R@5": 90.0, "Rec": 40.0, "Ans": 26.0, "answered": 95.0}
LEAST: Mapping[Mode, Mapping[str, float]] = {
    "text": _TEXT,
    "image": {"R@1": 66.0, "R@5": 93.0, "Rec": 34.0, "Ans": 23.0, "answered": 93.0},
    "multi": _TEXT | {"R@1": 76.0, "R@5": 94.0},
}
"""The least figures in percent, over the questions of `samples/questions.yaml`, asked of all seven documents together.

Vouch abstains on few of the eight questions without an answer, whose words all occur in the documents: there is no
floor to fall through yet.
"""
SAMPLES = Path(__file__).resolve().parent.parent / "samples"


def rows_of(out: Path) -> list[tuple[str, ...]]:
    """Return a table row for each figure of every mode: name, value, least value, and PASS or FAIL."""
    rows: list[tuple[str, ...]] = []
    for mode in MODES:
        summary = json.loads((out / mode / "summary.json").read_text(encoding="utf-8"))
        left_out, figures = summary["left_out"]["questions"], summary["figures"]["all"]
        rows.append((f"{mode}: questions left out", str(left_out), "0", "FAIL" if left_out else "PASS"))
        for name, least in LEAST[mode].items():
            value = figures[name]["value"]
            rows.append((f"{mode}: {name}", f"{value:.1f} %", f"{least:.1f} %", "PASS" if value >= least else "FAIL"))
    return rows


def main(argv: Sequence[str] | None = None) -> int:
    """Index the samples, ask, compare; 1 when a figure is under its least value, 2 when nothing could be run."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--out", type=Path, metavar="DIR", help="the folder for the runs (default: they are not kept)")
    options.add_argument(
        "--home", type=Path, metavar="DIR", help="the folder for the collection samples (default: it is not kept)"
    )
    args = options.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="vouch-samples-") as name:
        out = args.out or Path(name) / "runs"
        words = ["questions", "--data", str(SAMPLES), "--out", str(out), "--home", str(args.home or name)]
        words += ["--collection", "samples", "--mode", *MODES]
        code = cli.main(words)
        if code:
            return code
        rows = rows_of(out)
    print_table("The samples and what they must reach", ("", "reached", "least", ""), rows)
    return 1 if any(row[-1] == "FAIL" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
