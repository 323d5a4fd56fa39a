"""The examples of an epoch: each question with a region that answers it, some that do not, and a claim to check."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evaluation.fit.reader.claims import claim_of, made_false
from evaluation.fit.reader.corpus import AskedQuestion, Corpus, CorpusTable
from evaluation.fit.reader.negatives import Negatives
from evaluation.fit.reader.regions import ROW_GAP, Material, TrainingRegion, heading
from evaluation.fit.reader.wording import asked, has, looked_up, plain

SUPPORTS, CONTRADICTS, SILENT, UNASKED = 0, 1, 2, -1
UNKNOWN = -1
MADE = "made"
"""The source of questions that are made out of tables."""
MOST_KEY = 60


@dataclass(frozen=True, slots=True)
class ReaderExample:
    """A region to read. `answers` is 1, 0, or UNKNOWN; `spans` are (start, end) of `region`, none where the place is
    not known; `sentence` is the claim that is checked, `support` one of the constants above; `kind` says how it was
    made.
    """

    question: str
    region: str
    answers: int
    spans: tuple[tuple[int, int], ...] = ()
    sentence: str = ""
    support: int = UNASKED
    source: str = ""
    kind: str = ""


class Examples:
    """A maker of the examples of an epoch, the same for the same seed."""

    def __init__(self, corpus: Corpus, *, training: bool = True) -> None:
        """Take the groups that are trained on, or those that are held out."""
        self.material = Material(corpus, training=training)
        self._negatives = Negatives(self.material)

    def epoch(self, seed: int, limits: Mapping[str, int]) -> Iterator[list[ReaderExample]]:
        """Yield the examples of one question after the other; `limits` says how many questions of each source.

        More than there are repeats them; a source that is not named is taken whole; `made` is made of tables.
        """
        rng = random.Random(seed)  # noqa: S311  repeatable, not secret
        by_source: dict[str, list[AskedQuestion]] = defaultdict(list)
        for q in self.material.questions:
            by_source[q.source].append(q)
        chosen: list[AskedQuestion | None] = []
        for source, own in sorted(by_source.items()):
            times, rest = divmod(limits.get(source, len(own)), len(own))
            chosen += own * times + rng.sample(own, rest)
        chosen += [None] * limits.get(MADE, 0)
        rng.shuffle(chosen)
        for question in chosen:
            made = self._made(rng) if question is None else self._of(question, rng)
            if made:
                yield made

    def _of(self, q: AskedQuestion, rng: random.Random) -> list[ReaderExample]:
        """Return the examples of a question: the right region first."""
        right = self.material.right(q, rng)
        if right is None:
            return []
        text = asked(q.text, rng)
        wrong = self._negatives.regions(q, rng)
        rng.shuffle(wrong)
        swapped = self._negatives.swapped(q, right, rng) if rng.random() < 0.4 else None
        kind = "text" if q.passage >= 0 else "table"
        found = [ReaderExample(text, right.text, 1, right.spans, source=q.source, kind=kind)]
        found += [ReaderExample(text, w, 0, source=q.source, kind=k) for w, k in wrong[:3]]
        if swapped:
            found.append(ReaderExample(swapped, right.text, 0, source=q.source, kind="swapped"))
        return found + self._claims(q, right, [w for w, _ in wrong], rng)

    def _made(self, rng: random.Random) -> list[ReaderExample]:
        """Return the examples of a question for one drawn cell of a table; none if that cell cannot be asked for."""
        if not self.material.tables:
            return []
        n = rng.choice(self.material.tables)
        t = self.material.corpus.tables[n]
        place = _cell_to_ask_for(t, rng)
        if place is None:
            return []
        r, c = place
        key, head, value = t.rows[r][0], t.rows[0][c], t.rows[r][c]
        question = looked_up(key, head, value, rng)
        one_row = rng.random() < 0.25
        right = _as_lines(t, r, head, rng) if one_row else self.material.table(n, [(r, c)], rng)
        if right is None or not right.spans:
            return []
        found = [ReaderExample(question, right.text, 1, right.spans, source=MADE, kind="table")]
        wrong = self.material.table(n, (), rng, drop=[r])
        if wrong and not has(wrong.text, {plain(key)}):
            found.append(ReaderExample(question, wrong.text, 0, source=MADE, kind="cut"))
        found += self._asked_of_others(t, right, (key, head, value), question, rng)
        q = AskedQuestion(question, MADE, t.group, (value,), table=n, cells=((r, c),))
        return found + self._claims(q, right, [wrong.text] if wrong else [], rng)

    def _asked_of_others(
        self, t: CorpusTable, right: TrainingRegion, cell: tuple[str, str, str], question: str, rng: random.Random
    ) -> list[ReaderExample]:
        """Ask the same of a row that is not there, and of another table of the document."""
        key, head, value = cell
        found = []
        m, r = rng.choice(self.material.first_cells)
        other = self.material.corpus.tables[m].rows[r][0]
        if other and other.lower() not in right.text.lower() and len(other) < MOST_KEY:
            swapped = looked_up(other, head, value, rng)
            found.append(ReaderExample(swapped, right.text, 0, source=MADE, kind="swapped"))
        near = self.material.tables_of[t.group]
        elsewhere = self.material.table(rng.choice(near), (), rng) if len(near) > 1 else None
        if elsewhere and key.lower() not in elsewhere.text.lower():
            found.append(ReaderExample(question, elsewhere.text, 0, source=MADE, kind="same document"))
        return found

    def _claims(
        self, q: AskedQuestion, right: TrainingRegion, wrong: Sequence[str], rng: random.Random
    ) -> list[ReaderExample]:
        """Return a claim that answers the question, for half of the questions.

        It is held against the region as it is or made false, or as it is against a region that does not answer.
        """
        if rng.random() > 0.5 or not right.spans:
            return []
        claim = claim_of(q, right, rng)
        if claim is None:
            return []
        text = q.text if rng.random() < 0.6 else ""
        drawn = rng.random()
        if drawn < 0.4:
            answers, spans = (1, right.spans) if text else (UNKNOWN, ())
            return [ReaderExample(text, right.text, answers, spans, claim, SUPPORTS, q.source, "claim")]
        if drawn < 0.75:
            false = made_false(self.material, q, right, claim, rng)
            return (
                [ReaderExample(text, right.text, UNKNOWN, (), false, CONTRADICTS, q.source, "claim")] if false else []
            )
        if not wrong:
            return []
        return [ReaderExample(text, wrong[0], 0 if text else UNKNOWN, (), claim, SILENT, q.source, "claim")]


def _cell_to_ask_for(t: CorpusTable, rng: random.Random) -> tuple[int, int] | None:
    """Draw a cell whose row is known by its first cell; None where the one drawn is not, or says nothing."""
    if t.headers != 1 or len(t.rows) < 3:
        return None
    r = rng.randrange(1, len(t.rows))
    c = rng.randrange(1, len(t.rows[0])) if len(t.rows[0]) > 1 else 0
    row = t.rows[r]
    if not c or c >= len(row) or not all((row[c], row[0], t.rows[0][c])) or len(row[0]) > MOST_KEY:
        return None
    same = [other for other in t.rows[1:] if other and other[0].lower() == row[0].lower()]
    return (r, c) if len(same) == 1 and any(ch.isalpha() for ch in t.rows[0][c]) else None


def _as_lines(t: CorpusTable, r: int, head: str, rng: random.Random) -> TrainingRegion:
    """Return a row as lines of name and value; the answer is the value of `head`."""
    text, spans = heading(t.title, rng), tuple[tuple[int, int], ...]()
    for name, value in zip(t.rows[0], t.rows[r], strict=False):
        if not name or not value:
            continue
        text += ROW_GAP * bool(text and not text.endswith("\n")) + f"{name}: "
        if name == head:
            spans = ((len(text), len(text) + len(value)),)
        text += value
    return TrainingRegion(text, spans)
