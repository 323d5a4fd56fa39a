"""Quotas: how many questions a minute, and how many pages and megabytes, a person and a collection may have.

Questions are counted in the memory of one process; pages and bytes are those of the documents that collections hold,
and so they are counted anew each time.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ui.errors import OverQuota, OverSpace
from ui.settings import UiSettings
from ui.show import counted
from ui.state.audit import SCENE
from ui.state.people import ACTING, People, Quotas

if TYPE_CHECKING:
    from indexing import Document
    from ui.web.metrics import Metrics

MINUTE = 60.0
MB = 1024 * 1024
_MOST_CALLERS = 10_000


@dataclass(frozen=True, slots=True)
class Room:
    """The rest of one quota of space: `whose` it is, and what is left, None for no limit; `says` how much it is."""

    whose: str
    pages: int | None
    bytes: int | None
    says: Mapping[str, str]

    def check(self, size: int = 0, pages: int = 0) -> None:
        """Raise OverSpace where documents of that size, with that many pages, have no room; 0 asks for any room."""
        for kind, left, wanted in (("pages", self.pages, pages), ("mb", self.bytes, size)):
            if left is not None and (left <= 0 or wanted > left):
                says = f"{self.whose} {self.says[kind]}: remove documents, or ask an admin for more"
                raise OverSpace(says, kind)


class QuotaBook:
    """The quotas of one running page. Every method may be called from any thread."""

    def __init__(
        self,
        settings: UiSettings,
        people: People | None,
        metrics: Metrics,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Keep the settings, which hold for whoever has no quota among the `people`; `clock` gives seconds."""
        self._settings = settings
        self._people = people
        self._quotas = Quotas(people.state) if people is not None else None
        self._metrics = metrics
        self._clock = clock
        self._asked: OrderedDict[str, deque[float]] = OrderedDict()
        self._all: deque[float] = deque()
        self._lock = threading.Lock()

    def ask(self) -> None:
        """Count a question of whoever acts here. Raises OverQuota, and then it does not count."""
        who, scene = ACTING.get(), SCENE.get()
        most = self._of(who.user_id).get("questions", self._settings.max_questions_minute or None)
        of_all = self._settings.max_all_questions_minute or None
        key = who.known_as if who.user_id else scene.visitor or scene.address
        with self._lock:
            now = self._clock()
            own = self._asked.setdefault(key, deque())
            self._asked.move_to_end(key)
            while len(self._asked) > _MOST_CALLERS:
                self._asked.popitem(last=False)
            self._check(own, most, now, "questions", "you may ask {} per minute (max_questions_minute)")
            self._check(
                self._all, of_all, now, "all_questions", "this server takes {} per minute (max_all_questions_minute)"
            )
            if most is not None:
                own.append(now)
            if of_all is not None:
                self._all.append(now)

    def _check(self, times: deque[float], most: int | None, now: float, limit: str, says: str) -> None:
        while times and now - times[0] >= MINUTE:
            times.popleft()
        if most is None or len(times) < most:
            return
        wait = math.ceil(MINUTE - (now - times[-most])) if most else int(MINUTE)
        self._metrics.over_quota(limit)
        until = f"ask again in {counted(wait, 'second')}" if most else "ask an admin for more"
        raise OverQuota(f"{says.format(counted(most, 'question'))}: {until}", max(1, wait))

    @property
    def limit_collections(self) -> bool:
        """True where a collection may not hold all that is brought."""
        return bool(self._settings.max_collection_pages or self._settings.max_collection_mb)

    def limits_account(self, account: str) -> bool:
        """Return True where an account may not bring all that it has."""
        return bool(account) and any(most is not None for most in self._space_of(account).values())

    def of_collection(self, name: str, documents: Iterable[Document]) -> Room:
        """Return the room that a collection with these documents has left."""
        limits = {"pages": self._settings.max_collection_pages or None, "mb": self._settings.max_collection_mb or None}
        return _room(f"the collection {name}", "max_collection", limits, documents)

    def of_account(self, account: str, documents: Iterable[Document]) -> Room:
        """Return the room that is left to an account which has brought these documents; "" is nobody, without limit."""
        limits = self._space_of(account) if account else {"pages": None, "mb": None}
        return _room(f"the documents that {account} has added", "max_person", limits, documents)

    def _space_of(self, account: str) -> dict[str, int | None]:
        person = self._people.identity(account) if self._people is not None else None
        own = self._of(person.user_id if person is not None else 0)
        return {
            "pages": own.get("pages", self._settings.max_person_pages or None),
            "mb": own.get("mb", self._settings.max_person_mb or None),
        }

    def _of(self, user_id: int) -> Mapping[str, int | None]:
        return self._quotas.of(user_id) if self._quotas is not None and user_id else {}


def _room(whose: str, setting: str, limits: Mapping[str, int | None], documents: Iterable[Document]) -> Room:
    held = list(documents) if any(most is not None for most in limits.values()) else []
    pages, size = limits["pages"], limits["mb"]
    return Room(
        whose,
        None if pages is None else pages - sum(document.n_pages for document in held),
        None if size is None else size * MB - sum(document.size for document in held),
        {
            "pages": f"may have {counted(pages or 0, 'page')} ({setting}_pages)",
            "mb": f"may have {size or 0:,} MB ({setting}_mb)",
        },
    )
