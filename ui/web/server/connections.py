"""The connections of the server: how many there may be, and how long one may be idle, half asked or not read from.

uvicorn has no deadline for the head of a request, and its limit on concurrency counts what has not asked for anything.
"""

from __future__ import annotations

import asyncio
import resource
from functools import partial
from typing import Any, cast

from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol

from ui.settings import UiSettings
from ui.web.server.route_filter import counted_as, is_own

_BACKLOG = 64
"""The connections that the system holds for us until they are taken: all at once, before one of them can be refused."""
PEER = "vouch.peer"
"""The key of a request's scope at which the address stands from which its connection comes: that of the proxy, if there
is one in front, whatever headers say of those behind it."""
_STALL_SECONDS = 30.0
"""The seconds after which a client that takes nothing more of its answer is given up."""
_FULL = b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\nretry-after: 10\r\n\r\n"


class Connections:
    """The open connections of a server. If there are too many, the one that has been idle longest is closed.

    So a client that holds idle connections open locks nobody out. Call all methods on the event loop.
    """

    def __init__(self, limits: UiSettings) -> None:
        """Keep the limits."""
        self.header_seconds = limits.header_seconds
        self._most = min(limits.max_connections, descriptors() // 2)
        self._each = limits.max_connections_each
        self._open: dict[LimitedProtocol, str] = {}
        self._idle: dict[LimitedProtocol, None] = {}  # those without a request, the longest idle first

    def apply(self, config: Config) -> None:
        """Apply the limits to the configuration of a server of uvicorn that has not started."""
        config.http = partial(LimitedProtocol, self)  # type: ignore[assignment]  # a class or what makes one: it is called
        config.ws = "none"  # nothing here speaks it, and a connection that did would be counted no more
        config.backlog = _BACKLOG

    def admit(self, one: LimitedProtocol, host: str) -> bool:
        """Add a connection, closing an idle one if there are too many; False if none of these is idle."""
        address = counted_as(host)
        own = [other for other, its in self._open.items() if its == address]
        crowded = not is_own(address) and len(own) >= self._each
        if crowded or len(self._open) >= self._most:
            idle = next((other for other in self._idle if not crowded or self._open[other] == address), None)
            if idle is None:
                return False
            self.forget(idle)
            idle.transport.abort()
        self._open[one] = address
        return True

    def forget(self, one: LimitedProtocol) -> None:
        """Remove a connection."""
        self._open.pop(one, None)
        self._idle.pop(one, None)

    def idle(self, one: LimitedProtocol) -> None:
        """Note that a connection waits for a request."""
        if one in self._open:
            self._idle[one] = None

    def busy(self, one: LimitedProtocol) -> None:
        """Note that a connection has received the head of a request."""
        self._idle.pop(one, None)


class LimitedProtocol(H11Protocol):
    """A connection with deadlines: for receiving the complete head of each request, and for the client's reading."""

    def __init__(self, connections: Connections, *arguments: Any, **kwargs: Any) -> None:
        """Keep the connections that this one is counted among; the rest is uvicorn's."""
        super().__init__(*arguments, **kwargs)
        self._connections = connections
        self._head: asyncio.TimerHandle | None = None
        self._stall: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the deadline of the first request, or answer 503 if there are too many connections."""
        super().connection_made(transport)
        if self._connections.admit(self, self.client[0] if self.client else ""):
            self._expect_request()
        else:
            transport.write(_FULL)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove the connection, and stop its deadlines."""
        self._connections.forget(self)
        self._cancel(self._head, self._stall)
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Parse what has arrived; if that completes the head of a request, stop its deadline."""
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            cast("dict[str, Any]", self.scope)[PEER] = self.client[0] if self.client else ""
            self._cancel(self._head)
            self._connections.busy(self)

    def on_response_complete(self) -> None:
        """Start the deadline of the next request, which may have arrived already."""
        self._expect_request()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Start the deadline of a client that does not read what is sent to it."""
        super().pause_writing()
        self._cancel(self._stall)
        self._stall = self.loop.call_later(_STALL_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop that deadline: the client reads again."""
        super().resume_writing()
        self._cancel(self._stall)

    def _expect_request(self) -> None:
        self._connections.idle(self)
        self._cancel(self._head)
        self._head = self.loop.call_later(self._connections.header_seconds, self._overdue)

    def _overdue(self) -> None:
        """Close the connection after its last response; abort it if the client does not read that in time."""
        self.transport.close()
        self._cancel(self._stall)
        self._stall = self.loop.call_later(_STALL_SECONDS, self.transport.abort)

    @staticmethod
    def _cancel(*timers: asyncio.TimerHandle | None) -> None:
        for timer in timers:
            if timer is not None:
                timer.cancel()


def descriptors() -> int:
    """Return the number of files and connections that this process may have open."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1_000_000 if soft == resource.RLIM_INFINITY else soft
