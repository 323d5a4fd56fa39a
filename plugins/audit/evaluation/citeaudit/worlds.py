"""Worlds: the bibliographies that the citations are audited with, made of the real ones among them.

Closed: the records of all real citations, called complete. Open: a seeded half of them, not complete. The records are
read by the field parser that reads the citations, so the closed world is a floor: it asks if fakes are told from what
is there, and not if a real source prints a work as its citation does.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from plugins.audit.auditing import Record
from plugins.audit.auditing.sources import RecordIndex
from plugins.audit.references import BibliographicFields

WorldName = Literal["closed", "open"]
WORLDS: tuple[WorldName, ...] = ("closed", "open")


def world_of(name: WorldName, real: Mapping[int, BibliographicFields], seed: int, folder: Path) -> RecordIndex:
    """Return a world of the real citations, by the numbers of their lines; its index is made anew in a folder."""
    numbers = sorted(real)
    if name == "open":
        random.Random(seed).shuffle(numbers)  # noqa: S311
        numbers = sorted(numbers[: len(numbers) // 2])
    source = RecordIndex(folder / f"{name}.sqlite", make=True)
    source.fill(Record(real[n], name, str(n)) for n in numbers)
    source.complete = name != "open"
    return source
