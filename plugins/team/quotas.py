"""Quotas: how many questions a minute, and how many pages and megabytes, a person and a collection may have.

Questions are counted in the memory of one process; pages and bytes are those of the documents that collections hold,
and so they are counted again each time. The profile has limits for all; a person or a group may have others.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args

from sqlalchemy import delete, insert, select

from plugins.team.people import number_of
from plugins.team.tables import GROUP_QUOTAS, GROUPS, MEMBERS, USER_QUOTAS, USERS
from ui import BadPerson, OverQuota, OverSpace, UiSettings
from ui.access import ACTING, SCENE, Access, Space
from ui.show import count_of
from ui.state import StateStore

if TYPE_CHECKING:
    from indexing import Document

QuotaKind = Literal["questions", "pages", "mb"]
"""The kinds: questions a minute, and pages and megabytes of the documents that a person has brought."""
QUOTA_KINDS: tuple[QuotaKind, ...] = get_args(QuotaKind)
_MOST = 2_000_000_000
_MINUTE = 60.0
_MB = 1024 * 1024
_MOST_CALLERS = 10_000


class Quotas:
    """The quotas of one state store that differ from the profile. Safe to use from several threads."""

    def __init__(self, state: StateStore) -> None:
        """Keep the store, which is open."""
        self._state = state

    def give(self, kind: QuotaKind, most: int | Literal["off", "default"], user: str = "", group: str = "") -> None:
        """Give a user, or each member of a group, a quota in the place of any before.

        "off" lifts the limit; with "default" the limit of the group or the profile applies again. Raises BadPerson for
        an unknown user or group, and for an invalid number.
        """
        if kind not in QUOTA_KINDS or (isinstance(most, int) and not 0 <= most <= _MOST):
            raise BadPerson(f"a quota is one of {', '.join(QUOTA_KINDS)}, with a number up to {_MOST:,}")
        table, key = (GROUP_QUOTAS, "group_id") if group else (USER_QUOTAS, "user_id")
        with self._state.transaction() as connection:
            owner = number_of(connection, *((GROUPS, group) if group else (USERS, user)))
            connection.execute(delete(table).where((table.c[key] == owner) & (table.c.kind == kind)))
            if most != "default":
                limit = None if most == "off" else most
                connection.execute(insert(table).values(**{key: owner}, kind=kind, most=limit))

    def of(self, user: str) -> Mapping[str, int | None]:
        """Return the quotas of a user by kind: their own, else the highest of their groups; None means no limit."""
        of_groups = select(GROUP_QUOTAS).join(MEMBERS, MEMBERS.c.group_id == GROUP_QUOTAS.c.group_id)
        number = select(USERS.c.id).where(USERS.c.name == user).scalar_subquery()
        limits: dict[str, int | None] = {}
        with self._state.transaction() as connection:
            for row in connection.execute(of_groups.where(MEMBERS.c.user_id == number)):
                before = limits.get(row.kind, 0)
                limits[row.kind] = None if before is None or row.most is None else max(before, row.most)
            own = select(USER_QUOTAS).where(USER_QUOTAS.c.user_id == number)
            return limits | {row.kind: row.most for row in connection.execute(own)}

    def list_quotas(self) -> list[dict[str, Any]]:
        """Return all quotas by name, those of groups first; `most` is "off" for no limit."""
        groups = select(GROUPS.c.name, GROUP_QUOTAS).join(GROUP_QUOTAS, GROUP_QUOTAS.c.group_id == GROUPS.c.id)
        users = select(USERS.c.name, USER_QUOTAS).join(USER_QUOTAS, USER_QUOTAS.c.user_id == USERS.c.id)
        with self._state.transaction() as connection:
            return [
                {"owner": owner, "name": row.name, "kind": row.kind, "most": "off" if row.most is None else row.most}
                for owner, query in (
                    ("group", groups.order_by(GROUPS.c.name, GROUP_QUOTAS.c.kind)),
                    ("user", users.order_by(USERS.c.name, USER_QUOTAS.c.kind)),
                )
                for row in connection.execute(query)
            ]


class QuotaAccess(Access):
    """The access of a server where everybody may do everything, as often and as much as the quotas allow."""

    def __init__(
        self, settings: UiSettings, quotas: Quotas | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Keep the settings, which hold for all without their own among the `quotas`; `clock` gives seconds."""
        self._settings = settings
        self._quotas = quotas
        self._clock = clock
        self._request_times: OrderedDict[str, deque[float]] = OrderedDict()
        self._all: deque[float] = deque()
        self._lock = threading.Lock()

    def count_question(self) -> None:
        """Count a question of the current person or visitor. Raises OverQuota, without counting it."""
        who, scene = ACTING.get(), SCENE.get()
        most = self._of(who.name).get("questions", self._settings.max_questions_minute or None)
        of_all = self._settings.max_all_questions_minute or None
        key = who.known_as if who.user_id else scene.visitor or scene.address
        with self._lock:
            now = self._clock()
            own = self._request_times.setdefault(key, deque())
            self._request_times.move_to_end(key)
            while len(self._request_times) > _MOST_CALLERS:
                self._request_times.popitem(last=False)
            _check_rate(own, most, now, "questions", "you may ask {} per minute (max_questions_minute)")
            _check_rate(
                self._all, of_all, now, "all_questions", "this server takes {} per minute (max_all_questions_minute)"
            )
            if most is not None:
                own.append(now)
            if of_all is not None:
                self._all.append(now)

    def limits_space(self, account: str) -> bool:
        """Return True if a limit on pages or megabytes applies to collections, or to an account."""
        limits = (self._settings.max_collection_pages or None, self._settings.max_collection_mb or None)
        return any(most is not None for most in (*limits, *self._space_of(account)))

    def check_space(
        self, collection: str, account: str, documents_of: Callable[[str | None], Iterable[Document]], space: Space
    ) -> None:
        """Raise OverSpace if a collection, or an account ("" for none), has less space left than `space`."""
        limits = (self._settings.max_collection_pages or None, self._settings.max_collection_mb or None)
        _check_room(
            f"the collection {collection} may have",
            "max_collection",
            limits,
            (space.pages, space.bytes),
            lambda: documents_of(collection),
        )
        _check_room(
            f"the documents that {account} has added may have",
            "max_person",
            self._space_of(account),
            (space.pages, space.own_bytes),
            lambda: [document for document in documents_of(None) if document.brought_by == account],
        )

    def _space_of(self, account: str) -> tuple[int | None, int | None]:
        """Return the most pages and megabytes that an account may add; None is no limit, as for ""."""
        if not account:
            return None, None
        own = self._of(account)
        return (
            own.get("pages", self._settings.max_person_pages or None),
            own.get("mb", self._settings.max_person_mb or None),
        )

    def _of(self, name: str) -> Mapping[str, int | None]:
        return self._quotas.of(name) if self._quotas is not None and name else {}


def _check_rate(times: deque[float], most: int | None, now: float, limit: str, says: str) -> None:
    """Raise OverQuota if there are `most` times in the last minute; `says` is the message, `limit` its name."""
    while times and now - times[0] >= _MINUTE:
        times.popleft()
    if most is None or len(times) < most:
        return
    wait = math.ceil(_MINUTE - (now - times[-most])) if most else int(_MINUTE)
    until = f"ask again in {count_of(wait, 'second')}" if most else "ask an admin for more"
    raise OverQuota(f"{says.format(count_of(most, 'question'))}: {until}", max(1, wait), limit)


def _check_room(
    whose: str,
    setting: str,
    limits: tuple[int | None, int | None],
    amounts: tuple[int, int],
    documents_of: Callable[[], Iterable[Document]],
) -> None:
    """Raise OverSpace if the wanted pages and bytes do not fit beside the documents; 0 asks for any space."""
    pages, megabytes = limits
    if pages is None and megabytes is None:
        return
    documents = list(documents_of())
    advice = "remove documents, or ask an admin for more"
    if pages is not None and sum(d.n_pages for d in documents) + max(amounts[0], 1) > pages:
        raise OverSpace(f"{whose} {count_of(pages, 'page')} ({setting}_pages): {advice}", "pages")
    if megabytes is not None and sum(d.size for d in documents) + max(amounts[1], 1) > megabytes * _MB:
        raise OverSpace(f"{whose} {megabytes:,} MB ({setting}_mb): {advice}", "mb")
