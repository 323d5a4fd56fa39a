"""The cut itself: what is refused, what passes, and that neither libraries nor child processes slip through."""

import os
import socket
import subprocess
import sys
import urllib.request

import pytest

from tests.support import network

OUTSIDE = "192.0.2.1"  # reserved for documentation: nobody answers there


@pytest.fixture
def attempts() -> list[str]:
    """What was remembered and is expected: taken out of the list that fails the test."""
    return network.attempts


def test_a_connection_to_an_address_is_refused_and_remembered(attempts: list[str]) -> None:
    with socket.socket() as sock, pytest.raises(network.NetworkCut, match=OUTSIDE):
        sock.connect((OUTSIDE, 80))
    assert attempts.pop() == f"socket.connect '{OUTSIDE}'"


def test_a_name_is_not_looked_up(attempts: list[str]) -> None:
    with pytest.raises(network.NetworkCut):
        socket.create_connection(("example.org", 80), timeout=1)
    assert attempts.pop() == "socket.getaddrinfo 'example.org'"


def test_a_datagram_is_refused(attempts: list[str]) -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as sock, pytest.raises(network.NetworkCut):
        sock.sendto(b"", (OUTSIDE, 53))
    assert attempts.pop()


def test_loopback_and_unix_sockets_pass() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(("localhost", server.getsockname()[1]), timeout=5) as sock,
    ):
        assert sock.getpeername()[0] == "127.0.0.1"
    left, right = socket.socketpair()
    with left, right:
        left.sendall(b"x")
        assert right.recv(1) == b"x"


def test_a_client_that_honours_proxies_trips_the_wire(attempts: list[str]) -> None:
    with pytest.raises(OSError, match="closed"):
        urllib.request.urlopen("http://example.org/secret", timeout=5)
    assert attempts.pop() == "by proxy GET http://example.org/secret HTTP/1.1"


def test_a_child_process_trips_the_wire(attempts: list[str]) -> None:
    code = "import urllib.request; urllib.request.urlopen('https://example.org/', timeout=5)"
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert child.returncode != 0
    assert attempts.pop().startswith("by proxy CONNECT example.org:443")


@pytest.mark.parametrize("host", [None, "", b"localhost", "127.8.8.8", "::1", "::1%lo"])
def test_hosts_on_this_machine(host: object) -> None:
    assert network.is_loopback(host)


@pytest.mark.parametrize("host", ["10.0.0.1", "localhost.example.org", "127.0.0.1.example.org", b"example", "fe80::1"])
def test_hosts_elsewhere(host: object) -> None:
    assert not network.is_loopback(host)


def test_models_are_not_fetched_and_nothing_is_reported() -> None:
    assert os.environ["HF_HUB_OFFLINE"] == "1"
    assert os.environ["GRADIO_ANALYTICS_ENABLED"] == "False"


@pytest.mark.parametrize("package", ["indexing", "rag", "ui.web", "evaluation"])
def test_a_package_silences_onnx_runtime_before_it_can_be_loaded(package: str) -> None:
    """In a process of its own, as these tests tell it too."""
    code = f"import os, sys, {package}; print(os.environ.get('ORT_DISABLE_TELEMETRY'), 'onnxruntime' in sys.modules)"
    bare = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    said = subprocess.run(
        [sys.executable, "-c", code], env=bare, capture_output=True, text=True, check=True, timeout=60
    )
    assert said.stdout.split() == ["1", "False"]
