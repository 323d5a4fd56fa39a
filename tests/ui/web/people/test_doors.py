"""The doors, without a server: what a stranger may make the server do."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import anyio
import anyio.lowlevel
import pytest

from tests.ui.web.people.town import PASSWORD
from ui.settings import UiSettings
from ui.state import People, open_state
from ui.state.people import invite
from ui.web.people import Doors, PeopleOfServer
from ui.web.server import Accounts
from ui.web.server.accounts import MOST_OF_ONE
from ui.web.signatures import Signatures


class SlowBook:
    """A book whose passwords are compared until somebody opens it."""

    def __init__(self) -> None:
        self.opened = threading.Event()

    def kept_name(self, name: str) -> str:
        return name

    def is_known(self, _: str) -> bool:
        return False

    def admits(self, *_: str) -> bool:
        return not self.opened.wait(30)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PeopleOfServer]:
    with open_state(tmp_path, str(tmp_path / "state.sqlite")) as state:
        yield PeopleOfServer(state, UiSettings())


def doors(server: PeopleOfServer, accounts: Accounts, tmp_path: Path) -> Doors:
    async def nothing_else(*_: Any) -> None:
        raise AssertionError("passed on")

    return Doors(nothing_else, server, accounts, Signatures.of_home(tmp_path))


async def join(at: Doors, **fields: str) -> tuple[int, str]:
    """Send the form of the invitation; return the status and the page."""
    scope: dict[str, Any] = {"type": "http", "method": "POST", "path": "/join", "headers": [], "query_string": b""}
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": urlencode(fields).encode()}

    async def send(message: Any) -> None:
        sent.append(message)

    await at(scope, receive, send)
    return sent[0]["status"], sent[1]["body"].decode()


def test_an_invitation_waits_for_its_turn_behind_passwords(server: PeopleOfServer, tmp_path: Path) -> None:
    book = SlowBook()
    accounts = Accounts(book)
    at = doors(server, accounts, tmp_path)
    done: list[str] = []

    async def log_in() -> None:
        await accounts.admits_soon("ada", PASSWORD)
        done.append("login")

    async def come() -> None:
        await join(at, invitation="x", username="eve", password=PASSWORD)
        done.append("join")

    async def run() -> None:
        async with anyio.create_task_group() as tasks:
            for _ in range(2):
                tasks.start_soon(log_in)
            await anyio.lowlevel.checkpoint()
            tasks.start_soon(come)
            limiter = accounts._at_once
            assert limiter is not None
            while not (limiter.statistics().tasks_waiting or done):
                await anyio.lowlevel.checkpoint()
            assert done == []
            book.opened.set()

    anyio.run(run)
    assert sorted(done) == ["join", "login", "login"]


def test_after_many_wrong_invitations_from_one_address_none_is_taken(server: PeopleOfServer, tmp_path: Path) -> None:
    now = 0.0
    accounts = Accounts(People(server.people.state), clock=lambda: now)
    at = doors(server, accounts, tmp_path)
    secret = invite(server.people.state).secret
    for _ in range(MOST_OF_ONE):
        assert anyio.run(lambda: join(at, invitation="x", username="eve", password=PASSWORD))[0] == 400
    status, page = anyio.run(lambda: join(at, invitation=secret, username="eve", password=PASSWORD))
    assert (status, "ten minutes" in page) == (429, True)
    now = 601.0
    assert anyio.run(lambda: join(at, invitation=secret, username="eve", password=PASSWORD))[0] == 200
