"""People: users and groups of a server, their roles in collections, and the invitations that make new ones.

Every method is one transaction, and may be called from any thread. Names of people are stored in lower case.
Passwords are hashed with Argon2id (RFC 9106); checks take as long for unknown names, and old hashes are replaced.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError
from sqlalchemy import Connection, Row, Table, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from configs import did_you_mean
from indexing import is_collection_name
from plugins.team.tables import GROUP_ROLES, GROUPS, INVITATIONS, MEMBERS, SESSIONS, USER_ROLES, USERS
from ui import BadPerson
from ui.access import ALL_COLLECTIONS, ROLES, Identity, Role
from ui.state import StateStore

LEAST_PASSWORD, _MOST_PASSWORD = 8, 1024
"""The least and the most characters of a password: to hash a longer one would cost time."""
_HASHER = PasswordHasher()
_NAME = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,63}")
_ENDED = "this invitation has been used, has expired or never existed: ask for another"


class People:
    """The people of one state store."""

    def __init__(self, state: StateStore) -> None:
        """Keep the store, which is open."""
        self.state = state

    def add(self, name: str, password: str | None = None, admin: bool = False) -> None:
        """Add a user; without a password they come by single sign-on or a proxy alone.

        Raises BadPerson for a name that is taken or invalid, and for a password of the wrong length.
        """
        password_hash = hash_password(password) if password is not None else None
        with self.state.transaction() as connection:
            _add_user(connection, name, password_hash, admin)

    def remove(self, name: str) -> None:
        """Remove a user with their roles, sessions and tokens. Raises BadPerson for an unknown one."""
        with self.state.transaction() as connection:
            connection.execute(delete(USERS).where(USERS.c.id == number_of(connection, USERS, name)))

    def set_password(self, name: str, password: str) -> None:
        """Set a user's password, and end all their sessions. Raises BadPerson."""
        password_hash = hash_password(password)
        with self.state.transaction() as connection:
            number = number_of(connection, USERS, name)
            connection.execute(update(USERS).where(USERS.c.id == number).values(password=password_hash))
            connection.execute(delete(SESSIONS).where(SESSIONS.c.user_id == number))

    def set_admin(self, name: str, admin: bool) -> None:
        """Make a user an admin of the server, or an admin no more. Raises BadPerson."""
        with self.state.transaction() as connection:
            connection.execute(
                update(USERS).where(USERS.c.id == number_of(connection, USERS, name)).values(admin=admin)
            )

    def is_known(self, name: str) -> bool:
        """Return True for the name of a user."""
        return self._user(USERS.c.name == normal_name(name)) is not None

    def admits(self, name: str, password: str) -> bool:
        """Return True if the password is the user's, as slowly if unknown; replace a hash with outdated parameters."""
        user = self._user(USERS.c.name == normal_name(name))
        password_hash = user.password if user is not None else None
        try:
            _HASHER.verify(password_hash or _hash_of_nobody(), password[: _MOST_PASSWORD + 1])
        except (Argon2Error, InvalidHashError):
            return False
        if user is None or password_hash is None:
            return False
        if _HASHER.check_needs_rehash(password_hash):
            with self.state.transaction() as connection:
                same = (USERS.c.id == user.id) & (USERS.c.password == password_hash)
                connection.execute(update(USERS).where(same).values(password=hash_password(password)))
        return True

    def identity(self, name: str) -> Identity | None:
        """Return the identity of a user, with their own roles and those of their groups; None if unknown."""
        with self.state.transaction() as connection:
            row = connection.execute(select(USERS).where(USERS.c.name == normal_name(name))).first()
            return None if row is None else identity_of(connection, row)

    def of_subject(self, subject: str, email: str) -> str | None:
        """Return the name of the user whom a provider of single sign-on knows as `subject`, None without one.

        A user who has neither a password nor a subject yet, and whose name is the `email` that the provider has
        verified ("" for none), is bound to the first who proves it.
        """
        user = self._user(USERS.c.subject == subject)
        if user is not None:
            return str(user.name)
        free = (USERS.c.name == normal_name(email)) & USERS.c.password.is_(None) & USERS.c.subject.is_(None)
        with self.state.transaction() as connection:
            count = connection.execute(update(USERS).where(free).values(subject=subject)).rowcount
        return normal_name(email) if count else None

    def give(self, collection: str, role: Role | None, user: str = "", group: str = "") -> None:
        """Give a user or a group a role in a collection (`*`: in all), in the place of any before; None takes it away.

        Raises BadPerson for an unknown user, group or role, and for an invalid collection name.
        """
        with self.state.transaction() as connection:
            _give_role(connection, collection, role, user, group)

    def forget_collection(self, collection: str) -> None:
        """Remove all roles in a deleted collection, so that they do not apply to a new one of its name."""
        with self.state.transaction() as connection:
            for table in (USER_ROLES, GROUP_ROLES):
                connection.execute(delete(table).where(table.c.collection == collection))

    def add_group(self, name: str) -> None:
        """Add a group. Raises BadPerson for a name that is taken or invalid."""
        with self.state.transaction() as connection:
            _insert(connection, GROUPS, f"the group {name!r} already exists", name=_valid_name(name, "group"))

    def remove_group(self, name: str) -> None:
        """Remove a group; its members stay users. Raises BadPerson for an unknown one."""
        with self.state.transaction() as connection:
            connection.execute(delete(GROUPS).where(GROUPS.c.id == number_of(connection, GROUPS, name)))

    def join_group(self, group: str, user: str, member: bool = True) -> None:
        """Make a user a member of a group, or a member no more. Raises BadPerson."""
        with self.state.transaction() as connection:
            ids = {"group_id": number_of(connection, GROUPS, group), "user_id": number_of(connection, USERS, user)}
            connection.execute(delete(MEMBERS).filter_by(**ids))
            if member:
                connection.execute(insert(MEMBERS).values(**ids))

    def users(self) -> list[dict[str, Any]]:
        """Return all users by name, with their own roles by collection; `groups` has those of their groups."""
        with self.state.transaction() as connection:
            roles = connection.execute(select(USER_ROLES)).all()
            memberships = select(MEMBERS.c.user_id, GROUPS.c.name).join(GROUPS, GROUPS.c.id == MEMBERS.c.group_id)
            groups = connection.execute(memberships.order_by(GROUPS.c.name)).all()
            return [
                {
                    "name": user.name,
                    "admin": user.admin,
                    "has_password": user.password is not None,
                    "groups": [group.name for group in groups if group.user_id == user.id],
                    "roles": {role.collection: role.role for role in roles if role.user_id == user.id},
                    "made_at": user.made_at,
                }
                for user in connection.execute(select(USERS).order_by(USERS.c.name))
            ]

    def groups(self) -> list[dict[str, Any]]:
        """Return all groups by name, with their members and their roles by collection."""
        with self.state.transaction() as connection:
            roles = connection.execute(select(GROUP_ROLES)).all()
            memberships = select(MEMBERS.c.group_id, USERS.c.name).join(USERS, USERS.c.id == MEMBERS.c.user_id)
            members = connection.execute(memberships.order_by(USERS.c.name)).all()
            return [
                {
                    "name": group.name,
                    "members": [member.name for member in members if member.group_id == group.id],
                    "roles": {role.collection: role.role for role in roles if role.group_id == group.id},
                }
                for group in connection.execute(select(GROUPS).order_by(GROUPS.c.name))
            ]

    def invite(
        self, collection: str = "", role: Role | None = None, group: str = "", days: float = 7
    ) -> tuple[str, str]:
        """Make an invitation, which creates one user, to a role in a collection, to a group, to both or to neither.

        Returns its secret, which is shown once, and the time at which it expires. Raises BadPerson.
        """
        if bool(collection) != (role is not None):
            raise BadPerson("an invitation needs both a collection and a role, or neither")
        secret, expires_at = secrets.token_urlsafe(32), timestamp(days)
        if collection:
            _check_role(collection, role)
        values = {"digest": digest(secret), "collection": collection or None, "role": role}
        with self.state.transaction() as connection:
            group_id = number_of(connection, GROUPS, group) if group else None
            connection.execute(delete(INVITATIONS).where(INVITATIONS.c.expires_at <= timestamp()))
            connection.execute(
                insert(INVITATIONS).values(**values, group_id=group_id, made_at=timestamp(), expires_at=expires_at)
            )
        return secret, expires_at

    def join(self, secret: str, name: str, password: str) -> None:
        """Create the user of an invitation, which can be used once. Raises BadPerson, and the invitation stays valid.

        The password is hashed after all checks, since a hash takes 64 MB and a core.
        """
        same_invitation = INVITATIONS.c.digest == digest(secret)
        valid = select(INVITATIONS).where(same_invitation, INVITATIONS.c.expires_at > timestamp())
        with self.state.transaction() as connection:
            if connection.execute(valid).first() is None:
                raise BadPerson(_ENDED)
            if connection.execute(select(USERS.c.id).where(USERS.c.name == _valid_name(name))).first() is not None:
                raise BadPerson(_name_taken(name))
        password_hash = hash_password(password)
        with self.state.transaction() as connection:
            invitation = connection.execute(valid).first()
            count = connection.execute(delete(INVITATIONS).where(same_invitation)).rowcount
            if invitation is None or not count:  # of two at a time, one deletes it
                raise BadPerson(_ENDED)
            number = _add_user(connection, name, password_hash)
            if invitation.role is not None:
                _give_role(connection, invitation.collection, invitation.role, user=name)
            if invitation.group_id is not None:
                connection.execute(insert(MEMBERS).values(group_id=invitation.group_id, user_id=number))

    def _user(self, condition: Any) -> Row[Any] | None:
        with self.state.transaction() as connection:
            return connection.execute(select(USERS).where(condition)).first()


def identity_of(connection: Connection, user: Row[Any], limits: Mapping[str, Any] | None = None) -> Identity:
    """Return the identity of a row of USERS, with the `limits` of a token: fields of `Identity`."""
    own = select(USER_ROLES.c.collection, USER_ROLES.c.role).where(USER_ROLES.c.user_id == user.id)
    of_groups = select(GROUP_ROLES.c.collection, GROUP_ROLES.c.role).join(
        MEMBERS, MEMBERS.c.group_id == GROUP_ROLES.c.group_id
    )
    roles: dict[str, Role] = {}
    for row in (*connection.execute(own), *connection.execute(of_groups.where(MEMBERS.c.user_id == user.id))):
        roles[row.collection] = max(roles.get(row.collection, row.role), row.role, key=ROLES.index)
    return Identity(user.name, user.id, user.admin, roles, **(limits or {}))


def hash_password(password: str) -> str:
    """Return the hash of a new password, with its salt and parameters. Raises BadPerson for one of the wrong length."""
    if not LEAST_PASSWORD <= len(password) <= _MOST_PASSWORD:
        raise BadPerson(f"a password must have {LEAST_PASSWORD} to {_MOST_PASSWORD:,} characters")
    return _HASHER.hash(password)


@cache
def _hash_of_nobody() -> str:
    """Return the hash of a random password."""
    return _HASHER.hash(secrets.token_urlsafe(32))


def digest(secret: str) -> str:
    """Return the hash of a random secret of ours (session, token, invitation): it needs no salt."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


def timestamp(days: float = 0) -> str:
    """Return the time `days` from now as it is stored: in UTC, to the second, so that texts sort like times."""
    return (datetime.now(UTC) + timedelta(days=days)).isoformat(timespec="seconds")


def normal_name(name: str) -> str:
    """Return a name as it is stored, in lower case; one with non-ASCII characters, which no user has, as it is.

    Lowering that could yield another user's name: the lower case of U+212A is "k".
    """
    return name.strip(" \t\r\n").lower() if name.isascii() else name


def number_of(connection: Connection, table: Table, name: str) -> int:
    """Return the id of a row of USERS or GROUPS by its name. Raises BadPerson for an unknown one."""
    number = connection.execute(select(table.c.id).where(table.c.name == normal_name(name))).scalar()
    if number is None:
        kind, names = table.name.removesuffix("s"), connection.execute(select(table.c.name)).scalars().all()
        raise BadPerson(f"there is no {kind} {name[:64]!r}{did_you_mean(name, names)}: see vouch admin {kind} list")
    return int(number)


def _valid_name(name: str, kind: str = "user") -> str:
    """Return a name as it is stored. Raises BadPerson for an invalid one."""
    if not _NAME.fullmatch(normal_name(name)):
        raise BadPerson(f"{name[:64]!r} is not a valid {kind} name: use up to 64 letters, digits and any of . _ @ + -")
    return normal_name(name)


def _name_taken(name: str) -> str:
    return f"the name {name!r} is taken: choose another"


def _add_user(connection: Connection, name: str, password_hash: str | None, admin: bool = False) -> int:
    """Add a user with the hash of a password, and return their number. Raises BadPerson."""
    values = {"name": _valid_name(name), "password": password_hash, "admin": admin, "made_at": timestamp()}
    return _insert(connection, USERS, _name_taken(name), **values)


def _insert(connection: Connection, table: Table, message: str, **values: Any) -> int:
    """Insert a row and return its number. Raises BadPerson with the message `message` if the name exists."""
    try:
        return int(connection.execute(insert(table).values(**values).returning(table.c.id)).scalar_one())
    except IntegrityError:
        raise BadPerson(message) from None


def _give_role(connection: Connection, collection: str, role: Role | None, user: str = "", group: str = "") -> None:
    _check_role(collection, role)
    table, key = (GROUP_ROLES, "group_id") if group else (USER_ROLES, "user_id")
    owner = number_of(connection, *((GROUPS, group) if group else (USERS, user)))
    connection.execute(delete(table).where((table.c[key] == owner) & (table.c.collection == collection)))
    if role is not None:
        connection.execute(insert(table).values(**{key: owner}, collection=collection, role=role))


def _check_role(collection: str, role: Role | None) -> None:
    """Raise BadPerson for an unknown role (None takes one away) or an invalid collection name."""
    if collection != ALL_COLLECTIONS and not is_collection_name(collection):
        raise BadPerson(f"{collection[:64]!r} is not a collection name: give its name, or {ALL_COLLECTIONS} for all")
    if role is not None and role not in ROLES:
        raise BadPerson(f"{role!r} is not a role: give one of {', '.join(ROLES)}")
