"""Reranking: what a cross-encoder orders, what keeps its place, and that a search goes on without it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from indexing import BBox, Collection, Element, Found, Hit
from indexing.types import PageHit
from plugins.models.reranking import RERANKED, Reranking
from rag import Pipeline, RagSettings
from tests.support.cross_encoder_files import MadePair, make_pair

WORDS = [f"word{n}" for n in range(RERANKED + 10)]
QUESTION = "mill"


@pytest.fixture
def made(tmp_path: Path) -> MadePair:
    return make_pair(tmp_path / "pair", [*WORDS, QUESTION, "Mills of the north"])


def hit(n: int, text: str, page: int = 1, **more: object) -> Hit:
    element = Element(f"e{n}", "doc", page, "text", text, BBox(0, 0, 1, 1), "layer", **more)  # type: ignore[arg-type]
    return Hit(element, 1.0 - n / 100, np.zeros((0, 1), np.float32), np.zeros((0, 2), np.int32))


def reranking(hits: list[Hit], checkpoint: str) -> tuple[Reranking, list[int]]:
    limits: list[int] = []
    pages = tuple(PageHit("doc", page, 1.0) for page in dict.fromkeys(h.element.page for h in hits))

    def search(limit: int) -> Found:
        limits.append(limit)
        return Found(tuple(hits[:limit]), (QUESTION,), np.ones(1, np.float32), pages)

    return Reranking(search, QUESTION, checkpoint), limits


def test_the_best_fifty_are_ordered_and_as_many_as_asked_returned(made: MadePair) -> None:
    hits = [hit(n, word, page=n + 1) for n, word in enumerate(WORDS)]
    search, limits = reranking(hits, str(made.folder))
    found = search(12)
    wanted = sorted(hits[:RERANKED], key=lambda h: -made.score(QUESTION, h.element.text))
    assert [h.element.id for h in found.hits] == [h.element.id for h in wanted[:12]]
    assert [page.number for page in found.pages[:RERANKED]] == [h.element.page for h in wanted]
    assert limits == [RERANKED]
    assert search.seconds > 0
    further = search(RERANKED + 10).hits
    assert [h.element.id for h in further[RERANKED:]] == [h.element.id for h in hits[RERANKED:]], "the rest is as found"


def test_a_picture_without_text_keeps_its_place_and_headings_are_read(made: MadePair) -> None:
    plain, picture = hit(0, "word1"), hit(1, " ")
    headed = hit(2, "word2", section=("Mills of the north",))
    first = made.score(QUESTION, "word1")
    second = made.score(QUESTION, "mills", "of", "the", "north", "word2")
    search, _ = reranking([plain, picture, headed], str(made.folder))
    order = [h.element.id for h in search(3).hits]
    assert order == (["e0", "e1", "e2"] if first > second else ["e2", "e1", "e0"])


def test_a_model_that_cannot_be_used_leaves_the_order_and_says_so(tmp_path: Path) -> None:
    hits = [hit(n, word) for n, word in enumerate(WORDS)]
    search, _ = reranking(hits, str(tmp_path / "gone"))
    assert search(5).hits == tuple(hits[:5])
    (note,) = search.notes
    assert note.startswith("The reranker was not used, and the order is that of the search: the model gone is gone")


@pytest.mark.slow
@pytest.mark.gate
def test_an_answer_says_what_reranking_took_and_is_given_without_it(
    samples: Collection, made: MadePair, tmp_path: Path
) -> None:
    question = "How many departures were cancelled?"
    plain = Pipeline(samples, RagSettings()).answer(question)
    answer = Pipeline(samples, RagSettings(reranker=str(made.folder))).answer(question)
    assert answer.timings["rerank"] > 0
    assert "rerank" not in plain.timings
    assert [e.element.id for e in answer.evidence] != [e.element.id for e in plain.evidence]
    failed = Pipeline(samples, RagSettings(reranker=str(tmp_path / "gone"))).answer(question)
    assert [e.element.id for e in failed.evidence] == [e.element.id for e in plain.evidence]
    assert any("The reranker was not used" in note for note in failed.notes)
    assert replace(failed, notes=(), timings={}, settings_hash="") == replace(
        plain, notes=(), timings={}, settings_hash=""
    )
