"""The training questions: read from qa.jsonl.gz, each with the passage or the table that answers it, and a sample.

Each line is a question as JSON: `source` (the data set), `group` (the document: questions of one group are on the same
side of the split), `title`, `question`, `answers`, and either `context` (a text) or `rows` (a table).
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any
from zlib import crc32

from evaluation import GoldUnreadable

MAX_CHARS = 900
"""The usual limit of a passage, in characters: about a paragraph of a page."""
LONGEST = 2000
MIN_CHARS, MIN_LAST_CHARS = 120, 60
HELD_OUT = 10
"""The number of groups of which one is never trained on."""
_SENTENCE_END = re.compile(r"[.!?]['\")\]]*\s+(?=[\"'(\[]?[A-Z0-9])")
_SPACED = (
    (re.compile(r"-LRB- ?"), "("),
    (re.compile(r" ?-RRB-"), ")"),
    (re.compile(r"-LSB- ?"), "["),
    (re.compile(r" ?-RSB-"), "]"),
    (re.compile(r"`` ?"), '"'),
    (re.compile(r" ?''"), '"'),
    (re.compile(r"` "), "'"),
    (re.compile(r" ([,.;:!?%)\]}]|n't\b|'s\b|'re\b|'ve\b|'ll\b|'d\b|'m\b|'(?=\s|$))"), r"\1"),
    (re.compile(r"([(\[{$#]) "), r"\1"),
)


@dataclass(frozen=True, slots=True)
class CorpusPassage:
    """A paragraph of a text."""

    group: str
    text: str


@dataclass(frozen=True, slots=True)
class CorpusTable:
    """A table, with its header among the rows."""

    group: str
    title: str
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question with the passage or the table that answers it: its number in the corpus, -1 for the other one."""

    text: str
    source: str
    group: str
    passage: int = -1
    table: int = -1


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
            for number, line in enumerate(lines, 1):  # noqa: B007  named in the error
                reading.take(json.loads(line))
    except FileNotFoundError:
        raise GoldUnreadable(f"{path}: no such file: name the questions with --data, or set VOUCH_TRAIN") from None
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise GoldUnreadable(f"{path}: line {number}: no question that can be read ({error!r})") from None
    return reading.corpus


@dataclass(frozen=True, slots=True)
class _Reading:
    """The corpus read so far, with the numbers of its contexts and tables by their group and text."""

    corpus: Corpus
    passages: dict[tuple[str, str], list[int]]
    tables: dict[tuple[str, str], int]

    def take(self, row: dict[str, Any]) -> None:
        """Add the question of a line."""
        group = f"{row['source']}:{row['group']}"
        question = self._of_text(row, group) if row["rows"] is None else self._of_table(row, group)
        if question is not None:
            self.corpus.questions.append(question)

    def _of_text(self, row: dict[str, Any], group: str) -> AskedQuestion | None:
        """Return the question with the first passage of its context that has an answer; None where none has."""
        apart = row["source"] == "qamr"  # whose tokens stand apart
        context = unspaced(row["context"]) if apart else row["context"]
        answers = [unspaced(answer) if apart else answer for answer in row["answers"]]
        if (group, context) not in self.passages:
            first = len(self.corpus.passages)
            self.corpus.passages.extend(CorpusPassage(group, piece) for piece in paragraphs(context))
            self.passages[group, context] = list(range(first, len(self.corpus.passages)))
        for n in self.passages[group, context]:
            if any(contains(self.corpus.passages[n].text, answer) for answer in answers):
                return AskedQuestion(_single_spaced(row["question"]), row["source"], group, passage=n)
        return None

    def _of_table(self, row: dict[str, Any], group: str) -> AskedQuestion:
        title = row["title"].replace("_", " ").strip()
        rows = tuple(tuple(_single_spaced(str(cell)) for cell in cells) for cells in row["rows"])
        key = (group, json.dumps(rows))
        if key not in self.tables:
            self.tables[key] = len(self.corpus.tables)
            self.corpus.tables.append(CorpusTable(group, "" if title.endswith(".csv") else title, rows))
        return AskedQuestion(_single_spaced(row["question"]), row["source"], group, table=self.tables[key])


def paragraphs(context: str) -> list[str]:
    """Cut a text at blank lines, at lines that begin with a capital, and a piece that is still long between sentences.

    Short pieces are joined to the one before.
    """
    joined: list[str] = []
    for piece in _pieces(context):
        short = joined and (len(joined[-1]) < MIN_CHARS or len(piece) < MIN_LAST_CHARS)
        if short and len(joined[-1]) + len(piece) < MAX_CHARS:
            joined[-1] += " " + piece
        else:
            joined.append(piece)
    return [p[:LONGEST] for p in joined]


def _pieces(context: str) -> list[str]:
    found = []
    for block in re.split(r"\n\s*\n|\n(?=[A-Z])", context):
        text = _single_spaced(block)
        if not text:
            continue
        piece = ""
        for a, b in sentence_spans(text):
            if piece and len(piece) + b - a > MAX_CHARS:
                found.append(piece.strip())
                piece = ""
            piece += text[a:b]
        found.append(piece.strip())
    return found


def sentence_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Find (start, end) of each sentence."""
    cuts = [0, *(m.end() for m in _SENTENCE_END.finditer(text)), len(text)]
    return tuple((a, b) for a, b in pairwise(cuts) if text[a:b].strip())


def contains(text: str, answer: str) -> bool:
    """Return True where an answer stands in a text as whole words, in any case."""
    words = r"\s+".join(re.escape(word) for word in answer.split())
    return bool(words) and re.search(rf"(?<!\w){words}(?!\w)", text, re.IGNORECASE) is not None


def unspaced(text: str) -> str:
    """Join the tokens of a text that stand apart."""
    for pattern, by in _SPACED:
        text = pattern.sub(by, text)
    return _single_spaced(text)


def _single_spaced(text: str) -> str:
    return " ".join(text.split())


MOST_OF_TABLE = 1200
"""The most characters of a table: about a window of the model."""
LARGE = {"tatqa": 3000, "wtq": 2500, "qamr": 2500, "fetaqa": 2000}
"""The most questions of the large sources, which would drown the others; of those all are taken."""
SAMPLED = 1
"""The seed of the sample."""
AROUND = 8
"""The most texts of a group that are taken besides those that answer."""


@dataclass(frozen=True, slots=True)
class SampledText:
    """A text as Vouch would embed it, and the group (the document) that it is of."""

    text: str
    group: str


@dataclass(frozen=True, slots=True)
class Sample:
    """Questions, for each of them the number in `texts` of the one that answers, and texts; some answer nothing."""

    questions: list[AskedQuestion]
    answering: list[int]
    texts: list[SampledText]


def sample_of(corpus: Corpus) -> Sample:
    """Return questions of every source with the texts that answer, and some more texts of each group."""
    draw = random.Random(SAMPLED)  # noqa: S311  a sample, no secret
    by_source: dict[str, list[AskedQuestion]] = defaultdict(list)
    for question in corpus.questions:
        by_source[question.source].append(question)
    asked = [
        q
        for source, own in sorted(by_source.items())
        for q in draw.sample(own, min(LARGE.get(source, len(own)), len(own)))
    ]
    groups = {q.group for q in asked}
    of_group: dict[str, list[tuple[bool, int]]] = defaultdict(list)
    kinds: list[tuple[bool, Sequence[CorpusPassage | CorpusTable]]] = [(False, corpus.passages), (True, corpus.tables)]
    for is_table, of_kind in kinds:
        for n, text in enumerate(of_kind):
            if text.group in groups:
                of_group[text.group].append((is_table, n))
    answering = [_answering(q) for q in asked]
    around = (key for _, own in sorted(of_group.items()) for key in draw.sample(own, min(AROUND, len(own))))
    number = {key: n for n, key in enumerate(dict.fromkeys([*answering, *around]))}
    return Sample(asked, [number[key] for key in answering], [_written(corpus, *key) for key in number])


def _answering(question: AskedQuestion) -> tuple[bool, int]:
    return (False, question.passage) if question.passage >= 0 else (True, question.table)


def _written(corpus: Corpus, is_table: bool, n: int) -> SampledText:
    if not is_table:
        return SampledText(corpus.passages[n].text, corpus.passages[n].group)
    table = corpus.tables[n]
    rows = "\n".join(" | ".join(row) for row in table.rows)
    return SampledText("\n".join(filter(None, (table.title, rows)))[:MOST_OF_TABLE], table.group)
