"""The lease of a writer on object stores: one holds it, a dead one loses it, who lost it does not write."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from indexing import errors
from indexing.storage import ObjectRoot, WriterLease, lease
from tests.support.object_store import S3Server


@pytest.fixture
def place(address: str) -> ObjectRoot:
    return ObjectRoot.at(address).below("made-up")


def patient(place: ObjectRoot) -> WriterLease:
    """Return a lease that was got as soon as it could be."""
    end = time.monotonic() + 30
    while True:
        found = WriterLease(place)
        try:
            found.acquire()
        except errors.CollectionLocked:
            assert time.monotonic() < end
        else:
            return found


def test_of_eight_that_want_it_one_gets_it(place: ObjectRoot) -> None:
    together = threading.Barrier(8)

    def wanted(_: int) -> bool:
        together.wait()
        try:
            WriterLease(place).acquire()
        except errors.CollectionLocked:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(wanted, range(8))) == 1


def test_the_holder_is_named_and_the_next_follows_at_once(place: ObjectRoot) -> None:
    first = WriterLease(place)
    first.acquire()
    with pytest.raises(errors.CollectionLocked, match=r"process \d+ on .*: wait for it, or stop it"):
        WriterLease(place).acquire()
    first.confirm()
    first.release()
    second = WriterLease(place)
    second.acquire()
    second.release()


def test_a_lease_is_renewed_beyond_its_time(place: ObjectRoot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "SECONDS", 2.0)
    monkeypatch.setattr(lease, "RENEWAL_SECONDS", 0.2)
    held = WriterLease(place)
    held.acquire()
    begun = place.modification_time(lease.KEY)
    end = time.monotonic() + 30
    while (now := place.modification_time(lease.KEY)) is None or begun is None or (now - begun).total_seconds() < 4:
        assert time.monotonic() < end
        with pytest.raises(errors.CollectionLocked):
            WriterLease(place).acquire()
    held.confirm()
    held.release()


def test_a_dead_owner_loses_it_and_who_lost_it_is_told(place: ObjectRoot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "RENEWAL_SECONDS", 1000.0)  # as a process that was stopped
    monkeypatch.setattr(lease, "SECONDS", 1.0)
    monkeypatch.setattr(lease, "FRESH", 0.0)
    first = WriterLease(place)
    first.acquire()
    second = patient(place)
    with pytest.raises(errors.WriterReplaced, match="nothing more was written; run the same command again"):
        first.confirm()
    first.release()  # takes nothing from its successor
    second.confirm()
    second.release()


def test_a_renewal_whose_answer_was_lost_is_still_ours(place: ObjectRoot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "FRESH", 0.0)
    held = WriterLease(place)
    held.acquire()
    held._root.write_if(lease.KEY, held._next_content(), held._mark)  # done by the store, but its answer did not come
    held.confirm()
    held.confirm()
    held.release()


def test_clocks_of_machines_do_not_count(place: ObjectRoot, monkeypatch: pytest.MonkeyPatch) -> None:
    held = WriterLease(place)
    held.acquire()
    monkeypatch.setattr(time, "time", lambda: 4e9)
    with pytest.raises(errors.CollectionLocked):
        WriterLease(place).acquire()
    held.release()


def test_a_store_that_is_away_takes_the_lease_from_nobody(store: S3Server) -> None:
    place = ObjectRoot.at(store.home()).below("made-up")
    held = WriterLease(place)
    held.acquire()
    held._renewal_time -= 10
    store.gate.close_gate()
    with pytest.raises(errors.StoreUnreachable):
        held.confirm()
    store.gate.shut = False
    held.confirm()
    held.release()
