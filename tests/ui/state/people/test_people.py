"""People: users, groups and roles are kept, found again, refused and removed; passwords are hashed."""

from __future__ import annotations

import argon2
import pytest
from sqlalchemy import select, update

from ui.errors import BadPerson
from ui.state import StateStore
from ui.state.people import ALL_COLLECTIONS, NOBODY, Identity, People, may
from ui.state.people.tables import USERS


@pytest.fixture
def people(state: StateStore) -> People:
    people = People(state)
    people.add("Ada", "correct horse")
    people.add("bob")
    people.add_group("lab")
    people.join_group("lab", "ada")
    return people


def found(people: People, name: str) -> Identity:
    identity = people.identity(name)
    assert identity is not None
    return identity


def test_a_password_lets_its_user_in_and_nobody_else(people: People) -> None:
    assert people.admits("ada", "correct horse")
    assert people.admits(" ADA ", "correct horse")
    assert not people.admits("ada", "correct horse ")
    assert not people.admits("bob", "")  # who has no password has none that fits
    assert not people.admits("nobody", "correct horse")
    assert [people.is_known(name) for name in ("Ada", "nobody")] == [True, False]


@pytest.mark.parametrize(
    "name", ["\u212aate@example.org", "\uff4bate@example.org", "kate@example.org\u00a0", "\x1ekate@example.org"]
)
def test_a_name_that_only_folding_makes_anothers_is_nobodys(people: People, name: str) -> None:
    people.add("kate@example.org")
    assert people.bind_subject(name, "https://provider.example 1") is None
    assert people.identity(name) is None
    with pytest.raises(BadPerson):
        people.add(name)
    assert people.bind_subject(" Kate@example.org", "https://provider.example 2") == "kate@example.org"


def test_a_password_is_kept_as_a_hash_which_is_made_anew_with_new_parameters(people: People) -> None:
    cheap = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash("correct horse")
    with people.state.transaction() as connection:
        connection.execute(update(USERS).where(USERS.c.name == "ada").values(password=cheap))
    assert not people.admits("ada", "wrong horse")
    assert kept(people) == cheap
    assert people.admits("ada", "correct horse")
    assert kept(people).startswith("$argon2id$")
    assert kept(people) != cheap
    assert people.admits("ada", "correct horse")


def kept(people: People) -> str:
    with people.state.transaction() as connection:
        return str(connection.execute(select(USERS.c.password).where(USERS.c.name == "ada")).scalar())


def test_passwords_of_unfit_length_are_refused(people: People) -> None:
    for password in ("", "seven77", "x" * 1025):
        with pytest.raises(BadPerson, match="8 to 1,024"):
            people.set_password("ada", password)
    assert people.admits("ada", "correct horse")


def test_names_that_cannot_be_had_are_refused(people: People) -> None:
    for name in ("", "a b", "a:b", "<b>", "x" * 65, "ada", "ADA", "é", "../x"):
        with pytest.raises(BadPerson):
            people.add(name)
    assert len(people.users()) == 2


def test_an_unknown_one_is_answered_with_the_nearest_known(people: People) -> None:
    with pytest.raises(BadPerson, match="ada"):
        people.remove("adaa")
    with pytest.raises(BadPerson, match="lab"):
        people.join_group("labb", "ada")


def test_a_role_is_the_best_of_a_user_s_own_and_of_their_groups(people: People) -> None:
    people.give("papers", "reader", user="ada")
    people.give("papers", "editor", group="lab")
    people.give("notes", "owner", user="ada")
    ada, bob = found(people, "ada"), found(people, "bob")
    assert (ada.role("papers"), ada.role("notes"), ada.role("other")) == ("editor", "owner", None)
    assert [may(ada, least, "papers") for least in ("reader", "editor", "owner")] == [True, True, False]
    assert bob.role("papers") is None
    people.give("papers", None, group="lab")
    assert found(people, "ada").role("papers") == "reader"
    people.join_group("lab", "ada", member=False)
    people.give(ALL_COLLECTIONS, "editor", group="lab")
    assert found(people, "ada").role("papers") == "reader"
    people.join_group("lab", "bob")
    assert found(people, "bob").role("anything") == "editor"


def test_an_admin_owns_all_and_a_stranger_has_nothing(people: People) -> None:
    people.set_admin("bob", True)
    bob = found(people, "bob")
    assert bob.admin
    assert may(bob, "owner", "anything")
    assert not may(NOBODY, "reader", "anything")
    assert not found(people, "ada").admin


def test_what_is_no_role_or_no_collection_is_refused(people: People) -> None:
    for collection, role in (("pa pers", "reader"), ("../x", "reader"), ("papers", "king")):
        with pytest.raises(BadPerson):
            people.give(collection, role, user="ada")  # type: ignore[arg-type]


def test_roles_in_a_deleted_collection_are_not_those_of_the_next_of_its_name(people: People) -> None:
    people.give("papers", "owner", user="ada")
    people.give("papers", "editor", group="lab")
    people.forget_collection("papers")
    assert found(people, "ada").role("papers") is None


def test_they_are_listed_and_removed_with_all_that_is_theirs(people: People) -> None:
    people.give("papers", "owner", user="ada")
    people.give("papers", "reader", group="lab")
    ada, bob = people.users()
    assert (ada.name, ada.groups, ada.roles, ada.has_password) == ("ada", ("lab",), {"papers": "owner"}, True)
    assert (bob.groups, bob.has_password, bob.admin) == ((), False, False)
    (lab,) = people.groups()
    assert (lab.name, lab.members, lab.roles) == ("lab", ("ada",), {"papers": "reader"})
    people.remove("ada")
    assert people.identity("ada") is None
    assert people.groups()[0].members == ()
    before = [user.name for user in people.users()]
    assert people.add("ada", "another one") > len(before) + 1  # a number of its own, too
    assert found(people, "ada").role("papers") is None
    people.remove_group("lab")
    assert people.groups() == ()


def test_a_person_is_found_by_their_subject_at_a_provider(people: People) -> None:
    people.add("eve", subject="https://id.example 42")
    assert people.of_subject("https://id.example 42") == "eve"
    assert people.of_subject("https://other.example 42") is None
