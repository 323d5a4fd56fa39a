"""Quotas of people: one's own count before those of groups, of these the highest."""

from __future__ import annotations

import pytest

from ui.errors import BadPerson
from ui.state import People, StateStore
from ui.state.people import Quotas


def test_the_own_one_counts_then_the_highest_of_the_groups(state: StateStore) -> None:
    people, quotas = People(state), Quotas(state)
    ada = people.add("ada")
    for group, most in (("lab", 10), ("office", 20)):
        people.add_group(group)
        people.join_group(group, "ada")
        quotas.give("questions", most, group=group)
    assert quotas.of(ada) == {"questions": 20}
    quotas.give("questions", None, group="lab")
    assert quotas.of(ada) == {"questions": None}
    quotas.give("questions", 5, user="ada")
    quotas.give("mb", None, user="ada")
    assert quotas.of(ada) == {"questions": 5, "mb": None}
    assert [(q.owner, q.name, q.kind, q.most) for q in quotas.list_quotas()] == [
        ("group", "lab", "questions", None),
        ("group", "office", "questions", 20),
        ("user", "ada", "mb", None),
        ("user", "ada", "questions", 5),
    ]
    quotas.take("questions", user="ada")
    assert quotas.of(ada) == {"questions": None, "mb": None}
    people.remove("ada")
    assert [q.owner for q in quotas.list_quotas()] == ["group", "group"]


def test_unfit_ones_are_refused(state: StateStore) -> None:
    quotas = Quotas(state)
    People(state).add("ada")
    for kind, most, name in (("questions", -1, "ada"), ("questions", 1, "eve"), ("words", 1, "ada")):
        with pytest.raises(BadPerson):
            quotas.give(kind, most, user=name)  # type: ignore[arg-type]
