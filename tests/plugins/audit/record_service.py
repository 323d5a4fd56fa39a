"""A service of records on loopback, for tests: it answers each request as a test says, and remembers what it was asked.

    with RecordService(lambda asked: Answer(200, {"message": {}})) as service:
        source = Crossref(service.service(Crossref.terms))

`clock` waits for nothing: it remembers the waits, and moves on by them.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from plugins.audit.auditing.online.cache import ResponseCache
from plugins.audit.auditing.online.guarded import GuardedClient
from plugins.audit.auditing.online.service import Caller, Clock, Pace, Service, Terms

LOOPBACK = frozenset({"127.0.0.1", "localhost"})


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as it came: the path and the query read, headers in small letters."""

    path: str
    query: dict[str, str]
    headers: dict[str, str]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: a body as bytes, or a value that is sent as JSON. `stuck` sends the body and then waits for ever."""

    status: int = 200
    body: Any = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    stuck: bool = False
    endless: bool = False

    @property
    def bytes(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


class WaitlessClock(Clock):
    """A clock whose waits take no time: `waits` are those that were asked for, in seconds."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float] = []
        self._now = 0.0

    def now(self) -> float:
        return self._now

    def wait(self, seconds: float) -> None:
        super().wait(0.0)
        if seconds > 0:
            self.waits.append(seconds)
            self._now += seconds


class RecordService:
    """The server; use it as a context manager."""

    def __init__(self, *answers: Answer | Callable[[Asked], Answer]) -> None:
        self.asked: list[Asked] = []
        self.clock = WaitlessClock()
        self._answers = list(answers)
        self._closed = threading.Event()
        self._http = _Server(("127.0.0.1", 0), _Handler)
        self._http.service = self
        self.port = int(self._http.server_address[1])
        self.address = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> RecordService:
        """Begin to listen."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop listening."""
        self._closed.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def answer_to(self, asked: Asked) -> Answer:
        """Return the next answer; the last one is given again and again."""
        self.asked.append(asked)
        answer = self._answers[0] if len(self._answers) == 1 else self._answers.pop(0)
        return answer if isinstance(answer, Answer) else answer(asked)

    def wait(self) -> None:
        self._closed.wait(60)

    def service(
        self, terms: Terms, cache: ResponseCache | None = None, caller: Caller | None = None, **limits: Any
    ) -> Service:
        """Return the service with those terms as if it lived here."""
        here = replace(terms, address=self.address, hosts=LOOPBACK)
        client = GuardedClient(LOOPBACK, agent=(caller or Caller()).agent, loopback=True, **limits)
        return Service(here, caller, cache, client=client, clock=self.clock, pace=Pace())


class _Server(ThreadingHTTPServer):
    service: RecordService
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """Say nothing of clients that went away: that is what the tests make them do."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def log_message(self, *_: Any) -> None:
        """Log nothing."""

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        asked = Asked(unquote(parts.path), query, {k.lower(): v for k, v in self.headers.items()})
        answer = self.server.service.answer_to(asked)
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if not (answer.stuck or answer.endless):
            self.send_header("content-length", str(len(answer.bytes)))
        self.end_headers()
        self.wfile.write(answer.bytes)
        while answer.endless:
            self.wfile.write(b" " * 65_536)
        if answer.stuck:
            self.wfile.flush()
            self.server.service.wait()
