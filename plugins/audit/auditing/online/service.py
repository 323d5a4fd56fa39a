"""A service: a question -> its answer, out of the cache or over the network, at the pace that the service asks for.

One request at a time goes to a service, with a pause between two, for all audits of this process.
"""

from __future__ import annotations

import datetime as dt
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeVar
from urllib.parse import quote, urlencode

from plugins.audit.auditing.online.cache import ResponseCache, ServiceResponse
from plugins.audit.auditing.online.guarded import GuardedClient
from plugins.audit.errors import SourceUnreachable

TRIES = 3
MOST_WAIT = 30.0
"""The most seconds that a service may have us wait before another try."""
PATIENCE, REST = 3, 60.0
"""The failures, one after another, after which a service is left alone, and for how many seconds."""
_TAKEN = (200, 404)

_T = TypeVar("_T")
_PACES: dict[str, Pace] = {}
_PACES_LOCK = threading.Lock()


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a service: its address, the hosts that it may redirect to, and seconds from a request to the next.

    `polite` is the pause for those who say who they are (mailto), or bring a key.
    """

    name: str
    address: str
    hosts: frozenset[str]
    pause: float
    polite: float


@dataclass(frozen=True, slots=True)
class Caller:
    """The person who asks: an address of e-mail that services may write to, and a key with its header, if any."""

    mailto: str = ""
    key: tuple[str, str] | None = None

    @property
    def agent(self) -> str:
        """The User-Agent, which says what asks, and who."""
        return f"Vouch/0.1 (reference audit{f'; mailto:{self.mailto}' if self.mailto else ''})"


class Clock:
    """The time, and waiting, which `stop` ends. Tests have one of their own that waits for nothing."""

    def __init__(self) -> None:
        """Begin to run."""
        self._stopped = threading.Event()

    def now(self) -> float:
        """Return the seconds that have passed since some moment."""
        return time.monotonic()

    def wait(self, seconds: float) -> None:
        """Wait. Raises SourceUnreachable where it was stopped."""
        if self._stopped.wait(max(0.0, seconds)):
            raise SourceUnreachable("the audit was stopped")

    def stop(self) -> None:
        """End all waiting, now and later."""
        self._stopped.set()


class Pace:
    """The turns of one service."""

    def __init__(self) -> None:
        """Begin free."""
        self._lock = threading.Lock()
        self._next = float("-inf")

    @contextmanager
    def turn(self, clock: Clock, pause: float) -> Iterator[None]:
        """Wait for the turn, and keep the next one `pause` seconds away from its beginning."""
        with self._lock:
            remaining = self._next - clock.now()
            clock.wait(remaining)
            self._next = clock.now() + pause
            yield

    def delay(self, clock: Clock, seconds: float) -> None:
        """Let the next turn, whoever has it, begin no earlier than in so many seconds."""
        with self._lock:
            self._next = max(self._next, clock.now() + seconds)


def pace_of(service: str) -> Pace:
    """Return the pace that all audits of this process share for a service."""
    with _PACES_LOCK:
        return _PACES.setdefault(service, Pace())


class Service:
    """The conversation with one service. `client`, `clock` and `pace` are for tests."""

    def __init__(
        self,
        terms: Terms,
        caller: Caller | None = None,
        cache: ResponseCache | None = None,
        *,
        client: GuardedClient | None = None,
        clock: Clock | None = None,
        pace: Pace | None = None,
    ) -> None:
        """Keep all; nothing is asked yet."""
        self.terms, self._caller, self._cache = terms, caller or Caller(), cache
        self._client = client or GuardedClient(terms.hosts, agent=self._caller.agent)
        self._clock, self._pace = clock or Clock(), pace or pace_of(terms.name)
        self._pause = terms.polite if self._caller.mailto or self._caller.key else terms.pause
        self._failures, self._rests_until, self._why = 0, float("-inf"), ""

    def ask(
        self,
        path: str,
        query: Mapping[str, str],
        read: Callable[[ServiceResponse], _T],
        accept: str = "application/json",
        redirected: bool = False,
    ) -> tuple[_T, str]:
        """Return what `read` makes of the answer, and its date where it was kept ("as of 2026-11-20").

        `read` raises ValueError for what it cannot read, which is then not kept. `redirected` hands redirects to other
        hosts to it, too. Raises SourceUnreachable with the reason.
        """
        url = self.terms.address + quote(path, safe="/:") + (f"?{urlencode(query)}" if query else "")
        request = f"{accept} {url}"
        entry = self._cache.find(request) if self._cache else None
        if entry is not None:
            try:
                date = dt.datetime.fromtimestamp(entry.date, dt.UTC).date()
                return read(entry), f" (as of {date.isoformat()})"
            except ValueError:  # kept by another version
                entry = None
        answer = replace(self._fetch(url, accept, redirected), date=time.time())
        try:
            value = read(answer)
        except (ValueError, RecursionError) as error:
            raise SourceUnreachable(f"answers what cannot be read ({str(error)[:120]})") from error
        if self._cache:
            self._cache.keep(request, answer, empty=answer.status == 404 or not value)
        return value, ""

    def close(self) -> None:
        """End waiting, and close the connections."""
        self._clock.stop()
        self._client.close()

    def _fetch(self, url: str, accept: str, redirected: bool) -> ServiceResponse:
        """Return a response with status 200 or 404 or, if `redirected`, a redirect. Raises SourceUnreachable.

        After PATIENCE failures in a row the service is left alone for REST seconds.
        """
        if self._clock.now() < self._rests_until:
            raise SourceUnreachable(f"left alone for a minute after {PATIENCE} failures: {self._why}")
        try:
            response = self._fetch_with_retries(url, accept)
        except SourceUnreachable as error:
            self._failures, self._why = self._failures + 1, str(error)
            if self._failures >= PATIENCE:
                self._failures, self._rests_until = 0, self._clock.now() + REST
            raise
        self._failures = 0
        if response.status in _TAKEN or (redirected and response.elsewhere):
            return response
        where = f", a redirect to {response.elsewhere[:100]}" if response.elsewhere else ""
        raise SourceUnreachable(f"answers {response.status}{where}")

    def _fetch_with_retries(self, url: str, accept: str) -> ServiceResponse:
        """Return the response after as many tries as a busy or failing service needs. Raises SourceUnreachable."""
        secret = dict([self._caller.key]) if self._caller.key else None
        status = 0
        for attempt in range(TRIES):
            with self._pace.turn(self._clock, self._pause):
                response = self._client.get(url, accept, secret)
            if response.status != 429 and response.status < 500:
                return response
            status, wait = response.status, response.wait if response.wait is not None else 2.0**attempt
            if wait > MOST_WAIT:
                raise SourceUnreachable(f"answers {status} and asks to wait {wait:,.0f} s")
            self._pace.delay(self._clock, wait)
        raise SourceUnreachable(f"answers {status}, also after {TRIES} tries")
