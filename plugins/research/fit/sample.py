"""The sample of open questions that embedders are trained on: questions of every source, and the texts asked of."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from plugins.research.fit.corpus import AskedQuestion, Corpus, CorpusPassage, CorpusTable

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
