"""A server on loopback that remembers who asked for what: over TCP in HTTP, and over UDP in anything."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LAST = b"the last one"
Answer = tuple[int, dict[str, str], bytes]


@dataclass
class Loopback:
    """What a server answers by path, and what it was asked."""

    port: int = 0
    udp_port: int = 0
    answers: dict[str, Answer | Callable[[BaseHTTPRequestHandler], None]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def handler_of(told: Loopback) -> type[BaseHTTPRequestHandler]:
    """Return the handler that answers by path, and remembers."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            told.asked.append(f"{self.command} {self.path}")
            answer = told.answers.get(self.path.partition("?")[0], (404, {}, b""))
            if callable(answer):
                answer(self)
                return
            status, headers, body = answer
            self.send_response(status)
            for name, value in (headers | {"Content-Length": str(len(body))}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_HEAD = do_OPTIONS = do_CONNECT = do_PROPFIND = do_GET  # noqa: N815  the names that http.server calls

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing."""

    return Handler


@contextmanager
def loopback() -> Iterator[Loopback]:
    """A server that runs as long as the context."""
    told = Loopback()
    last = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    last.bind(("127.0.0.1", 0))
    ended, heard, connected = threading.Event(), threading.Event(), threading.Event()

    class Server(ThreadingHTTPServer):
        def verify_request(self, request: object, client_address: object) -> bool:  # noqa: ARG002
            if client_address == last.getsockname():
                connected.set()
            else:
                told.asked.append("connection")
            return True

        def handle_error(self, request: object, client_address: object) -> None:
            """A caller that goes away is none of the server's errors."""

    server = Server(("127.0.0.1", 0), handler_of(told))
    datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagrams.bind(("127.0.0.1", 0))
    datagrams.settimeout(0.1)
    told.port, told.udp_port = server.server_address[1], datagrams.getsockname()[1]

    def listen() -> None:
        while not ended.is_set():
            with contextlib.suppress(TimeoutError):
                datagram = datagrams.recv(100)
                if datagram == LAST:
                    heard.set()
                else:
                    told.asked.append(f"datagram {datagram!r}")

    threads = [threading.Thread(target=server.serve_forever, daemon=True), threading.Thread(target=listen, daemon=True)]
    for thread in threads:
        thread.start()
    try:
        yield told
        # Whatever was sent before these has been heard when they are.
        last.connect(("127.0.0.1", told.port))
        datagrams.sendto(LAST, ("127.0.0.1", told.udp_port))
        assert connected.wait(10.0)
        assert heard.wait(10.0)
    finally:
        ended.set()
        server.shutdown()
        server.server_close()
        threads[1].join()
        datagrams.close()
        last.close()
