"""Sessions, tokens and invitations: secrets that end, are kept as hashes, and give no more than they should."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text, update

from ui.errors import BadPerson
from ui.state import StateStore
from ui.state.people import People, Tokens, Visits, invitations, invite, join, may
from ui.state.people.tables import INVITATIONS, TOKENS

LONG_AGO = "2020-01-01T00:00:00+00:00"


@pytest.fixture
def people(state: StateStore) -> People:
    people = People(state)
    people.add("ada", "correct horse")
    people.give("papers", "editor", user="ada")
    people.give("notes", "owner", user="ada")
    people.add_group("lab")
    return people


class Clock:
    """A clock that the test sets forward."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def test_a_session_ends_after_its_last_use_and_after_its_longest_time(people: People) -> None:
    clock = Clock()
    visits = Visits(people.state, idle_hours=1, most_days=1, clock=clock)
    visits.begin("secret", "Ada")
    clock.now += timedelta(minutes=50)
    assert visits.find("secret") is not None
    clock.now += timedelta(minutes=50)
    identity = Visits(people.state, 1, 1, clock).find("secret")  # another run of the server
    assert identity is not None
    assert (identity.name, identity.role("papers")) == ("ada", "editor")
    clock.now += timedelta(minutes=61)
    assert visits.find("secret") is None
    visits.begin("other", "ada")
    for _ in range(47):
        clock.now += timedelta(minutes=30)
        assert visits.find("other") is not None
    clock.now += timedelta(minutes=31)
    assert visits.find("other") is None


def test_sessions_are_ended_by_logging_out_by_an_admin_and_by_a_new_password(people: People) -> None:
    visits = Visits(people.state, 1, 1)
    for secret in ("a", "b"):
        visits.begin(secret, "ada")
    visits.end("a")
    assert [visits.find(secret) is None for secret in ("a", "b")] == [True, False]
    assert visits.revoke("bob") == 0
    assert visits.revoke("ADA") == 1
    visits.begin("c", "ada")
    people.set_password("ada", "battery staple")
    assert visits.find("c") is None
    visits.begin("d", "nobody")
    assert visits.find("d") is None
    visits.begin("e", "ada")
    people.remove("ada")
    assert visits.find("e") is None


def test_a_token_gives_its_role_in_its_collections_and_no_more_than_its_user_has(people: People) -> None:
    tokens = Tokens(people.state)
    reads, edits = tokens.add("ada", "reads all"), tokens.add("ada", "notes alone", "editor", ["notes", "other"])
    reader, editor = tokens.find(reads), tokens.find(edits)
    assert reader is not None
    assert editor is not None
    assert [reader.role(name) for name in ("papers", "notes", "other")] == ["reader", "reader", None]
    assert [editor.role(name) for name in ("papers", "notes", "other")] == [None, "editor", None]
    people.set_admin("ada", True)
    admin = tokens.find(edits)
    assert admin is not None
    assert [may(admin, "owner", name) for name in ("notes", "papers")] == [False, False]


def test_a_token_ends_and_is_revoked(people: People) -> None:
    tokens = Tokens(people.state)
    secret, forever = tokens.add("ada", "short"), tokens.add("ada", "for ever", days=None)
    assert tokens.find(secret) is not None
    with people.state.transaction() as connection:
        connection.execute(update(TOKENS).values(expires_at=LONG_AGO).where(TOKENS.c.label == "short"))
    assert tokens.find(secret) is None
    assert tokens.find(forever) is not None
    short, other = tokens.list_tokens("ada")
    assert (short.label, short.used_at is None, other.expires_at, other.role) == ("short", False, None, "reader")
    tokens.revoke(other.number)
    assert tokens.find(forever) is None
    with pytest.raises(BadPerson, match="token list"):
        tokens.revoke(other.number)
    assert [tokens.find(made_up) for made_up in ("", "vch_", "vch_x", secret[4:], "x" * 10_000)] == [None] * 5


def test_a_token_without_a_label_or_a_role_is_refused(people: People) -> None:
    for label, role in (("", "reader"), ("x" * 65, "reader"), ("x", "king")):
        with pytest.raises(BadPerson):
            Tokens(people.state).add("ada", label, role)  # type: ignore[arg-type]


def test_an_invitation_makes_one_user_with_what_it_was_made_for(people: People) -> None:
    people.give("notes", "reader", group="lab")
    secret = invite(people.state, "papers", "editor", "lab").secret
    with pytest.raises(BadPerson, match="taken"):
        join(people.state, secret, "ada", "long enough")
    with pytest.raises(BadPerson, match="8 to"):
        join(people.state, secret, "bob", "short")
    join(people.state, secret, "Bob", "long enough")
    bob = people.identity("bob")
    assert bob is not None
    assert (bob.role("papers"), bob.role("notes"), bob.admin) == ("editor", "reader", False)
    assert people.admits("bob", "long enough")
    with pytest.raises(BadPerson, match="been used"):
        join(people.state, secret, "eve", "long enough")


def test_an_invitation_that_has_ended_or_was_made_up_lets_nobody_in(people: People) -> None:
    secret = invite(people.state).secret
    with people.state.transaction() as connection:
        connection.execute(update(INVITATIONS).values(expires_at=LONG_AGO))
    for made_up in (secret, "", "x"):
        with pytest.raises(BadPerson):
            join(people.state, made_up, "eve", "long enough")
    assert not people.is_known("eve")


def test_no_password_is_hashed_for_a_name_or_an_invitation_that_is_refused(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = invite(people.state).secret
    monkeypatch.setattr(invitations, "hash_password", lambda _: pytest.fail("a password was hashed"))
    for made_up, name in (("x", "eve"), (secret, "ada"), (secret, "<eve>")):
        with pytest.raises(BadPerson):
            join(people.state, made_up, name, "long enough")


def test_an_invitation_to_what_cannot_be_is_refused(people: People) -> None:
    for wrong in ({"collection": "papers"}, {"role": "reader"}, {"group": "nobody"}):
        with pytest.raises(BadPerson):
            invite(people.state, **wrong)  # type: ignore[arg-type]


@pytest.mark.gate
def test_no_secret_stands_in_the_database(people: People) -> None:
    token = Tokens(people.state).add("ada", "one")
    secret = invite(people.state).secret
    Visits(people.state, 1, 1).begin("of-a-session", "ada")
    with people.state.transaction() as connection:
        kept = str([connection.execute(text(f"SELECT * FROM {name}")).all() for name in _TABLES])
    assert len(kept) > 500
    assert [said for said in (token, secret, "of-a-session", "correct horse") if said in kept] == []


_TABLES = ("users", "invitations", "sessions", "tokens")
