"""A town of people for the tests of a served page: one of each role, and a collection that none of them may know of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.ui import page_events
from tests.ui.forked import Served
from tests.ui.served_page import serving
from ui.state import People, open_state
from ui.state.people import Role, Tokens

PASSWORD = "correct horse"
ROLES: dict[str, Role] = {"reader": "reader", "editor": "editor", "owner": "owner"}
NAMES = ("nobody", *ROLES, "admin", "tenant")
"""The ones who try everything: a stranger, one of each role in the collection, an admin, one of another collection."""


def settle(state: Path, collection: str = "made-up") -> None:
    """Put the people into a state: `tenant` owns a collection `other`, and nothing else."""
    with open_state(state.parent, str(state)) as store:
        people = People(store)
        people.add("admin", PASSWORD, admin=True)
        people.add("tenant", PASSWORD)
        people.give("other", "owner", user="tenant")
        for name, role in ROLES.items():
            people.add(name, PASSWORD)
            people.give(collection, role, user=name)


def tokens_in(state: Path) -> dict[str, str]:
    """A new token of each person, by name, by which a program may all that its person may; "" for nobody."""
    with open_state(state.parent, str(state)) as store:
        tokens = Tokens(store)
        return {"nobody": ""} | {name: tokens.add(name, "test", "owner") for name in NAMES if name != "nobody"}


@contextmanager
def town(folder: Path, home: Path, **options: Any) -> Iterator[Served]:
    """A page with these people, over the collections in `home`."""
    state = folder / "state.sqlite"
    settle(state)
    with serving(folder, home, collection="made-up", state=str(state), **options) as page:
        yield page


class Person:
    """Somebody with a browser: cookies, and visits to the page."""

    visits = 0

    def __init__(self, served: Served, name: str = "nobody") -> None:
        self.name = name
        self.client = httpx.Client(base_url=served.address, timeout=60)
        self.client.get("/")
        if name != "nobody":
            said = self.client.post("/login", data={"username": name, "password": PASSWORD})
            assert said.status_code == 200, said.text

    def fire(self, name: str, data: list[Any], visit: str = "") -> str:
        """Everything that the server says about one event of the page."""
        Person.visits += 1
        return page_events.fire(self.client, name, data, visit or f"town{Person.visits}")

    def __enter__(self) -> Person:
        """The person, until the block ends."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the browser."""
        self.client.close()
