"""A small OpenAI-compatible server of the tests' own, on loopback: it says what a test tells it to, byte for byte.

    def test_x(serve: Callable[..., ScriptedServer], client: Callable[..., Client]) -> None:    # of tests/conftest.py
        server = serve(says("It rains."), busy(), says({"a": 1}))     # a queue: one script a request, in order
        server = serve(lambda asked: says(f"You sent {len(asked.images)} images"))   # or a function of the request
        model = client(server, retries=1)     # the fixture beside it; keys are those of ModelSettings
        ...
        assert server.asked[0].images[0].size == (320, 256)

Scripts (`tests.support.scripts`): `says`, `refuses` (400 and the like, worded as vLLM words it), `busy` (429), `fails`
(5xx), `breaks_off` (the connection goes in mid-answer), `cut_off` (finish_reason length), `replies` (any bytes),
`floods` (bytes without an end). An answer is streamed, a piece an event, when the request asks for it, and whole
otherwise. A `gate` (threading.Semaphore) lets one piece through for each `release()`: slow tokens without a clock.
`server.hung_up` is set when a client went away before an answer was complete. GET /v1/models lists `server.models`,
unless `lists` is False, and other addresses give `server.pages`, a JSON value or a script each. A request beyond the
end of the queue is answered with 500 and fails the test. Functions are called in the server's threads, several at once;
what they raise fails the test too.
"""

from __future__ import annotations

import contextlib
import json
import select
import socket
import struct
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.scripts import Asked, Script, fails, replies

PATIENCE = 60.0
"""The seconds after which a closed gate gives up, so that a test that forgot it does not hang."""


class ScriptedServer:
    """A server that answers from `answer`, a function of the request or a queue of scripts. Use it as a context
    manager.

    `asked` are the chat requests so far; `most_at_once` is the most that were under way at the same time.
    """

    def __init__(self, *answer: Script | Callable[[Asked], Script]) -> None:
        self.looked_up: list[Asked] = []
        self.models: list[Mapping[str, Any]] = [{"id": "scripted", "object": "model", "max_model_len": 16384}]
        self.lists = True
        self.pages: dict[str, Any] = {}
        self._lock = threading.Lock()
        self._at_once = 0
        self.rewrite(*answer)
        self._http = _Server(("127.0.0.1", 0), _Handler)
        self._http.scripted = self
        self.port = int(self._http.server_address[1])
        self.url = f"http://127.0.0.1:{self.port}/v1"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), name="scripted", daemon=True)

    def rewrite(self, *answer: Script | Callable[[Asked], Script]) -> None:
        """Answer from these from now on, and forget what was asked: for a server that several tests share."""
        with self._lock:
            self.asked: list[Asked] = []
            self.hung_up = threading.Event()
            self.unexpected: list[str] = []
            self.most_at_once = 0
            self._answer = answer[0] if len(answer) == 1 and callable(answer[0]) else None
            self._queue = deque(a for a in answer if isinstance(a, Script))

    def __enter__(self) -> ScriptedServer:
        """Begin to listen."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop listening."""
        self.close()

    def close(self) -> None:
        """Stop listening, as a server that is shut down; may be called twice."""
        if self._thread.is_alive():
            self._http.shutdown()
            self._thread.join()
        self._http.server_close()

    def next_script(self, asked: Asked) -> Script:
        """Return the script that this request gets."""
        with self._lock:
            self.asked.append(asked)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            if self._answer is None and not self._queue:
                self.unexpected.append(asked.text[:200])
                return fails()
            script = None if self._answer else self._queue.popleft()
        return script or self._answer(asked)  # type: ignore[misc]

    def done(self) -> None:
        """Count a request as over."""
        with self._lock:
            self._at_once -= 1


class _Server(ThreadingHTTPServer):
    scripted: ScriptedServer
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_: Any) -> None:
        """Note an error: a client that goes away is part of the tests; a failing script or a shut gate is not."""
        error = sys.exception()
        if isinstance(error, ConnectionError):
            self.scripted.hung_up.set()
        else:
            self.scripted.unexpected.append(repr(error))


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Log nothing."""

    def do_GET(self) -> None:
        self.server.scripted.looked_up.append(self._asked())
        listing = {"object": "list", "data": list(self.server.scripted.models)}
        pages = self.server.scripted.pages | ({"/v1/models": listing} if self.server.scripted.lists else {})
        page = pages.get(self.path, _not_found())
        self._whole(page if isinstance(page, Script) else replies(200, json.dumps(page)))

    def do_POST(self) -> None:
        asked = self._asked()
        if self.path != "/v1/chat/completions":
            self._whole(_not_found())
            return
        scripted = self.server.scripted
        script = scripted.next_script(asked)
        try:
            if script.endless is not None:
                self._flood(script, *script.endless)
            elif script.raw is not None:
                self._whole(script)
            elif asked.body.get("stream"):
                self._stream(script, asked)
            else:
                self._say(script, asked)
        except _HungUp:
            scripted.hung_up.set()
            self.close_connection = True
        finally:
            scripted.done()

    def _asked(self) -> Asked:
        data = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {k.lower(): v for k, v in self.headers.items()}
        return Asked(self.path, headers, json.loads(data) if data else {})

    def _whole(self, script: Script) -> None:
        body = script.raw or b""
        self.send_response(script.status)
        for name, value in {**script.headers, "content-length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _flood(self, script: Script, head: bytes, again: bytes) -> None:
        until = time.monotonic() + PATIENCE
        rest = threading.Event()
        try:
            self.wfile.write(head)
            while time.monotonic() < until:
                self.wfile.write(again)
                if script.pause:
                    rest.wait(script.pause)
        except OSError as error:
            raise _HungUp from error
        raise TimeoutError("the client never left")

    def _say(self, script: Script, asked: Asked) -> None:
        for _ in script.pieces:
            self._wait(script)
        if script.end is None:
            self._leave(script)
            return
        message = {"role": "assistant", "content": "".join(script.pieces)}
        choice = {"index": 0, "message": message, "finish_reason": script.end}
        self._whole(replies(200, json.dumps(_frame("chat.completion", asked, [choice], script.usage))))

    def _stream(self, script: Script, asked: Asked) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for n, piece in enumerate(script.pieces):
            self._wait(script)
            delta = {"content": piece} | ({"role": "assistant"} if n == 0 else {})
            self._event(_frame("chat.completion.chunk", asked, [{"index": 0, "delta": delta, "finish_reason": None}]))
        if script.end is None:
            self._leave(script)
            return
        last = {"index": 0, "delta": {}, "finish_reason": script.end}
        self._event(_frame("chat.completion.chunk", asked, [last]))
        if script.usage and (asked.body.get("stream_options") or {}).get("include_usage"):
            self._event(_frame("chat.completion.chunk", asked, [], script.usage))
        self._chunk(b"data: [DONE]\n\n")
        self._chunk(b"")

    def _event(self, frame: Mapping[str, Any]) -> None:
        self._chunk(b"data: " + json.dumps(frame).encode() + b"\n\n")

    def _chunk(self, data: bytes) -> None:
        try:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        except OSError as error:
            raise _HungUp from error

    def _wait(self, script: Script) -> None:
        """Wait for the gate, and for the client to leave: a socket at its end is readable and empty."""
        if script.gate is None:
            return
        for _ in range(int(PATIENCE / 0.01)):
            if script.gate.acquire(timeout=0.01):
                return
            if select.select([self.connection], [], [], 0)[0] and not self._peek():
                raise _HungUp
        raise TimeoutError("the gate stayed shut")

    def _peek(self) -> bytes:
        with contextlib.suppress(OSError):
            return self.connection.recv(1, socket.MSG_PEEK)
        return b""

    def _leave(self, script: Script) -> None:
        self.wfile.flush()
        if script.reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True


class _HungUp(Exception):
    """The client is gone."""


def _frame(
    kind: str, asked: Asked, choices: list[dict[str, Any]], usage: tuple[int, int] | None = None
) -> dict[str, Any]:
    counts = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)} if usage else None
    frame = {"id": "c-1", "object": kind, "created": 1, "model": asked.body.get("model"), "choices": choices}
    return frame | ({"usage": counts} if counts else {})


def _not_found() -> Script:
    return replies(404, json.dumps({"detail": "Not Found"}))
