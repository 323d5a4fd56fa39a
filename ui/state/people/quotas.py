"""Quotas of users and of group members that differ from the profile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from sqlalchemy import delete, insert, select

from ui.errors import BadPerson
from ui.state.database import StateStore
from ui.state.people.people import group_number, user_number
from ui.state.people.tables import GROUP_QUOTAS, GROUPS, MEMBERS, USER_QUOTAS, USERS

QuotaKind = Literal["questions", "pages", "mb"]
"""The kinds: questions a minute, and pages and megabytes of the documents that a person has brought."""
QUOTA_KINDS: tuple[QuotaKind, ...] = get_args(QuotaKind)
_MOST = 2_000_000_000


@dataclass(frozen=True, slots=True)
class QuotaListed:
    """A quota as an admin sees it; `most` is None for no limit."""

    owner: str
    name: str
    kind: QuotaKind
    most: int | None


class Quotas:
    """The quotas of one state store. Safe to use from several threads."""

    def __init__(self, state: StateStore) -> None:
        """Keep the store, which is open."""
        self._state = state

    def give(self, kind: QuotaKind, most: int | None, user: str = "", group: str = "") -> None:
        """Give a user, or each member of a group, a quota in the place of any before; None lifts the limit.

        Raises BadPerson for an unknown user or group, and for a number that is none.
        """
        if most is not None and not 0 <= most <= _MOST:
            raise BadPerson(f"a quota is a number up to {_MOST:,}")
        self._change(kind, user, group, [{"most": most}])

    def take(self, kind: QuotaKind, user: str = "", group: str = "") -> None:
        """Take a quota away: what the group, or the profile, says counts again. Raises BadPerson."""
        self._change(kind, user, group, [])

    def _change(self, kind: QuotaKind, user: str, group: str, made: list[dict[str, int | None]]) -> None:
        if kind not in QUOTA_KINDS:
            raise BadPerson(f"{kind!r} is not a quota: give one of {', '.join(QUOTA_KINDS)}")
        table, key = (GROUP_QUOTAS, "group_id") if group else (USER_QUOTAS, "user_id")
        with self._state.transaction() as connection:
            owner = group_number(connection, group) if group else user_number(connection, user)
            connection.execute(delete(table).where((table.c[key] == owner) & (table.c.kind == kind)))
            for values in made:
                connection.execute(insert(table).values(**{key: owner}, kind=kind, **values))

    def of(self, user_id: int) -> Mapping[str, int | None]:
        """Return the quotas of a user by kind: their own, else the highest of their groups; None means no limit."""
        of_groups = select(GROUP_QUOTAS).join(MEMBERS, MEMBERS.c.group_id == GROUP_QUOTAS.c.group_id)
        limits: dict[str, int | None] = {}
        with self._state.transaction() as connection:
            for row in connection.execute(of_groups.where(MEMBERS.c.user_id == user_id)):
                before = limits.get(row.kind, 0)
                limits[row.kind] = None if before is None or row.most is None else max(before, row.most)
            own = select(USER_QUOTAS).where(USER_QUOTAS.c.user_id == user_id)
            return limits | {row.kind: row.most for row in connection.execute(own)}

    def list_quotas(self) -> tuple[QuotaListed, ...]:
        """Return all quotas by name, those of groups first."""
        groups = select(GROUPS.c.name, GROUP_QUOTAS).join(GROUP_QUOTAS, GROUP_QUOTAS.c.group_id == GROUPS.c.id)
        users = select(USERS.c.name, USER_QUOTAS).join(USER_QUOTAS, USER_QUOTAS.c.user_id == USERS.c.id)
        with self._state.transaction() as connection:
            return tuple(
                QuotaListed(owner, row.name, row.kind, row.most)
                for owner, query, kind in (
                    ("group", groups.order_by(GROUPS.c.name), GROUP_QUOTAS.c.kind),
                    ("user", users.order_by(USERS.c.name), USER_QUOTAS.c.kind),
                )
                for row in connection.execute(query.order_by(kind))
            )
