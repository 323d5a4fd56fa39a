"""Counts of a document as answers to questions."""

from __future__ import annotations

from indexing import Collection
from rag import Pipeline, RagSettings


def test_pages_are_counted_in_the_catalogue_even_where_nothing_is_quoted(town: Collection) -> None:
    pipeline = Pipeline(town, RagSettings(min_confidence=1.0))
    answer = pipeline.answer("How many pages does this document have?", documents=["mill.pdf"])
    assert [(s.text, s.verdict) for s in answer.sentences] == [("2 (counted pages: mill.pdf 2).", "computed")]


def test_a_count_stands_alone(town: Collection) -> None:
    answer = Pipeline(town, RagSettings()).answer("How many pages does this document have?", documents=["mill.pdf"])
    assert [(s.verdict, s.short) for s in answer.sentences] == [("computed", (0, 1))]
