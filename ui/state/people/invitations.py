"""Invitations: a secret link that makes one user, with the role or the group that it was made for, before it ends."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import delete, insert, select

from ui.errors import BadPerson
from ui.state.database import StateStore
from ui.state.people.identity import Role
from ui.state.people.passwords import digest, hashed
from ui.state.people.people import add_member, add_user, check_role, give_role, group_number, now
from ui.state.people.tables import INVITATIONS

_ENDED = "this invitation has been used, has expired or never existed: ask for another"


@dataclass(frozen=True, slots=True)
class Invited:
    """A new invitation: its secret, which is told once, and the time at which it ends."""

    secret: str
    expires_at: str


def invite(
    state: StateStore, collection: str = "", role: Role | None = None, group: str = "", days: float = 7
) -> Invited:
    """Make an invitation to a role in a collection, to a group, to both or to neither. Raises BadPerson."""
    if bool(collection) != (role is not None):
        raise BadPerson("an invitation needs both a collection and a role, or neither")
    secret = secrets.token_urlsafe(32)
    ends = (datetime.now(UTC) + timedelta(days=days)).isoformat(timespec="seconds")
    with state.transaction() as connection:
        if collection:
            check_role(collection, role)
        values = {
            "collection": collection or None,
            "role": role,
            "group_id": group_number(connection, group) if group else None,
        }
        connection.execute(delete(INVITATIONS).where(INVITATIONS.c.expires_at <= now()))
        connection.execute(insert(INVITATIONS).values(digest=digest(secret), made_at=now(), expires_at=ends, **values))
    return Invited(secret, ends)


def join(state: StateStore, secret: str, name: str, password: str) -> None:
    """Make the user that an invitation is for; it is used up. Raises BadPerson, and then it is not."""
    made = hashed(password)
    with state.transaction() as connection:
        chosen = INVITATIONS.c.digest == digest(secret)
        found = connection.execute(select(INVITATIONS).where(chosen)).first()
        used = connection.execute(delete(INVITATIONS).where(chosen)).rowcount  # of two at a time, one finds it
        if found is None or not used or found.expires_at <= now():
            raise BadPerson(_ENDED)
        number = add_user(connection, name, made)
        if found.role is not None:
            give_role(connection, found.collection, found.role, user=name)
        if found.group_id is not None:
            add_member(connection, found.group_id, number)
