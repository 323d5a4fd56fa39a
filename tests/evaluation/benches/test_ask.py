"""The shares of checking, on a collection of made-up documents that is really asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.benches.ask import altered, seconds_of_checking, share, warm, warm_rows
from evaluation.benches.inputs import BenchQuestion
from indexing.embed.minilm import MiniLM
from rag import Pipeline, RagSettings
from tests.support import fakes

MILL = {"mill.pdf": [["The mill was built in 1887 by Anna Holm.", "It grinds rye from March to October."]]}


def test_a_share_is_of_the_ask_with_the_checking() -> None:
    assert share([1.0, 2.0], [4.0, 5.0]) == pytest.approx(25.0)
    assert share([], []) == 0.0


def test_every_question_is_timed_in_its_parts(tmp_path: Path) -> None:
    made = fakes.collection(tmp_path, MiniLM(threads=1))
    (document,) = fakes.index(made, MILL)
    times = warm(made, [BenchQuestion("When was the mill built?", document.name, (1,)) for _ in range(3)])
    assert len(times.total) == len(times.check) == len(times.full_text) == 3
    assert len(times.again) == len(times.altered) == len(times.answered) == 3 - times.abstained
    assert all(
        r + a + c <= t for r, a, c, t in zip(times.retrieve, times.answer, times.check, times.total, strict=True)
    )
    limited = [row.what for row in warm_rows(times) if row.limit == 15.0]
    assert limited == ["share of boxing the quotes", "share of checking all sentences"]


def test_what_is_altered_is_proven_by_nothing(tmp_path: Path) -> None:
    made = fakes.collection(tmp_path, MiniLM(threads=1))
    fakes.index(made, MILL)
    pipeline = Pipeline(made, RagSettings(min_confidence=0.0))
    answer = altered(pipeline.answer("When was the mill built?"))
    assert answer.sentences
    assert {s.verdict for s in pipeline.recheck(answer).sentences} == {"unconfirmed"}
    assert seconds_of_checking(pipeline, answer) > 0
