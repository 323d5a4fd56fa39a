"""Floods against the page, served for real: they cost it little, nobody is shut out, and the log stays short."""

import json
import resource
import secrets
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import psutil
import pytest

from tests.ui.forked import Served
from tests.ui.page_events import fire
from tests.ui.served_page import accounts_in, serving

pytestmark = pytest.mark.slow
QUESTION = "When was the mill built by Anna Holm?"
MB = 1024 * 1024
HALF = b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nx-"


@pytest.fixture(scope="module")
def served(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The page as it comes out of the box, with as many descriptors as a process usually has."""
    with serving(tmp_path_factory.mktemp("served"), home, collection="made-up", descriptors=1024) as page:
        yield page


@pytest.fixture(scope="module")
def locked(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A page with two accounts."""
    folder = tmp_path_factory.mktemp("locked")
    with serving(folder, home, collection="made-up", accounts=accounts_in(folder)) as page:
        yield page


def place(page: Served) -> tuple[str, int]:
    parts = urlsplit(page.address)
    return str(parts.hostname), int(parts.port or 0)


def memory(page: Served) -> int:
    return int(psutil.Process(page.pid).memory_info().rss)


@contextmanager
def visitor(page: Served) -> Iterator[httpx.Client]:
    """A browser that has loaded the page, and got a name of its own with it."""
    with httpx.Client(base_url=page.address, timeout=60) as client:
        assert client.get("/").status_code == 200
        yield client


def question(name: object = "made-up", mode: object = "text") -> list[Any]:
    return [None, "", name, QUESTION, mode, "quote", 4, 8, False, False, None, None, [], []]


@pytest.mark.gate
def test_a_thousand_half_requests_keep_nobody_out(served: Served) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4096)), hard))
    with ExitStack() as held:
        for _ in range(1100):
            one = held.enter_context(socket.create_connection(place(served), timeout=30))
            one.sendall(HALF)
        for _ in range(3):
            assert httpx.get(f"{served.address}/config", timeout=30).status_code == 200
    assert len(served.log.read_text().splitlines()) < 50


@pytest.mark.gate
def test_bodies_without_a_login_are_not_held(locked: Served) -> None:
    before = memory(locked)
    head = b"POST /gradio_api/queue/join HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    with ExitStack() as held:
        for _ in range(150):
            one = held.enter_context(socket.create_connection(place(locked), timeout=30))
            one.sendall(head + b"content-length: 990000\r\n\r\n")
            one.settimeout(2)
            try:
                one.sendall(b" " * 989_999)
            except OSError:  # nobody reads it
                continue
        assert memory(locked) - before < 60 * MB
        assert httpx.get(locked.address, timeout=30).status_code == 200


@pytest.mark.gate
def test_what_a_client_sends_reaches_no_terminal(served: Served, home: Path) -> None:
    escape = "\x1b]0;taken over\x07\x1b[2J"
    with visitor(served) as client:
        assert '"success":false' in fire(client, "ask", question(mode=escape + QUESTION), "escape")
    (log,) = (home / ".logs").glob(f"serve-{place(served)[1]}.log")
    for said in (served.log.read_text(), log.read_text()):
        assert "Error at " in said
        assert said.replace("\n", "").isprintable()
        for word in ("taken over", "Traceback", "Anna Holm"):
            assert word not in said


def test_uploads_that_are_never_queued_count(home: Path, tmp_path: Path) -> None:
    profile = tmp_path / "small.yaml"
    profile.write_text(json.dumps({"ui": {"max_waiting_mb": 2, "max_all_waiting_mb": 4, "max_files": 3}}))
    with serving(tmp_path, home, collection="made-up", profile=str(profile)) as page:

        def upload(client: httpx.Client, *sizes: int) -> int:
            files = [("files", (f"{n}.pdf", secrets.token_bytes(size))) for n, size in enumerate(sizes)]
            return client.post("/gradio_api/upload", files=files).status_code

        with visitor(page) as one, visitor(page) as other, visitor(page) as third:
            assert upload(one, MB) == 200
            assert upload(one, MB + MB // 2) == 413
            assert upload(one, *[1] * 7) == 413
            left = [path for path in (tmp_path / "uploads").rglob("*") if path.is_file()]
            assert [path.stat().st_size for path in left] == [MB], "of what was refused nothing is left"
            assert upload(other, MB + MB // 4) == 200
            assert upload(third, MB + MB // 4) == 200
            assert upload(third, MB // 2) == 413, "the server has no room, and all of it is fresh"
