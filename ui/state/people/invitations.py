"""Invitations: secret links that expire, each of which creates one user with a role or in a group."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Row, delete, insert, select

from ui.errors import BadPerson
from ui.state.database import StateStore
from ui.state.people.identity import Role
from ui.state.people.passwords import digest, hash_password
from ui.state.people.people import add_member, add_user, check_free, check_role, give_role, group_number, now
from ui.state.people.tables import INVITATIONS

_ENDED = "this invitation has been used, has expired or never existed: ask for another"


@dataclass(frozen=True, slots=True)
class Invited:
    """A new invitation: its secret, which is shown once, and the time at which it expires."""

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
    """Create the user of an invitation, which can be used once. Raises BadPerson, and the invitation stays valid.

    The password is hashed after all checks, since a hash takes 64 MB and a core.
    """
    same_invitation = INVITATIONS.c.digest == digest(secret)
    with state.transaction() as connection:
        _check(connection.execute(select(INVITATIONS).where(same_invitation)).first())
        check_free(connection, name)
    password_hash = hash_password(password)
    with state.transaction() as connection:
        row = connection.execute(select(INVITATIONS).where(same_invitation)).first()
        count = connection.execute(
            delete(INVITATIONS).where(same_invitation)
        ).rowcount  # of two at a time, one finds it
        invitation = _check(row if count else None)
        number = add_user(connection, name, password_hash)
        if invitation.role is not None:
            give_role(connection, invitation.collection, invitation.role, user=name)
        if invitation.group_id is not None:
            add_member(connection, invitation.group_id, number)


def _check(found: Row[Any] | None) -> Row[Any]:
    """Return an invitation that was found. Raises BadPerson where none was, or it has ended."""
    if found is None or found.expires_at <= now():
        raise BadPerson(_ENDED)
    return found
