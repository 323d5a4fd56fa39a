"""The training questions: read from qa.jsonl.gz as passages and tables in which the answers are marked.

Each line is a question as JSON: `source` (the data set), `group` (the document: questions of one group are on the same
side of the split), `title`, `question`, `answers`, and either `context` (a text) or `rows` (a table).
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zlib import crc32

from evaluation.errors import GoldUnreadable
from evaluation.fit.reader.wording import COUNTING, sentences_of, unspaced

MOST_CHARS = 900
"""The usual limit of a passage, in characters: about a paragraph of a page."""
LONGEST = 2000
LEAST_CHARS, LEAST_LAST_CHARS = 120, 60
MOST_PLACES = 3
"""The most places of an answer in a table: in more it is found by chance."""
HEADER_ROWS = 3
HELD_OUT = 10
"""The number of groups of which one is never trained on."""


@dataclass(frozen=True, slots=True)
class CorpusPassage:
    """A paragraph of a text: sentences as (start, end) of `text`."""

    group: str
    source: str
    title: str
    text: str
    sentences: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class CorpusTable:
    """A table: its first `headers` rows are the header."""

    group: str
    source: str
    title: str
    rows: tuple[tuple[str, ...], ...]
    headers: int = 1


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question with the place of its answer: `spans` in a passage's text, or `cells` (row, column) of a table.

    `passage` and `table` are numbers in the corpus, -1 where it is the other. A table without cells answers, but not
    by one of its cells. `sentence` is the answer where that is a whole sentence.
    """

    text: str
    source: str
    group: str
    answers: tuple[str, ...]
    passage: int = -1
    table: int = -1
    spans: tuple[tuple[int, int], ...] = ()
    cells: tuple[tuple[int, int], ...] = ()
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Passages, tables and questions."""

    passages: list[CorpusPassage] = field(default_factory=list)
    tables: list[CorpusTable] = field(default_factory=list)
    questions: list[AskedQuestion] = field(default_factory=list)


def held_out(group: str) -> bool:
    """Say whether a group is for testing: by its name, so that every run holds out the same."""
    return crc32(group.encode()) % HELD_OUT == 0


def read(path: Path) -> Corpus:
    """Read the questions. Raises GoldUnreadable, which names the line."""
    reading = _Reading(Corpus(), {}, {})
    number = 0
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):  # noqa: B007  told of when it is no question
                reading.take(json.loads(line))
    except FileNotFoundError:
        raise GoldUnreadable(f"{path}: no such file: name the questions with --data, or set VOUCH_TRAIN") from None
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise GoldUnreadable(f"{path}: line {number}: no question that can be read ({error!r})") from None
    return reading.corpus


@dataclass(frozen=True, slots=True)
class _Reading:
    """The corpus as far as it was read; a context or table that was seen before is found by its group and text."""

    corpus: Corpus
    passages: dict[tuple[str, str], list[int]]
    tables: dict[tuple[str, str], int]

    def take(self, row: dict[str, Any]) -> None:
        """Add the question of a line."""
        group = f"{row['source']}:{row['group']}"
        title = row["title"].replace("_", " ").strip()
        title = "" if title.endswith(".csv") else title
        of_kind = self._of_text if row["rows"] is None else self._of_table
        question = of_kind(row, group, title)
        if question is not None:
            self.corpus.questions.append(question)

    def _of_text(self, row: dict[str, Any], group: str, title: str) -> AskedQuestion | None:
        """Return the question with the first passage of its context that has an answer; None where none has."""
        source = row["source"]
        apart = source == "qamr"  # whose tokens stand apart
        context = unspaced(row["context"]) if apart else row["context"]
        answers = tuple(unspaced(a) if apart else a.strip() for a in row["answers"])
        if (group, context) not in self.passages:
            first = len(self.corpus.passages)
            self.corpus.passages.extend(
                CorpusPassage(group, source, title if source == "xquad" else "", piece, sentences_of(piece))
                for piece in paragraphs(context)
            )
            self.passages[group, context] = list(range(first, len(self.corpus.passages)))
        for n in self.passages[group, context]:
            spans = tuple(s for a in answers for s in found_in(self.corpus.passages[n].text, a))
            if spans:
                text = " ".join(row["question"].split())
                return AskedQuestion(text, source, group, answers, passage=n, spans=spans)
        return None

    def _of_table(self, row: dict[str, Any], group: str, title: str) -> AskedQuestion:
        """Return the question with the cells that answer it, where that is known."""
        rows = tuple(tuple(" ".join(str(c).split()) for c in r) for r in row["rows"])
        source, text = row["source"], " ".join(row["question"].split())
        key = (group, json.dumps(rows))
        if key not in self.tables:
            self.tables[key] = len(self.corpus.tables)
            self.corpus.tables.append(CorpusTable(group, source, title, rows, header_rows(rows)))
        n = self.tables[key]
        answers = tuple(a.strip() for a in row["answers"])
        sentence, cells = "", tuple[tuple[int, int], ...]()
        if source == "fetaqa":
            sentence = answers[0]
            cells = mentioned(rows, self.corpus.tables[n].headers, sentence)
        elif not (source == "wtq" and COUNTING.search(text)):
            cells = cells_of(rows, answers)
        return AskedQuestion(text, source, group, answers, table=n, cells=cells, sentence=sentence)


def paragraphs(context: str) -> list[str]:
    """Cut a text at blank lines, at lines that begin with a capital, and a piece that is still long between sentences.

    Short pieces are joined to the one before.
    """
    joined: list[str] = []
    for piece in _pieces(context):
        short = joined and (len(joined[-1]) < LEAST_CHARS or len(piece) < LEAST_LAST_CHARS)
        if short and len(joined[-1]) + len(piece) < MOST_CHARS:
            joined[-1] += " " + piece
        else:
            joined.append(piece)
    return [p[:LONGEST] for p in joined]


def _pieces(context: str) -> list[str]:
    found = []
    for block in re.split(r"\n\s*\n|\n(?=[A-Z])", context):
        text = " ".join(block.split())
        if not text:
            continue
        piece = ""
        for a, b in sentences_of(text):
            if piece and len(piece) + b - a > MOST_CHARS:
                found.append(piece.strip())
                piece = ""
            piece += text[a:b]
        found.append(piece.strip())
    return found


def found_in(text: str, answer: str) -> list[tuple[int, int]]:
    """Find the places of an answer in a text, as whole words; at most three."""
    words = answer.split()
    if not words:
        return []
    pattern = r"(?<!\w)" + r"\s+".join(re.escape(w) for w in words) + r"(?!\w)"
    return [m.span() for m in re.finditer(pattern, text, re.IGNORECASE)][:MOST_PLACES]


def header_rows(rows: Sequence[Sequence[str]]) -> int:
    """Count the rows of the header: those before the first with a number in it, among three; 1 where none has."""
    for n, row in enumerate(rows[:HEADER_ROWS]):
        cells = [c for c in row[1:] if c.strip()]
        if n and any(_is_value(c) for c in cells):
            return n
    return 1


def _is_value(cell: str) -> bool:
    """Return True for a number that is no year."""
    bare = re.sub(r"[\s$€£%,()\-—–.]", "", cell)
    return bool(bare) and bare.isdigit() and not re.fullmatch(r"(19|20)\d\d", bare)


def cells_of(rows: Sequence[Sequence[str]], answers: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Find the cells that are the answers; none unless each answer is one, and none of them stands in many."""
    found: list[tuple[int, int]] = []
    for answer in answers:
        key = _key(answer)
        own = [(r, c) for r, row in enumerate(rows) for c, cell in enumerate(row) if _key(cell) == key]
        if not own or len(own) > MOST_PLACES:
            return ()
        found += own
    return tuple(found)


def _key(cell: str) -> str:
    return re.sub(r"[\s$%,]", "", cell.lower())


def mentioned(rows: Sequence[Sequence[str]], headers: int, said: str) -> tuple[tuple[int, int], ...]:
    """Find the cells that a sentence mentions, in the row of which it mentions most."""
    lowered = f" {said.lower()} "
    best: list[tuple[int, int]] = []
    for r, row in enumerate(rows[headers:], headers):
        own = [
            (r, c)
            for c, cell in enumerate(row)
            if len(cell) > 1 and re.search(r"(?<!\w)" + re.escape(cell.lower()) + r"(?!\w)", lowered)
        ]
        if len(own) > len(best):
            best = own
    return tuple(best)
