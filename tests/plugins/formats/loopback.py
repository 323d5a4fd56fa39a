"""A server on loopback that remembers what it was asked."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Loopback:
    """The port of a server, what it answers, and what it was asked: each connection, and each request."""

    body: bytes
    port: int = 0
    asked: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def loopback(body: bytes) -> Iterator[Loopback]:
    """A server that answers `body` as long as the context lasts."""
    told = Loopback(body)
    last = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    last.bind(("127.0.0.1", 0))
    connected = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            told.asked.append(f"{self.command} {self.path}")
            self.send_response(200)
            self.send_header("Content-Length", str(len(told.body)))
            self.end_headers()
            self.wfile.write(told.body)

        do_POST = do_HEAD = do_OPTIONS = do_CONNECT = do_PROPFIND = do_GET  # noqa: N815  the names that http.server calls

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        def verify_request(self, request: object, client_address: object) -> bool:  # noqa: ARG002
            if client_address == last.getsockname():
                connected.set()
            else:
                told.asked.append("connection")
            return True

        def handle_error(self, request: object, client_address: object) -> None:
            """A caller that goes away is none of the server's errors."""

    server = Server(("127.0.0.1", 0), Handler)
    told.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield told
        last.connect(("127.0.0.1", told.port))  # whatever was asked before has been heard when this is
        assert connected.wait(10.0)
    finally:
        server.shutdown()
        server.server_close()
        last.close()
