"""Comparing over a real collection: every contender by its own mode, one run a visitor, figures that add up."""

from __future__ import annotations

import pytest

from indexing.embed.minilm import MiniLM
from rag import Profile, RagSettings
from tests.support import fakes
from tests.ui.asking_over import asking_over
from tests.ui.markup import read
from ui.web.ask.asking import Asking
from ui.web.compare.comparisons import SLOTS, Comparison, Comparisons, Contender, contenders_of
from ui.web.compare.page import (
    CompareView,
    comparison_view,
    follow_comparison,
    objection,
    welcome,
)

PAGES = {"mill.pdf": [["The mill was built in 1887 by Anna Holm.", "Nine barrels of cider lie in its cellar."]]}
QUESTION = "When was the mill built by Anna Holm?"
TWO = (Contender("Text", "text", "quote"), Contender("Again", "text", "quote"))


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Asking:
    home = tmp_path_factory.mktemp("home")
    fakes.index(fakes.collection(home, embedder, "mills"), PAGES)
    return asking_over(home, Profile(rag=RagSettings(min_confidence=0)))


def ended(asking: Asking, run: Comparison) -> CompareView:
    return list(follow_comparison(asking.open_collections, run))[-1]


def test_columns_evidence_and_figures_come_at_the_end(asking: Asking) -> None:
    run = Comparisons(asking).start("me", "mills", QUESTION, TWO)
    last = ended(asking, run)
    assert not last.busy
    assert ["1887" in column for column in last.columns] == [True, True]
    assert f'data-answer="{run.id}"' in last.evidence
    assert read(last.evidence).values("data-cite")[:1] == ["1"]
    assert "Found by both" in last.below
    assert "the same numbers and names" in last.below


def test_a_collection_that_is_gone_is_told_everywhere(asking: Asking) -> None:
    last = ended(asking, Comparisons(asking).start("me", "nowhere", QUESTION, TWO))
    assert all("nowhere" in column for column in last.columns)
    assert "cannot be shown" in last.evidence
    assert last.below == ""


def test_a_visitor_has_one_comparison_and_nobody_elses(asking: Asking) -> None:
    comparisons = Comparisons(asking)
    first = comparisons.start("me", "mills", QUESTION, TWO)
    second = comparisons.start("me", "mills", QUESTION, TWO)
    assert comparisons.last("me") is second
    assert comparisons.last("you") is None
    ended(asking, second)
    assert all(m.state in ("done", "stopped") for m in first.now)
    assert not comparison_view(asking.open_collections, second, second.now).busy
    comparisons.stop("you")
    assert asking.history.turns("me") == (), "comparing leaves the history of asking alone"


@pytest.mark.parametrize(
    ("collection", "question", "contenders", "said"),
    [
        (None, "Why?", TWO, "no documents yet"),
        ("mills", "  ", TWO, "question is empty"),
        ("mills", "Why?", TWO[:1], "Fewer than two"),
    ],
)
def test_what_cannot_begin_says_why(
    collection: str | None, question: str, contenders: tuple[Contender, ...], said: str
) -> None:
    note = objection(collection, question, contenders)
    assert note is not None
    assert said in note.columns[0]
    assert objection("mills", "Why?", TWO) is None
    assert "side by side" in welcome().columns[0]


def test_widgets_say_who_competes() -> None:
    assert [c.mode for c in contenders_of("modes", "multi", "quote", True, [])] == ["text", "image", "multi"]
    assert not any(c.extract for c in contenders_of("modes", "multi", "quote", True, []))
    assert all(c.extract for c in contenders_of("modes", "multi", "cot", True, []))
    by_method = contenders_of("methods", "text", "cot", False, ["Quote", "Written in steps"])
    assert [(c.mode, c.method) for c in by_method] == [("text", "quote"), ("text", "cot")]


def test_models_compete_by_one_method_that_writes() -> None:
    by_model = contenders_of("models", "text", "quote", True, [], ["big", "small"])
    assert [(c.title, c.model, c.method, c.mode) for c in by_model] == [
        ("big", "big", "vanilla", "text"),
        ("small", "small", "vanilla", "text"),
    ]
    assert all(c.extract for c in by_model)
    assert {c.method for c in contenders_of("models", "text", "cot", False, [], ["big", "small"])} == {"cot"}
    assert len(contenders_of("models", "text", "cot", False, [], [str(n) for n in range(30)])) == SLOTS
    assert objection("mills", "Why?", contenders_of("models", "text", "cot", False, [], ["big"])) is not None
