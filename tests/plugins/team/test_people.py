"""People, invitations, sessions and tokens: kept, found again, refused and ended; secrets are kept as hashes."""

from datetime import UTC, datetime, timedelta

import argon2
import pytest
from sqlalchemy import select, text, update

from plugins.team import people as people_module
from plugins.team.credentials import LoginSessions, Tokens, end_sessions
from plugins.team.people import People
from plugins.team.quotas import Quotas
from plugins.team.tables import INVITATIONS, TOKENS, USERS
from ui.access import ALL_COLLECTIONS, NOBODY, Identity, may
from ui.errors import BadPerson

LONG_AGO = "2020-01-01T00:00:00+00:00"


def found(crew: People, name: str) -> Identity:
    identity = crew.identity(name)
    assert identity is not None
    return identity


def test_a_password_lets_its_user_in_and_nobody_else(crew: People) -> None:
    assert crew.admits("ada", "correct horse")
    assert crew.admits(" ADA ", "correct horse")
    for name, password in (("ada", "correct horse "), ("bob", ""), ("nobody", "correct horse")):
        assert not crew.admits(name, password)
    assert [crew.is_known(name) for name in ("Ada", "nobody")] == [True, False]
    for password in ("", "seven77", "x" * 1025):
        with pytest.raises(BadPerson, match="8 to 1,024"):
            crew.set_password("ada", password)
    assert crew.admits("ada", "correct horse")


@pytest.mark.parametrize(
    "name", ["\u212aate@example.org", "\uff4bate@example.org", "kate@example.org\u00a0", "\x1ekate@example.org"]
)
def test_a_name_that_only_folding_makes_anothers_is_nobodys(crew: People, name: str) -> None:
    crew.add("kate@example.org")
    assert crew.of_subject("https://provider.example 1", name) is None
    assert crew.identity(name) is None
    with pytest.raises(BadPerson):
        crew.add(name)


def test_a_subject_of_a_provider_is_bound_to_who_waits_by_that_address(crew: People) -> None:
    crew.add("kate@example.org")
    assert crew.of_subject("https://id.example 1", "ada") is None  # who has a password is not taken over
    assert crew.of_subject("https://id.example 2", "") is None
    assert crew.of_subject("https://id.example 2", " Kate@example.org") == "kate@example.org"
    assert crew.of_subject("https://id.example 2", "") == "kate@example.org"
    assert crew.of_subject("https://id.example 3", "kate@example.org") is None


def test_a_password_is_kept_as_a_hash_which_is_made_anew_with_new_parameters(crew: People) -> None:
    def kept() -> str:
        with crew.state.transaction() as connection:
            return str(connection.execute(select(USERS.c.password).where(USERS.c.name == "ada")).scalar())

    cheap = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash("correct horse")
    with crew.state.transaction() as connection:
        connection.execute(update(USERS).where(USERS.c.name == "ada").values(password=cheap))
    assert not crew.admits("ada", "wrong horse")
    assert kept() == cheap
    assert crew.admits("ada", "correct horse")
    assert kept().startswith("$argon2id$")
    assert kept() != cheap
    assert crew.admits("ada", "correct horse")


def test_what_cannot_be_had_is_refused(crew: People) -> None:
    for name in ("", "a b", "a:b", "<b>", "x" * 65, "ada", "ADA", "é", "../x"):
        with pytest.raises(BadPerson):
            crew.add(name)
    assert len(crew.users()) == 2
    with pytest.raises(BadPerson, match="ada"):
        crew.remove("adaa")
    with pytest.raises(BadPerson, match="lab"):
        crew.join_group("labb", "ada")
    with pytest.raises(BadPerson, match="already exists"):
        crew.add_group("lab")
    for collection, role in (("pa pers", "reader"), ("../x", "reader"), ("papers", "king")):
        with pytest.raises(BadPerson):
            crew.give(collection, role, user="ada")  # type: ignore[arg-type]


def test_a_role_is_the_best_of_a_user_s_own_and_of_their_groups(crew: People) -> None:
    crew.give("papers", "reader", user="ada")
    crew.give("papers", "editor", group="lab")
    crew.give("notes", "owner", user="ada")
    ada = found(crew, "ada")
    assert [ada.role(name) for name in ("papers", "notes", "other")] == ["editor", "owner", None]
    assert [may(ada, least, "papers") for least in ("reader", "editor", "owner")] == [True, True, False]
    assert found(crew, "bob").role("papers") is None
    crew.give("papers", None, group="lab")
    crew.join_group("lab", "ada", member=False)
    crew.give(ALL_COLLECTIONS, "editor", group="lab")
    assert found(crew, "ada").role("papers") == "reader"
    crew.join_group("lab", "bob")
    assert found(crew, "bob").role("anything") == "editor"
    crew.forget_collection("papers")
    assert found(crew, "ada").role("papers") is None
    crew.set_admin("bob", True)
    assert may(found(crew, "bob"), "owner", "anything")
    assert not may(NOBODY, "reader", "anything")


def test_a_session_ends_after_its_last_use_and_after_its_longest_time(crew: People) -> None:
    now = [datetime(2026, 1, 1, tzinfo=UTC)]

    def found_after(sessions: LoginSessions, minutes: int, token: str) -> bool:
        now[0] += timedelta(minutes=minutes)
        return sessions.find(token) is not None

    sessions, again = (LoginSessions(crew.state, 1, 1, lambda: now[0]) for _ in range(2))
    sessions.begin("secret", "Ada")
    assert found_after(sessions, 50, "secret")
    assert found_after(again, 50, "secret")  # another run of the server
    assert not found_after(sessions, 61, "secret")
    sessions.begin("other", "ada")
    assert all(found_after(sessions, 30, "other") for _ in range(47))
    assert not found_after(sessions, 31, "other")


def test_sessions_are_ended_by_logging_out_by_an_admin_and_by_a_new_password(crew: People) -> None:
    sessions = LoginSessions(crew.state, 1, 1)
    for secret in ("a", "b"):
        sessions.begin(secret, "ada")
    sessions.end("a")
    assert [sessions.find(secret) is None for secret in ("a", "b")] == [True, False]
    assert (end_sessions(crew.state, "bob"), end_sessions(crew.state, "ADA")) == (0, 1)
    sessions.begin("c", "ada")
    crew.set_password("ada", "battery staple")
    sessions.begin("d", "nobody")
    sessions.begin("e", "ada")
    crew.remove("ada")
    assert [sessions.find(secret) for secret in "cde"] == [None] * 3


def test_a_token_gives_its_role_in_its_collections_and_no_more_than_its_user_has(crew: People) -> None:
    crew.give("papers", "editor", user="ada")
    crew.give("notes", "owner", user="ada")
    tokens = Tokens(crew.state)
    reads, edits = tokens.add("ada", "reads all"), tokens.add("ada", "notes alone", "editor", ["notes", "other"])
    for secret, roles in ((reads, ["reader", "reader", None]), (edits, [None, "editor", None])):
        identity = tokens.find(secret)
        assert identity is not None
        assert [identity.role(name) for name in ("papers", "notes", "other")] == roles
    crew.set_admin("ada", True)
    admin = tokens.find(edits)
    assert admin is not None
    assert [may(admin, "owner", name) for name in ("notes", "papers")] == [False, False]


def test_a_token_ends_and_is_revoked(crew: People) -> None:
    tokens = Tokens(crew.state)
    secret, forever = tokens.add("ada", "short"), tokens.add("ada", "for ever", days=None)
    assert tokens.find(secret) is not None
    with crew.state.transaction() as connection:
        connection.execute(update(TOKENS).values(expires_at=LONG_AGO).where(TOKENS.c.label == "short"))
    assert tokens.find(secret) is None
    assert tokens.find(forever) is not None
    short, other = tokens.list_tokens("ada")
    assert (short["label"], short["used_at"] is None, other["expires_at"], other["role"]) == (
        "short",
        False,
        None,
        "reader",
    )
    tokens.revoke(other["number"])
    assert tokens.find(forever) is None
    with pytest.raises(BadPerson, match="token list"):
        tokens.revoke(other["number"])
    assert [tokens.find(made_up) for made_up in ("", "vch_", "vch_x", secret[4:], "x" * 10_000)] == [None] * 5
    for label, role in (("", "reader"), ("x" * 65, "reader"), ("x", "king")):
        with pytest.raises(BadPerson):
            tokens.add("ada", label, role)  # type: ignore[arg-type]


def test_an_invitation_makes_one_user_with_what_it_was_made_for(crew: People) -> None:
    crew.give("notes", "reader", group="lab")
    secret, _ = crew.invite("papers", "editor", "lab")
    with pytest.raises(BadPerson, match="8 to"):
        crew.join(secret, "eve", "short")
    crew.join(secret, "Eve", "long enough")
    eve = found(crew, "eve")
    assert (eve.role("papers"), eve.role("notes"), eve.admin) == ("editor", "reader", False)
    assert crew.admits("eve", "long enough")
    with pytest.raises(BadPerson, match="been used"):
        crew.join(secret, "fay", "long enough")
    late, _ = crew.invite()
    with crew.state.transaction() as connection:
        connection.execute(update(INVITATIONS).values(expires_at=LONG_AGO))
    with pytest.raises(BadPerson, match="has expired"):
        crew.join(late, "fay", "long enough")
    for wrong in ({"collection": "papers"}, {"role": "reader"}, {"group": "nobody"}):
        with pytest.raises(BadPerson):
            crew.invite(**wrong)  # type: ignore[arg-type]


def test_no_password_is_hashed_for_a_name_or_an_invitation_that_is_refused(
    crew: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, _ = crew.invite()
    monkeypatch.setattr(people_module, "hash_password", lambda _: pytest.fail("a password was hashed"))
    for made_up, name in (("x", "eve"), ("", "eve"), (secret, "ada"), (secret, "<eve>")):
        with pytest.raises(BadPerson):
            crew.join(made_up, name, "long enough")


@pytest.mark.gate
def test_no_secret_stands_in_the_database(crew: People) -> None:
    token = Tokens(crew.state).add("ada", "one")
    secret, _ = crew.invite()
    LoginSessions(crew.state, 1, 1).begin("of-a-session", "ada")
    with crew.state.transaction() as connection:
        tables = ("users", "invitations", "sessions", "tokens")
        kept = str([connection.execute(text(f"SELECT * FROM {name}")).all() for name in tables])
    assert len(kept) > 500
    assert [said for said in (token, secret, "of-a-session", "correct horse") if said in kept] == []


def test_one_s_own_quota_counts_then_the_highest_of_the_groups(crew: People) -> None:
    quotas = Quotas(crew.state)
    crew.add_group("office")
    crew.join_group("office", "ada")
    quotas.give("questions", 10, group="lab")
    quotas.give("questions", 20, group="office")
    assert quotas.of("ada") == {"questions": 20}
    quotas.give("questions", "off", group="lab")
    assert quotas.of("ada") == {"questions": None}
    quotas.give("questions", 5, user="ada")
    quotas.give("mb", "off", user="ada")
    assert quotas.of("ada") == {"questions": 5, "mb": None}
    assert [tuple(quota.values()) for quota in quotas.list_quotas()] == [
        ("group", "lab", "questions", "off"),
        ("group", "office", "questions", 20),
        ("user", "ada", "mb", "off"),
        ("user", "ada", "questions", 5),
    ]
    quotas.give("questions", "default", user="ada")
    assert quotas.of("ada") == {"questions": None, "mb": None}
    for kind, most, name in (("questions", -1, "ada"), ("questions", 1, "eve"), ("words", 1, "ada")):
        with pytest.raises(BadPerson):
            quotas.give(kind, most, user=name)  # type: ignore[arg-type]
