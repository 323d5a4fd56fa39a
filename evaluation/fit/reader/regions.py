"""One side of the split, and its passages and tables drawn as the regions that Vouch reads.

A region is a passage or some of its sentences, or a table or some of its rows with the header, behind a heading or
none; cells stand apart as `indexing` writes them. All that is drawn comes from a seeded generator.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evaluation.fit.reader.corpus import AskedQuestion, Corpus, held_out
from evaluation.fit.reader.wording import NUMBER, names_in

CELL_GAP, ROW_GAP = " | ", "\n"
MOST_TABLE_CHARS = 700


@dataclass(frozen=True, slots=True)
class TrainingRegion:
    """The text of a region, and where the answers are: (start, end) of `text`."""

    text: str
    spans: tuple[tuple[int, int], ...] = ()


class Material:
    """The questions, passages and tables of the groups that are trained on, or of those that are held out.

    `passages` and `tables` are numbers in the corpus, also by group; `numbers` and `names` are those of all questions,
    `first_cells` (table, row) of all rows under a header.
    """

    def __init__(self, corpus: Corpus, *, training: bool = True) -> None:
        self.corpus = corpus
        self.questions: list[AskedQuestion] = [q for q in corpus.questions if held_out(q.group) != training]
        self.passages = [n for n, p in enumerate(corpus.passages) if held_out(p.group) != training]
        self.tables = [n for n, t in enumerate(corpus.tables) if held_out(t.group) != training]
        self.passages_of = _by_group((corpus.passages[n].group, n) for n in self.passages)
        self.tables_of = _by_group((corpus.tables[n].group, n) for n in self.tables)
        self.numbers = sorted({m for q in self.questions for m in NUMBER.findall(q.text)})
        self.names = sorted({m for q in self.questions for m in names_in(q.text)})
        self.first_cells = [
            (n, r) for n in self.tables for r in range(corpus.tables[n].headers, len(corpus.tables[n].rows))
        ]

    def right(self, question: AskedQuestion, rng: random.Random) -> TrainingRegion | None:
        """Draw the region that answers a question."""
        if question.passage >= 0:
            return self.passage(question.passage, question.spans, rng)
        return self.table(question.table, question.cells, rng)

    def passage(self, n: int, spans: Sequence[tuple[int, int]], rng: random.Random) -> TrainingRegion:
        """Draw a passage: whole, or the first answer's sentence with some around it."""
        p = self.corpus.passages[n]
        if p.source == "qamr":
            return self._joined(n, spans, rng)
        start, end = 0, len(p.text)
        if len(p.sentences) > 2 and rng.random() < 0.4 and spans:
            a, b = spans[0]
            inside = [i for i, (s, e) in enumerate(p.sentences) if s < b and e > a]
            if inside:
                first = rng.randint(max(0, inside[0] - 2), inside[0])
                last = rng.randint(inside[-1], min(len(p.sentences) - 1, inside[-1] + 2))
                start, end = p.sentences[first][0], p.sentences[last][1]
        head = heading(p.title, rng)
        moved = len(head) - start
        return TrainingRegion(
            head + p.text[start:end].rstrip(),
            tuple((a + moved, b + moved) for a, b in spans if a >= start and b <= end),
        )

    def _joined(self, n: int, spans: Sequence[tuple[int, int]], rng: random.Random) -> TrainingRegion:
        """Draw a sentence among others of its article."""
        p = self.corpus.passages[n]
        others = [m for m in self.passages_of[p.group] if m != n]
        more = rng.sample(others, min(len(others), rng.choice([0, 0, 1, 2, 3])))
        at = rng.randint(0, len(more))
        before = "".join(self.corpus.passages[m].text + " " for m in more[:at])
        after = "".join(" " + self.corpus.passages[m].text for m in more[at:])
        return TrainingRegion(before + p.text + after, tuple((a + len(before), b + len(before)) for a, b in spans))

    def table(
        self, n: int, cells: Sequence[tuple[int, int]], rng: random.Random, drop: Sequence[int] = ()
    ) -> TrainingRegion | None:
        """Draw a table, or a window of its rows with the header; without the rows `drop`. None where no row is left."""
        t = self.corpus.tables[n]
        body = [r for r in range(t.headers, len(t.rows)) if r not in drop]
        if not body:
            return None
        size = sum(len(CELL_GAP.join(row)) for row in t.rows)
        if size > MOST_TABLE_CHARS or rng.random() < 0.2:
            body = _window(t.rows, body, cells, rng)
        return self._written(n, [*range(t.headers), *body], cells, rng)

    def _written(
        self, n: int, rows: Sequence[int], cells: Sequence[tuple[int, int]], rng: random.Random
    ) -> TrainingRegion:
        t = self.corpus.tables[n]
        head = heading(t.title, rng)
        if not head and rng.random() < 0.1:
            head = f"Table {rng.randint(1, 20)}.\n"
        text, spans = head, []
        wanted = set(cells)
        for r in rows:
            if len(text) > len(head):
                text += ROW_GAP
            filled = [(c, cell) for c, cell in enumerate(t.rows[r]) if cell]
            for k, (c, cell) in enumerate(filled):
                text += CELL_GAP if k else ""
                if (r, c) in wanted:
                    spans.append((len(text), len(text) + len(cell)))
                text += cell
        return TrainingRegion(text, tuple(spans))


def heading(title: str, rng: random.Random) -> str:
    """Draw the line before a region: its title, or nothing."""
    return f"{title}\n" if title and rng.random() < 0.5 else ""


def _window(
    rows: Sequence[Sequence[str]], body: Sequence[int], cells: Sequence[tuple[int, int]], rng: random.Random
) -> list[int]:
    """Draw rows around the first with an answer, or around any, until the room that is drawn for them is full."""
    centre = next((r for r, _ in cells if r in body), None)
    at = body.index(centre) if centre is not None else rng.randrange(len(body))
    room = rng.choice([200, 400, MOST_TABLE_CHARS])
    low = high = at
    used = len(CELL_GAP.join(rows[body[at]]))
    while used < room and (low > 0 or high < len(body) - 1):
        if low > 0 and (high == len(body) - 1 or rng.random() < 0.5):
            low -= 1
            used += len(CELL_GAP.join(rows[body[low]]))
        else:
            high += 1
            used += len(CELL_GAP.join(rows[body[high]]))
    return list(body[low : high + 1])


def _by_group(pairs: Iterable[tuple[str, int]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for group, n in pairs:
        found[group].append(n)
    return dict(found)
