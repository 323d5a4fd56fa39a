"""Answers that programs were given are kept for them alone, the latest, and for a month."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from rag import Answer, Question
from ui.errors import KeptUnreadable
from ui.state import AnswerForm, GivenAnswerStore, StateStore, given_answers, read_form

NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)
RYE = Answer("What grows?", "text", (), (), 0.5, {}, "abc", ("What grows?",))
FORM = AnswerForm("mills", Question(RYE.question), RYE, ())


def test_an_answer_comes_back_as_it_was_kept_to_nobody_else(state: StateStore) -> None:
    store = GivenAnswerStore(state)
    store.keep("account ada", "one", '{"id": "one"}', FORM, NOW)
    kept = store.one("account ada", "one")
    assert kept is not None
    assert (kept.collection, kept.record, read_form(kept.form).answer) == ("mills", '{"id": "one"}', RYE)
    assert store.one("account bob", "one") is None
    assert store.one("account ada", "two") is None


def test_the_latest_are_kept_and_none_for_longer_than_a_month(
    state: StateStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(given_answers, "MOST_ANSWERS", 2)
    monkeypatch.setattr(given_answers, "MOST_ALL_ANSWERS", 3)
    store = GivenAnswerStore(state)
    kept = [("bob", "old", NOW - timedelta(days=31)), *(("ada", name, NOW) for name in ("one", "two", "three"))]
    for owner, name, given in kept:
        store.keep(owner, name, "{}", FORM, given)
    assert [name for owner, name, _ in kept if store.one(owner, name)] == ["two", "three"]
    for name in ("four", "five"):
        store.keep("bob", name, "{}", FORM, NOW)
    assert [store.one("ada", name) is not None for name in ("two", "three")] == [False, True]


def test_one_that_is_too_large_is_not_kept(state: StateStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.state.conversations.form._MOST_JSON", 10)
    store = GivenAnswerStore(state)
    with pytest.raises(KeptUnreadable, match="too large"):
        store.keep("ada", "one", "{}", FORM, NOW)
    assert store.one("ada", "one") is None
