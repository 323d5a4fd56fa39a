"""Training questions about invented towns: texts and tables in the form of qa.jsonl.gz, thirty documents of each."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from plugins.research.fit.corpus import Corpus, read

GROUPS = 30
_FIRST = ("Ash", "Birch", "Cedar", "Dale", "Elm", "Fern")
_LAST = ("bridge", "combe", "ford", "ham", "wick")


def town(n: int) -> str:
    """Name a town; all thirty differ."""
    return _FIRST[n % 6] + _LAST[n // 6 % 5]


def of_text(n: int, *, near: int = 0) -> dict[str, Any]:
    """Ask when a bridge was opened, of one of four sentences; `near` is another page of the document."""
    context = (
        f"The town of {town(n)} lies on the river Orle. Its mayor was Clara Osk for a long time. "
        f"The stone bridge of {town(n)} was opened in {1801 + 3 * n + near}. "
        f"About {40 + n} boats pass under it each day."
    )
    return {
        "source": "xquad",
        "group": f"town {n}",
        "title": f"Town_{n}",
        "question": f"When was the stone bridge of {town(n)} opened?",
        "context": context,
        "answers": [str(1801 + 3 * n + near)],
        "rows": None,
    }


def of_table(n: int, *, near: int = 0) -> dict[str, Any]:
    """Ask for the boats of a harbour out of a table with four rows."""
    rows = [["Harbour", "Boats", "Keeper"]]
    rows += [[f"{town(n + k)} Quay", str(50 + 7 * n + 11 * k + near), f"Warden {town(n + k + 9)}"] for k in range(4)]
    return {
        "source": "tatqa",
        "group": f"harbours {n}",
        "title": f"Harbours {n}",
        "question": f"Which number of boats has {town(n + 2)} Quay, in 2019?",
        "context": "",
        "answers": [rows[3][1]],
        "rows": rows,
    }


def rows() -> list[dict[str, Any]]:
    """Ask all questions."""
    return [make(n, near=near) for n in range(GROUPS) for make in (of_text, of_table) for near in (0, 1)]


def write(folder: Path) -> Path:
    """Write all questions."""
    path = folder / "qa.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows())
    return path


def corpus(folder: Path) -> Corpus:
    """Read all questions."""
    return read(write(folder))
