"""Jobs are kept for whoever began them, the latest, and for a month."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from ui.state import JobStore, StateStore, StoredJobFile, jobs

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)
MILL = StoredJobFile("mill.pdf", 4, "waiting", document="abc")


def test_a_job_comes_back_as_it_was_last_kept(state: StateStore) -> None:
    store = JobStore(state)
    number = store.keep("one", "account ada", "mills", NOW, [MILL, StoredJobFile("a.zip", 9, "done", "unpacked")])
    (kept,) = store.of("account ada")
    assert (kept.number, kept.id, kept.collection, kept.created) == (
        number,
        "one",
        "mills",
        "2026-11-26T12:00:00+00:00",
    )
    assert [file.state for file in kept.files] == ["waiting", "done"]
    read = StoredJobFile("mill.pdf", 4, "failed", "locked “x”", 1, 7, "abc")
    store.save("account ada", "one", [read])
    assert store.of("account ada")[0].files == (read,)


def test_a_job_is_nobody_else_s(state: StateStore) -> None:
    store = JobStore(state)
    store.keep("one", "account ada", "mills", NOW, [MILL])
    store.save("account bob", "one", [])
    assert store.of("account bob") == ()
    assert store.of("account ada")[0].files == (MILL,)


def test_the_latest_are_kept_and_none_for_longer_than_a_month(
    state: StateStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "MOST_JOBS", 2)
    store = JobStore(state)
    store.keep("old", "account bob", "mills", NOW - timedelta(days=31), [])
    for name in ("one", "two", "three"):
        store.keep(name, "account ada", "mills", NOW, [])
    assert [job.id for job in store.of("account ada")] == ["two", "three"]
    assert store.of("account bob") == ()
