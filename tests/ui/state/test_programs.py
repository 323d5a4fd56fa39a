"""Jobs and answers of programs are kept for whoever began them, the latest, and for a month."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from rag import Answer, Question
from ui.errors import KeptUnreadable
from ui.state import AnswerForm, GivenAnswerStore, JobStore, StateStore, StoredJobFile, programs, read_form

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)
OLD = NOW - timedelta(days=31)
MILL = StoredJobFile("mill.pdf", 4, "waiting", document="abc")
RYE = Answer("What grows?", "text", (), (), 0.5, {}, "abc", ("What grows?",))
FORM = AnswerForm("mills", Question(RYE.question), RYE, ())


def test_a_job_comes_back_as_it_was_last_kept_to_its_owner(state: StateStore) -> None:
    store = JobStore(state)
    number = store.keep("one", "account ada", "mills", NOW, [MILL, StoredJobFile("a.zip", 9, "done", "unpacked")])
    (job,) = store.of("account ada")
    assert (job.number, job.id, job.collection) == (number, "one", "mills")
    assert (job.created, [file.state for file in job.files]) == ("2026-11-26T12:00:00+00:00", ["waiting", "done"])
    read = StoredJobFile("mill.pdf", 4, "failed", "locked “x”", 1, 7, "abc")
    store.save("account ada", "one", [read])
    store.save("account bob", "one", [])
    assert (store.of("account ada")[0].files, store.of("account bob")) == ((read,), ())


def test_an_answer_comes_back_as_it_was_kept_to_its_owner(state: StateStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store = GivenAnswerStore(state)
    store.keep("account ada", "one", '{"id": "one"}', FORM, NOW)
    answer = store.one("account ada", "one")
    assert answer is not None
    assert (answer.collection, answer.record, read_form(answer.form).answer) == ("mills", '{"id": "one"}', RYE)
    monkeypatch.setattr("ui.state.answer_form._MOST_JSON", 10)
    with pytest.raises(KeptUnreadable, match="too large"):
        store.keep("account ada", "two", "{}", FORM, NOW)
    assert (store.one("account bob", "one"), store.one("account ada", "two")) == (None, None)


def test_the_latest_are_kept_and_none_for_longer_than_a_month(
    state: StateStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, most in (("MOST_JOBS", 2), ("MOST_ANSWERS", 2), ("MOST_ALL_ANSWERS", 3)):
        monkeypatch.setattr(programs, name, most)
    jobs, answers = JobStore(state), GivenAnswerStore(state)
    rows = [("bob", "old", OLD), *(("ada", name, NOW) for name in ("one", "two", "three"))]
    for owner, name, time in rows:
        jobs.keep(name, owner, "mills", time, [])
        answers.keep(owner, name, "{}", FORM, time)
    assert ([job.id for job in jobs.of("ada")], jobs.of("bob")) == (["two", "three"], ())
    assert [name for owner, name, _ in rows if answers.one(owner, name)] == ["two", "three"]
    for name in ("four", "five"):
        answers.keep("bob", name, "{}", FORM, NOW)
    assert [answers.one("ada", name) is not None for name in ("two", "three")] == [False, True]
