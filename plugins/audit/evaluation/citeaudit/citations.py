"""The citations that are audited, a line each.

A line is `{"source_type", "citation", "real": true or false, "published_system": true or false or null}`. The file as
published, `benchmark.json`, is read too: an object whose `data` are such lines, with the keys `GT` and `Predict`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation import GoldUnreadable
from evaluation.tasks import of, reason, rows_of, text_of

MOST_NAMED = 5
"""The most problems that are named where nothing can be read."""


@dataclass(frozen=True, slots=True)
class LabelledCitation:
    """A citation as it is printed, its set, its label, and the published system's own verdict (None without one).

    `number` counts the lines of the file from 1.
    """

    number: int
    set: str
    text: str
    real: bool
    published: bool | None


def read_citations(path: Path) -> tuple[list[LabelledCitation], list[str]]:
    """Return the citations, and what is wrong with lines left out. Raises GoldUnreadable."""
    text, _ = text_of(path)
    citations: list[LabelledCitation] = []
    problems: list[str] = []
    for number, (where, row) in enumerate(_rows(path, text), 1):
        try:
            label = row.get("published_system", row.get("Predict")) if isinstance(row, dict) else None
            citations.append(
                LabelledCitation(
                    number,
                    of(row, "source_type", str),
                    of(row, "citation", str),
                    of(row, "real", bool, "GT"),
                    label if isinstance(label, bool) else None,
                )
            )
        except ValueError as error:
            problems.append(f"{where}: {reason(error)}")
    if not citations:
        why = "\n  ".join(problems[:MOST_NAMED]) or "it is empty"
        raise GoldUnreadable(f"{path}: it contains no citation with a label that can be read:\n  {why}")
    if not any(citation.real for citation in citations):
        raise GoldUnreadable(
            f"{path}: it contains no real citation, so there is no bibliography to audit against: "
            "give a file with real citations"
        )
    return citations, problems


def _rows(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    """Yield the place and the object of each citation, of a file of lines or of one object that holds them."""
    try:
        whole = json.loads(text) if text.lstrip().startswith("{") else None
    except (ValueError, RecursionError):  # lines, of which the first is an object
        whole = None
    if isinstance(whole, dict) and isinstance(whole.get("data"), list):
        yield from ((f"{path.name}, entry {number}", row) for number, row in enumerate(whole["data"], 1))
    else:
        yield from rows_of(path, text)
