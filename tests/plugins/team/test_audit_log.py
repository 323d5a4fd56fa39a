"""The audit log: entries come in order, none is lost in silence, none is forged by a name, old ones are deleted."""

from datetime import UTC, datetime, timedelta

import pytest

from plugins.team.audit_log import AuditLog, audit_entries
from ui.access import EVERYTHING, Actor, Identity, acting, acting_as, at_scene
from ui.errors import AuditUnwritable
from ui.state import StateStore

ADA = Actor("ada", "person", 0, "10.0.0.1", "page")


def test_who_did_what_from_where_is_there_at_once(state: StateStore) -> None:
    log = AuditLog(state)
    with acting(Identity("ada", 7)), at_scene("10.0.0.1", "api"):
        log.note("ask", "papers", question="who?")
        log.note("remove-document", "papers", "abc")
    ask, remove = audit_entries(state)
    assert (ask.deed, ask.who, ask.kind, ask.address, ask.channel, ask.question) == (
        "ask", "ada", "person", "10.0.0.1", "api", "",
    )  # fmt: skip
    assert (remove.deed, remove.collection, remove.thing, remove.outcome) == (
        "remove-document", "papers", "abc", "done",
    )  # fmt: skip
    with acting(EVERYTHING), acting_as(ADA):  # the server's own work is not logged
        log.note("open", "papers")
    with acting_as(ADA):
        log.note("add-document", "papers", "a.pdf")
    assert [(entry.who, entry.deed) for entry in audit_entries(state)[2:]] == [("ada", "add-document")]


def test_no_name_forges_an_entry(state: StateStore) -> None:
    log = AuditLog(state, questions=True)
    hostile = "x\n2026-01-01  ada  done\x1b[31m\u202e\u2028\ud800\x00'; DROP TABLE users --"
    log.note("add-document", hostile, hostile * 20, question=hostile, by=Actor(hostile, "person", 0, hostile))
    log.note("ask", "papers", question="who?" * 1000, by=ADA)
    entry, ask = audit_entries(state)
    for text in (entry.who, entry.collection, entry.thing, entry.address, entry.question):
        assert text.isprintable()
        assert not set(text) & set("\n\x1b\u202e\u2028\ud800\x00")
    assert (entry.who, len(entry.thing), len(ask.question)) == (entry.collection, 256, 1000)


def test_opening_is_told_once_and_not_beside_another_deed(state: StateStore, monkeypatch: pytest.MonkeyPatch) -> None:
    log = AuditLog(state)
    for collection in ("papers", "papers", "minutes", "papers"):
        log.note("open", collection, by=ADA)
    log.note("ask", "mills", by=ADA)
    log.note("open", "mills", by=ADA)
    log.note("open", "mills", outcome="refused", by=ADA)
    told = [(entry.deed, entry.collection, entry.outcome) for entry in audit_entries(state)]
    assert told == [
        ("open", "papers", "done"),
        ("open", "minutes", "done"),
        ("ask", "mills", "done"),
        ("open", "mills", "refused"),
    ]
    monkeypatch.setattr("plugins.team.audit_log._MOST_OPENED", 1)
    log.note("open", "weirs", by=ADA)
    log.note("open", "papers", by=ADA)
    assert [entry.collection for entry in audit_entries(state)[4:]] == ["weirs", "papers"]


def test_old_entries_are_deleted_by_a_server_and_by_no_command(state: StateStore) -> None:
    now = datetime(2026, 11, 25, 12, tzinfo=UTC)
    for age in (400, 100, 0):
        AuditLog(state, clock=lambda age=age: now - timedelta(days=age)).note("join", thing=f"{age}", by=ADA)  # type: ignore[misc]
    assert len(audit_entries(state)) == 3
    AuditLog(state, days=365, clock=lambda: now).note("log-in", by=ADA)
    assert [entry.thing for entry in audit_entries(state)] == ["100", "0", ""]


def test_what_cannot_be_written_down_is_refused(state: StateStore) -> None:
    log = AuditLog(state)
    with state.transaction() as connection:
        connection.exec_driver_sql("ALTER TABLE audit_entries RENAME TO gone")
    with pytest.raises(AuditUnwritable), log.record("delete-collection", "papers", by=ADA):
        pass
    for deed in ("ask", "open", "open"):  # the second is no less refused than the first
        with pytest.raises(AuditUnwritable):
            log.note(deed, "papers", by=ADA)  # type: ignore[arg-type]
