"""Read the table questions of qa.jsonl.gz, each with its table as an element and its side of the split.

Each line is a question as JSON: `source` (the data set), `group` (the table or its document), `question`, `answers`,
`rows` (null where it is about a text).
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

from evaluation.errors import GoldUnreadable
from indexing import BBox, Cell, Element

SOURCES = ("tatqa", "wtq", "aitqa")
"""The data sets whose answers are short: FeTaQA answers in free sentences, which no rule can compare."""
SHARE = 3
"""The number of groups of which one is held out: nothing is fitted or developed on it."""
_EVERYWHERE = BBox(0.0, 0.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class TableQuestion:
    """A question with its table and the texts that answer it; `group` is the table's, `held_out` its side."""

    text: str
    source: str
    group: str
    answers: tuple[str, ...]
    table: Element

    @property
    def held_out(self) -> bool:
        """True where the whole group is kept for measuring: by its name, so that every run holds out the same."""
        return crc32(self.group.encode()) % SHARE == 0


def read(path: Path, sources: Sequence[str] = SOURCES) -> list[TableQuestion]:
    """Read the questions of the named data sets. Raises GoldUnreadable, which names the line."""
    found: list[TableQuestion] = []
    tables: dict[str, Element] = {}
    number = 0
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):  # noqa: B007  told of when it is no question
                row = json.loads(line)
                if row["rows"] and row["source"] in sources:
                    group = f"{row['source']}:{row['group']}"
                    key = f"{group} {json.dumps(row['rows'])}"
                    if key not in tables:
                        tables[key] = element_of(row["rows"])
                    answers = tuple(a.strip() for a in row["answers"])
                    found.append(TableQuestion(row["question"], row["source"], group, answers, tables[key]))
    except FileNotFoundError:
        raise GoldUnreadable(f"{path}: no such file: give the questions with --questions") from None
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise GoldUnreadable(f"{path}: line {number}: not a readable question ({error!r})") from None
    return found


def element_of(rows: Sequence[Sequence[str]]) -> Element:
    """Return rows as a table, serialised as parsing does it: the first row is its header, blanks are no cells."""
    cells: list[Cell] = []
    text = ""
    for number, row in enumerate(rows):
        text += "\n" if number else ""
        begun = False
        for column, piece in enumerate(row):
            said = " ".join(str(piece).split())
            if said:
                text += " | " if begun else ""
                begun = True
                cells.append(
                    Cell(number, column, 1, 1, len(text), len(text) + len(said), _EVERYWHERE, header=number == 0)
                )
                text += said
    return Element("table", "document", 1, "table", text, _EVERYWHERE, "layer", cells=tuple(cells))
