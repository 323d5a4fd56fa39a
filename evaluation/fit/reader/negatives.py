"""Regions and questions that look as if they went together and do not: the reader learns more of them than of others.

Those of the same document, those that share words with the question (BM25, Robertson & Zaragoza 2009), the right region
without its answer, what stands on pages and answers nothing, and the question with another number or name in it.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.fit.reader.corpus import AskedQuestion, CorpusTable
from evaluation.fit.reader.regions import CELL_GAP, Material, TrainingRegion
from evaluation.fit.reader.wording import NAME, NUMBER, YEAR, as_heading, has, iter_words, plain, shared

Wrong = tuple[str, str]
"""A region's text and its kind."""
K1, B = 1.2, 0.75
COMMON = 5
"""A word that one text of this many has says nothing."""
NAMED = 6


class WordIndex:
    """A search for the texts that share words with a question, by BM25."""

    def __init__(self, texts: Sequence[str]) -> None:
        counts: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        lengths = np.zeros(len(texts), np.float32)
        for n, text in enumerate(texts):
            for word in iter_words(text):
                counts[word][n] += 1
                lengths[n] += 1
        self._texts = len(texts)
        self._scores: dict[str, tuple[NDArray[np.int64], NDArray[np.float64]]] = {}
        mean = (float(lengths.mean()) if len(texts) else 0.0) or 1.0
        for word, found in counts.items():
            if len(found) > len(texts) / COMMON:
                continue
            at = np.fromiter(found, np.int64)
            count = np.fromiter(found.values(), np.float32)
            idf = np.log(1 + (len(texts) - len(at) + 0.5) / (len(at) + 0.5))
            self._scores[word] = (at, idf * count * (K1 + 1) / (count + K1 * (1 - B + B * lengths[at] / mean)))

    def best(self, question: str, count: int) -> list[int]:
        """Give the numbers of the `count` texts that match best, best first."""
        if not self._texts:
            return []
        scores = np.zeros(self._texts, np.float32)
        for word in dict.fromkeys(iter_words(question)):
            if word in self._scores:
                at, score = self._scores[word]
                scores[at] += score
        top = np.argpartition(-scores, min(count, self._texts - 1))[:count]
        found: list[int] = top[np.argsort(-scores[top])].tolist()
        return found


class Negatives:
    """A source of regions that do not answer a question, drawn from one side of the split."""

    def __init__(self, material: Material) -> None:
        self._material = material
        corpus = material.corpus
        self._passages = WordIndex([corpus.passages[n].text for n in material.passages])
        tables = [corpus.tables[n] for n in material.tables]
        self._tables = WordIndex([f"{t.title} {' '.join(t.rows[0])} {' '.join(r[0] for r in t.rows)}" for t in tables])

    def regions(self, q: AskedQuestion, rng: random.Random) -> list[Wrong]:
        """Draw regions that do not answer: of the document, without the answer, alike, and sometimes debris."""
        keys = {plain(a) for a in q.answers}
        found = self._beside_passage(q, keys, rng) if q.passage >= 0 else self._beside_table(q, keys, rng)
        found += self._alike(q, keys, rng)
        if rng.random() < 0.25:
            found.append((self._debris(q, rng), "debris"))
        return [f for f in found if f[0].strip()]

    def _beside_passage(self, q: AskedQuestion, keys: set[str], rng: random.Random) -> list[Wrong]:
        """Draw other passages of the document with most of the question's words; the right one without its answer."""
        passages = self._material.corpus.passages
        others = [n for n in self._material.passages_of[passages[q.passage].group] if n != q.passage]
        others = rng.sample(others, min(len(others), 40))
        others = sorted(others, key=lambda n: -shared(q.text, passages[n].text))[:2]
        texts = [self._material.passage(n, (), rng).text for n in others]
        return [(text, "same document") for text in texts if not has(text, keys)] + self._cut(q, keys)

    def _cut(self, q: AskedQuestion, keys: set[str]) -> list[Wrong]:
        """Return the passage without the sentences that hold an answer, twice: it is the hardest."""
        p = self._material.corpus.passages[q.passage]
        kept = [(a, b) for a, b in p.sentences if not any(a < e and b > s for s, e in q.spans)]
        text = "".join(p.text[a:b] for a, b in kept).strip()
        return [(text, "cut")] * 2 if text and not has(text, keys) else []

    def _beside_table(self, q: AskedQuestion, keys: set[str], rng: random.Random) -> list[Wrong]:
        """Draw other tables and passages of the document; the right table without the rows of its answer."""
        material, found = self._material, list[Wrong]()
        group = material.corpus.tables[q.table].group
        others = [n for n in material.tables_of[group] if n != q.table]
        for n in rng.sample(others, min(len(others), 2)):
            other = material.table(n, (), rng)
            if other and not has(other.text, keys):
                found.append((other.text, "same document"))
        if q.cells:
            kept = material.table(q.table, (), rng, drop=[r for r, _ in q.cells])
            if kept and not has(kept.text, keys):
                found += [(kept.text, "cut")] * 2
        paired = material.passages_of.get(group, [])
        for n in rng.sample(paired, min(len(paired), 2)):
            if not has(material.corpus.passages[n].text, keys):
                found.append((material.passage(n, (), rng).text, "same document"))
        return found

    def _alike(self, q: AskedQuestion, keys: set[str], rng: random.Random) -> list[Wrong]:
        material, found = self._material, list[Wrong]()
        best = [material.passages[i] for i in self._passages.best(q.text, 8)]
        for n in rng.sample(best, min(len(best), 2)):
            if n != q.passage and not has(material.corpus.passages[n].text, keys):
                found.append((material.passage(n, (), rng).text, "alike"))
        best = [material.tables[i] for i in self._tables.best(q.text, 6)]
        for n in rng.sample(best, min(len(best), 2 if q.table >= 0 else 1)):
            other = material.table(n, (), rng) if n != q.table else None
            if other and not has(other.text, keys):
                found.append((other.text, "alike"))
        return found

    def _debris(self, q: AskedQuestion, rng: random.Random) -> str:
        """Draw a heading, heads of columns, labels of axes, a source; "" where there is no table."""
        material = self._material
        if not material.tables:
            return ""
        t = material.corpus.tables[rng.choice(material.tables)]
        if q.table >= 0 and rng.random() < 0.6:
            t = material.corpus.tables[q.table]
        choice = rng.randrange(7)
        if choice == 1:
            return as_heading(q.text, rng)
        if choice == 2:
            kind = rng.choice(["Figure", "CorpusTable", "Chart", "Fig."])
            return f"{kind} {rng.randint(1, 30)}{rng.choice(['.', ':', ''])} {as_heading(q.text, rng)}"
        if choice in (4, 5):
            return self._source(q, rng, whole=choice == 5)
        return _labels(t, choice, rng)

    def _source(self, q: AskedQuestion, rng: random.Random, *, whole: bool) -> str:
        """Write a line that says where something is from, or a whole reference; "" where there are too few names."""
        if len(self._material.names) < NAMED:
            return ""
        names = rng.sample(self._material.names, NAMED)
        if not whole:
            return f"Source: {names[0]}, {as_heading(q.text, rng)}. {names[1]} {rng.randint(1990, 2022)}."
        return (
            f"{names[0]}, {names[1]}, and {names[2]}. {rng.randint(1990, 2023)}. {as_heading(q.text, rng)}. "
            f"In {names[3]}, pages {rng.randint(1, 900)}–{rng.randint(901, 1900)}."
        )

    def swapped(self, q: AskedQuestion, right: TrainingRegion, rng: random.Random) -> str | None:
        """Draw the question with one that the region has not in the place of a number or a name that it has."""
        places = [m.span() for m in NUMBER.finditer(q.text) if m.group() in right.text]
        if places:
            a, b = rng.choice(places)
            other = other_number(q.text[a:b], right.text, self._material.numbers, rng)
            return q.text[:a] + other + q.text[b:] if other else None
        lowered = right.text.lower()
        places = [m.span() for m in NAME.finditer(q.text) if m.start() and m.group().lower() in lowered]
        if not places and q.table >= 0:
            places = self._cells_in(q)
        if not places:
            return None
        a, b = rng.choice(places)
        other = self._other_name(q, q.text[a:b], rng)
        if not other or len(other) > 50 or other.lower() in lowered or not any(ch.isalpha() for ch in other):
            return None
        return q.text[:a] + other + q.text[b:]

    def _other_name(self, q: AskedQuestion, name: str, rng: random.Random) -> str:
        material = self._material
        if q.table >= 0 and rng.random() < 0.7:
            n, r = rng.choice(material.first_cells)
            other = material.corpus.tables[n].rows[r][0]
            return other.lower() if name.islower() else other
        return rng.choice(material.names) if material.names else ""

    def _cells_in(self, q: AskedQuestion) -> list[tuple[int, int]]:
        """Find where a question names a cell of its table."""
        t, lowered = self._material.corpus.tables[q.table], q.text.lower()
        cells = [cell.lower().strip() for row in t.rows[t.headers :] for cell in row]
        return [(lowered.index(c), lowered.index(c) + len(c)) for c in cells if len(c) > 3 and c in lowered]


def other_number(number: str, text: str, numbers: Sequence[str], rng: random.Random) -> str | None:
    """Draw a number that a text has not: near to a year or a small one, one of `numbers` for others."""
    for _ in range(8):
        if YEAR.fullmatch(number):
            other = str(int(number) + rng.choice([-12, -7, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 8]))
        elif number.isdigit() and len(number) < 4:
            other = str(max(0, int(number) + rng.choice([-9, -4, -3, -2, -1, 1, 2, 3, 4, 7, 11])))
        elif numbers:
            other = rng.choice(numbers)
        else:
            return None
        if other != number and not re.search(rf"(?<!\d){re.escape(other)}(?!\d)", text):
            return other
    return None


def _labels(t: CorpusTable, choice: int, rng: random.Random) -> str:
    """Draw of a table: its heads (0), its heads behind the labels of an axis (3), or the values of a column."""
    if choice == 0:
        return CELL_GAP.join(c for c in t.rows[0] if c)
    if choice == 3:
        return f"{_ticks(rng)} {' '.join(c for c in t.rows[0] if c)}"
    column = rng.randrange(len(t.rows[0]))
    return " ".join(row[column] for row in t.rows[1:8] if column < len(row))


def _ticks(rng: random.Random) -> str:
    """Draw the labels of an axis."""
    low, step = rng.choice([0, 10, 1990, 2000, 20]), rng.choice([1, 2, 5, 10, 20])
    return " ".join(f"{low + i * step}{'%' if rng.random() < 0.1 else ''}" for i in range(rng.randint(4, 12)))
