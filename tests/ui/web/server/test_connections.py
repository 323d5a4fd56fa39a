"""Connections, against a real server: those that ask for nothing, drip, or take no answer keep nobody out."""

import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
import uvicorn

from ui.settings import UiSettings
from ui.web.server import connections
from ui.web.server.connections import Connections
from ui.web.server.route_filter import Receive, Scope, Send

BIG = bytes(20_000_000)
Serve = Callable[..., tuple[int, Connections]]
Connect = Callable[..., socket.socket]


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer little, much, or after the other side has gone."""
    if scope["path"] == "/wait":
        while (await receive())["type"] != "http.disconnect":
            pass
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": BIG if scope["path"] == "/big" else b"hello"})


@pytest.fixture
def serve() -> Iterator[Serve]:
    """`serve(**limits)` starts a server, and returns its port and its connections."""
    ends: list[Callable[[], None]] = []

    def started(**limits: Any) -> tuple[int, Connections]:
        held = Connections(UiSettings(**limits))
        listening = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(app, lifespan="off", log_config=None, timeout_graceful_shutdown=1)
        held.apply(config)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()

        def end() -> None:
            server.should_exit = server.force_exit = True
            thread.join(20)
            listening.close()

        ends.append(end)
        return int(listening.getsockname()[1]), held

    yield started
    for end in ends:
        end()


@pytest.fixture
def connect(serve: Serve) -> Iterator[Connect]:
    """`connect(port, sent)` opens a connection and sends something; it is closed before the server."""
    assert serve
    made: list[socket.socket] = []

    def connected(port: int, sent: bytes = b"") -> socket.socket:
        made.append(socket.create_connection(("127.0.0.1", port), timeout=20))
        made[-1].sendall(sent)
        return made[-1]

    yield connected
    for one in made:
        one.close()


def drips(one: socket.socket, drop: bytes) -> int:
    """Return how many drops were taken before the other side closed, 400 at most, one in 50 ms."""
    one.settimeout(0.05)
    for n in range(400):
        try:
            one.sendall(drop)
            if one.recv(1) == b"":
                return n
        except TimeoutError:
            continue
        except (ConnectionResetError, BrokenPipeError):
            return n
    return 400


def rest(one: socket.socket) -> bytes:
    """What the other side still says before it closes."""
    said = b""
    try:
        while piece := one.recv(65_536):
            said += piece
    except ConnectionResetError:
        pass
    return said


def test_who_holds_connections_and_asks_for_nothing_keeps_nobody_out(serve: Serve, connect: Connect) -> None:
    port, held = serve(max_connections=10, header_seconds=600)
    half = [connect(port, b"GET / HTTP/1.1\r\nhost: x\r\nx-") for _ in range(40)]
    for _ in range(5):
        assert httpx.get(f"http://127.0.0.1:{port}/", timeout=20).text == "hello"
    assert len(held._open) <= 10
    assert rest(half[0]) == b"", "the one that waited longest had to go"


def test_half_a_head_has_its_time_however_it_drips(serve: Serve, connect: Connect) -> None:
    port, _ = serve(header_seconds=0.3)
    one = connect(port, b"GET / HTTP/1.1\r\n")
    assert drips(one, b"x: y\r\n") < 400


def test_who_reads_nothing_is_given_up(serve: Serve, connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "_STALL_SECONDS", 0.2)
    port, held = serve()
    one = connect(port, b"GET /big HTTP/1.1\r\nhost: x\r\n\r\n")
    (one_held,) = wait_for(lambda: list(held._open))
    assert wait_for(one_held.transport.is_closing)
    assert len(rest(one)) < len(BIG)
    assert httpx.get(f"http://127.0.0.1:{port}/big", timeout=20).content == BIG, "who reads it gets it all"


def wait_for(found: Callable[[], Any]) -> Any:
    """Return what is found, looked for again and again for some seconds."""
    looking = threading.Event()
    for _ in range(400):
        if result := found():
            return result
        looking.wait(0.05)
    raise AssertionError("it never came")


class Peer:
    """The other end of a connection that notes when it is aborted: its own transport."""

    def __init__(self) -> None:
        self.transport, self.aborted = self, False

    def abort(self) -> None:
        self.aborted = True


def counted(held: Connections, host: str) -> tuple[bool, Any]:
    one: Any = Peer()
    let_in = held.admit(one, host)
    held.idle(one)
    return let_in, one


def test_an_address_has_its_share_and_this_machine_all() -> None:
    held = Connections(UiSettings(max_connections_each=2, max_connections=6))
    first, second = (counted(held, "2001:db8::1")[1], counted(held, "2001:db8::2")[1])
    held.busy(first)
    let_in, third = counted(held, "2001:db8::3")
    assert let_in, "one of that network asked for nothing"
    assert (first.aborted, second.aborted) == (False, True)
    held.busy(third)
    assert not counted(held, "2001:db8::4")[0]
    assert counted(held, "2001:db8:1::1")[0], "another network"
    assert [counted(held, "127.0.0.1")[0] for _ in range(3)] == [True] * 3
