"""People: users and groups of a server, and their roles in collections, in the state store.

Every method is one transaction, and may be called from any thread. Names of people are kept in small letters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, CursorResult, Select, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from configs import did_you_mean
from indexing import is_collection_name
from ui.errors import BadPerson
from ui.state.database import StateStore
from ui.state.people.identity import ALL_COLLECTIONS, ROLES, Identity, Role
from ui.state.people.passwords import fits, hash_password, is_dated
from ui.state.people.tables import GROUP_ROLES, GROUPS, MEMBERS, SESSIONS, USER_ROLES, USERS

_NAME = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,63}")
_TAKEN = "the name {!r} is taken: choose another"


@dataclass(frozen=True, slots=True)
class UserListed:
    """A user as an admin sees them: `roles` are their own, by collection; those of their groups stand there."""

    name: str
    admin: bool
    has_password: bool
    groups: tuple[str, ...]
    roles: dict[str, Role]
    made_at: str


@dataclass(frozen=True, slots=True)
class GroupListed:
    """A group with its members and its roles by collection."""

    name: str
    members: tuple[str, ...]
    roles: dict[str, Role]


class People:
    """The people of one state store."""

    def __init__(self, state: StateStore) -> None:
        """Keep the store, which is open."""
        self.state = state

    def add(self, name: str, password: str | None = None, admin: bool = False, subject: str | None = None) -> int:
        """Add a user and return their number; without a password they come by single sign-on or a proxy alone.

        Raises BadPerson for a name that is taken or none, and for a password of unfit length.
        """
        with self.state.transaction() as connection:
            return add_user(connection, name, hash_password(password) if password is not None else None, admin, subject)

    def remove(self, name: str) -> None:
        """Remove a user with their roles, sessions and tokens. Raises BadPerson for an unknown one."""
        with self.state.transaction() as connection:
            connection.execute(delete(USERS).where(USERS.c.id == user_number(connection, name)))

    def set_password(self, name: str, password: str) -> None:
        """Set a user's password, and end all their sessions. Raises BadPerson."""
        password_hash = hash_password(password)
        with self.state.transaction() as connection:
            number = user_number(connection, name)
            connection.execute(update(USERS).where(USERS.c.id == number).values(password=password_hash))
            connection.execute(delete(SESSIONS).where(SESSIONS.c.user_id == number))

    def set_admin(self, name: str, admin: bool) -> None:
        """Make a user an admin of the server, or an admin no more. Raises BadPerson."""
        with self.state.transaction() as connection:
            connection.execute(update(USERS).where(USERS.c.id == user_number(connection, name)).values(admin=admin))

    def kept_name(self, name: str) -> str:
        """Return a name as it is kept, however it was typed."""
        return kept_name(name)

    def is_known(self, name: str) -> bool:
        """Return True for the name of a user."""
        return bool(self._rows(select(USERS.c.id).where(USERS.c.name == kept_name(name))))

    def admits(self, name: str, password: str) -> bool:
        """Return True if the password is the user's; an unknown name takes as long.

        A hash with outdated parameters is replaced.
        """
        normal_name = kept_name(name)
        rows = self._rows(select(USERS.c.id, USERS.c.password).where(USERS.c.name == normal_name))
        password_hash = rows[0].password if rows else None
        if not fits(password_hash, password) or password_hash is None:
            return False
        if is_dated(password_hash):
            with self.state.transaction() as connection:
                same = (USERS.c.id == rows[0].id) & (USERS.c.password == password_hash)
                connection.execute(update(USERS).where(same).values(password=hash_password(password)))
        return True

    def identity(self, name: str) -> Identity | None:
        """Return who a user is, with the roles of their own and of their groups; None for an unknown one."""
        with self.state.transaction() as connection:
            row = connection.execute(select(USERS).where(USERS.c.name == kept_name(name))).first()
            return None if row is None else identity_of(connection, row)

    def of_subject(self, subject: str) -> str | None:
        """Return the name of the user whom a provider of single sign-on knows as `subject`, None for nobody."""
        rows = self._rows(select(USERS.c.name).where(USERS.c.subject == subject))
        return str(rows[0].name) if rows else None

    def bind_subject(self, name: str, subject: str) -> str | None:
        """Bind a user who has neither a password nor a provider to a subject of one; return the user's name, or None.

        The provider must have verified that `name`, an e-mail address, belongs to the subject.
        """
        free = (USERS.c.name == kept_name(name)) & USERS.c.password.is_(None) & USERS.c.subject.is_(None)
        with self.state.transaction() as connection:
            count = connection.execute(update(USERS).where(free).values(subject=subject)).rowcount
        return kept_name(name) if count else None

    def give(self, collection: str, role: Role | None, user: str = "", group: str = "") -> None:
        """Give a user or a group a role in a collection (`*`: in all), in the place of any before; None takes it away.

        Raises BadPerson for an unknown user, group or role, and for what cannot name a collection.
        """
        with self.state.transaction() as connection:
            give_role(connection, collection, role, user, group)

    def add_group(self, name: str) -> None:
        """Add a group. Raises BadPerson for a name that is taken or none."""
        with self.state.transaction() as connection:
            _insert(connection, GROUPS, f"the group {name!r} already exists", name=user_name(name, "group"))

    def remove_group(self, name: str) -> None:
        """Remove a group; its members stay users. Raises BadPerson for an unknown one."""
        with self.state.transaction() as connection:
            connection.execute(delete(GROUPS).where(GROUPS.c.id == group_number(connection, name)))

    def join_group(self, group: str, user: str, member: bool = True) -> None:
        """Make a user a member of a group, or a member no more. Raises BadPerson."""
        with self.state.transaction() as connection:
            ids = {"group_id": group_number(connection, group), "user_id": user_number(connection, user)}
            add_member(connection, **ids) if member else _leave(connection, **ids)

    def users(self) -> tuple[UserListed, ...]:
        """Return all users, by name."""
        with self.state.transaction() as connection:
            roles = connection.execute(select(USER_ROLES)).all()
            memberships = select(MEMBERS.c.user_id, GROUPS.c.name).join(GROUPS, GROUPS.c.id == MEMBERS.c.group_id)
            groups = connection.execute(memberships.order_by(GROUPS.c.name)).all()
            return tuple(
                UserListed(
                    u.name,
                    u.admin,
                    u.password is not None,
                    tuple(g.name for g in groups if g.user_id == u.id),
                    {r.collection: r.role for r in roles if r.user_id == u.id},
                    u.made_at,
                )
                for u in connection.execute(select(USERS).order_by(USERS.c.name))
            )

    def groups(self) -> tuple[GroupListed, ...]:
        """Return all groups, by name."""
        with self.state.transaction() as connection:
            roles = connection.execute(select(GROUP_ROLES)).all()
            memberships = select(MEMBERS.c.group_id, USERS.c.name).join(USERS, USERS.c.id == MEMBERS.c.user_id)
            members = connection.execute(memberships.order_by(USERS.c.name)).all()
            return tuple(
                GroupListed(
                    g.name,
                    tuple(m.name for m in members if m.group_id == g.id),
                    {r.collection: r.role for r in roles if r.group_id == g.id},
                )
                for g in connection.execute(select(GROUPS).order_by(GROUPS.c.name))
            )

    def forget_collection(self, collection: str) -> None:
        """Take away all roles in a collection that was deleted: they are not those of the next one of its name."""
        with self.state.transaction() as connection:
            for table in (USER_ROLES, GROUP_ROLES):
                connection.execute(delete(table).where(table.c.collection == collection))

    def _rows(self, query: Select[Any]) -> Sequence[Any]:
        with self.state.transaction() as connection:
            return connection.execute(query).all()


def identity_of(
    connection: Connection, user: Any, most: Role = "owner", only: frozenset[str] | None = None, token: int = 0
) -> Identity:
    """Return the identity of a row of USERS, limited by a token to a role and to collections."""
    own = select(USER_ROLES.c.collection, USER_ROLES.c.role).where(USER_ROLES.c.user_id == user.id)
    of_groups = select(GROUP_ROLES.c.collection, GROUP_ROLES.c.role).join(
        MEMBERS, MEMBERS.c.group_id == GROUP_ROLES.c.group_id
    )
    roles: dict[str, Role] = {}
    for row in (*connection.execute(own), *connection.execute(of_groups.where(MEMBERS.c.user_id == user.id))):
        before = roles.get(row.collection, row.role)
        roles[row.collection] = max(before, row.role, key=ROLES.index)
    return Identity(user.name, user.id, user.admin, roles, most, only, token)


def add_user(
    connection: Connection, name: str, password: str | None, admin: bool = False, subject: str | None = None
) -> int:
    """Add a user with the hash of a password, and return their number. Raises BadPerson."""
    values = {"password": password, "admin": admin, "subject": subject, "made_at": now()}
    return _insert(connection, USERS, _TAKEN.format(name), name=user_name(name), **values)


def check_free(connection: Connection, name: str) -> None:
    """Raise BadPerson for a name that is taken, or cannot be one."""
    if connection.execute(select(USERS.c.id).where(USERS.c.name == user_name(name))).first() is not None:
        raise BadPerson(_TAKEN.format(name))


def add_member(connection: Connection, group_id: int, user_id: int) -> None:
    """Make a user a member of a group, unless they are."""
    ids = {"group_id": group_id, "user_id": user_id}
    _leave(connection, **ids)
    connection.execute(insert(MEMBERS).values(**ids))


def give_role(connection: Connection, collection: str, role: Role | None, user: str = "", group: str = "") -> None:
    """Give a user or a group a role in a collection, as `People.give` does."""
    check_role(collection, role)
    table, key = (GROUP_ROLES, "group_id") if group else (USER_ROLES, "user_id")
    owner = group_number(connection, group) if group else user_number(connection, user)
    connection.execute(delete(table).where((table.c[key] == owner) & (table.c.collection == collection)))
    if role is not None:
        connection.execute(insert(table).values(**{key: owner}, collection=collection, role=role))


def check_role(collection: str, role: Role | None) -> None:
    """Raise BadPerson for what is no role (None takes one away), or cannot name a collection."""
    if collection != ALL_COLLECTIONS and not is_collection_name(collection):
        raise BadPerson(f"{collection[:64]!r} is not a collection name: give its name, or {ALL_COLLECTIONS} for all")
    if role is not None and role not in ROLES:
        raise BadPerson(f"{role!r} is not a role: give one of {', '.join(ROLES)}")


def group_number(connection: Connection, name: str) -> int:
    """Return the number of a group. Raises BadPerson for an unknown one."""
    return _number(connection, GROUPS, name, "group")


def number_of(result: CursorResult[Any]) -> int:
    """Return the number of the row that was inserted."""
    (number,) = result.inserted_primary_key or (0,)
    return int(number)


def kept_name(name: str) -> str:
    """Return a name as it is kept, in small letters; one with other characters than ASCII as it is, which nobody has.

    To fold those would make another's name of it: the small letter of U+212A is "k".
    """
    return name.strip(" \t\r\n").lower() if name.isascii() else name


def user_name(name: str, kind: str = "user") -> str:
    """Return a name as it is stored. Raises BadPerson for an invalid one."""
    normal_name = kept_name(name)
    if not _NAME.fullmatch(normal_name):
        raise BadPerson(f"{name[:64]!r} is not a valid {kind} name: use up to 64 letters, digits and any of . _ @ + -")
    return normal_name


def now() -> str:
    """Return the time as it is kept, in UTC, to the second: such texts sort as the times do."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def user_number(connection: Connection, name: str) -> int:
    """Return the number of a user. Raises BadPerson for an unknown one."""
    return _number(connection, USERS, name, "user")


def _number(connection: Connection, table: Any, name: str, kind: str) -> int:
    """Return the number of a user or a group. Raises BadPerson for an unknown one."""
    number = connection.execute(select(table.c.id).where(table.c.name == kept_name(name))).scalar()
    if number is None:
        names = connection.execute(select(table.c.name)).scalars().all()
        raise BadPerson(f"there is no {kind} {name[:64]!r}{did_you_mean(name, names)}: see vouch admin {kind} list")
    return int(number)


def _insert(connection: Connection, table: Any, taken: str, **values: Any) -> int:
    """Insert a row and return its number. Raises BadPerson with the message `taken` if the name exists."""
    try:
        result = connection.execute(insert(table).values(**values))
    except IntegrityError:
        raise BadPerson(taken) from None
    return number_of(result)


def _leave(connection: Connection, group_id: int, user_id: int) -> None:
    connection.execute(delete(MEMBERS).where((MEMBERS.c.group_id == group_id) & (MEMBERS.c.user_id == user_id)))
