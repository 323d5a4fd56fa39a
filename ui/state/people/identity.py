"""Identity: who makes a request, with their roles; and `may`, the one rule of what they are allowed to do. Pure.

Authentication builds an identity; every action calls `may` first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Literal

Role = Literal["reader", "editor", "owner"]
ROLES: tuple[Role, ...] = ("reader", "editor", "owner")
"""The roles in a collection, the least first: a reader asks, searches and sees pages; an editor adds and removes
documents too; an owner deletes the collection and says who has which role in it.
"""
ALL_COLLECTIONS = "*"
"""The name that stands for every collection in a role, including future ones."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A person, or a program in a person's name.

    `roles` are by collection. A token, by its number, may hold the person down: to the role `most`, and to the
    collections `only`. `proxied` is True where a proxy has named them.
    """

    name: str = ""
    user_id: int = 0
    admin: bool = False
    roles: Mapping[str, Role] = field(default_factory=dict)
    most: Role = "owner"
    only: frozenset[str] | None = None
    token: int = 0
    proxied: bool = False

    def role(self, collection: str) -> Role | None:
        """Return the role in a collection; with None the collection does not exist for this identity."""
        if self.only is not None and collection not in self.only:
            return None
        applicable: list[Role] = [role for key in (collection, ALL_COLLECTIONS) if (role := self.roles.get(key))]
        highest = "owner" if self.admin else max(applicable, key=ROLES.index, default=None)
        return None if highest is None else min(highest, self.most, key=ROLES.index)

    @property
    def known_as(self) -> str:
        """The name of the owner of their data: a token has answers and files of its own, apart from its user's."""
        return f"{self.user_id} {self.name}" + (f" token {self.token}" if self.token else "")


NOBODY = Identity()
"""The identity of a stranger, who may nothing."""
EVERYTHING = Identity(roles={ALL_COLLECTIONS: "owner"})
"""The identity of everyone on a server without accounts, and of the server's own work."""
ACTING: ContextVar[Identity] = ContextVar("ACTING", default=NOBODY)
"""The identity in whose name this thread or task works. A thread that is begun without it may nothing."""


def may(identity: Identity, least: Role, collection: str) -> bool:
    """Return True if the identity has at least the role `least` in a collection, whether that exists or not."""
    role = identity.role(collection)
    return role is not None and ROLES.index(role) >= ROLES.index(least)


@contextmanager
def acting(identity: Identity) -> Iterator[None]:
    """Work in the name of `identity` until the block ends."""
    token = ACTING.set(identity)
    try:
        yield
    finally:
        ACTING.reset(token)
