"""A town of people for the tests of a served page: one of each role, and a collection that none of them may know of."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from plugins.team.credentials import Tokens
from plugins.team.people import People
from tests.ui import page_events
from tests.ui.forked import Served
from tests.ui.served_page import serving
from ui.access import Role
from ui.state import open_state

PASSWORD = "correct horse"
LIST_TOOLS = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
TOOL_HEADERS = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
ROLES: dict[str, Role] = {"reader": "reader", "editor": "editor", "owner": "owner"}
NAMES = ("nobody", *ROLES, "admin", "tenant")
"""The ones who try everything: a stranger, one of each role in the collection, an admin, one of another collection."""


def settle(state: Path | str, collection: str = "made-up") -> None:
    """Put the people into the state at an address: `tenant` owns a collection `other`, and nothing else."""
    with open_state(Path(), str(state)) as store:
        people = People(store)
        people.add("admin", PASSWORD, admin=True)
        people.add("tenant", PASSWORD)
        people.give("other", "owner", user="tenant")
        for name, role in ROLES.items():
            people.add(name, PASSWORD)
            people.give(collection, role, user=name)


def tokens_in(state: Path | str) -> dict[str, str]:
    """A new token of each person, by name, by which a program may all that its person may; "" for nobody."""
    with open_state(Path(), str(state)) as store:
        tokens = Tokens(store)
        return {"nobody": ""} | {name: tokens.add(name, "test", "owner") for name in NAMES if name != "nobody"}


@contextmanager
def town(folder: Path, home: Path, state: str = "", **options: Any) -> Iterator[Served]:
    """A page with these people, kept in `state` or in a file of the folder, over the collections in `home`."""
    state = state or str(folder / "state.sqlite")
    settle(state)
    with serving(folder, home, collection="made-up", accounts=state, **options) as page:
        yield page


class Person:
    """Somebody with a browser: cookies, and visits to the page."""

    visits = 0

    def __init__(self, served: Served, name: str = "nobody") -> None:
        self.name = name
        self.client = httpx.Client(base_url=served.address, timeout=60)
        self.client.get("/")
        if name != "nobody":
            said = self.client.post("/login", data={"username": name, "password": PASSWORD})
            assert said.status_code == 200, said.text

    def fire(self, name: str, data: list[Any], visit: str = "") -> str:
        """Everything that the server says about one event of the page."""
        Person.visits += 1
        return page_events.fire(self.client, name, data, visit or f"town{Person.visits}")

    def __enter__(self) -> Person:
        """The person, until the block ends."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the browser."""
        self.client.close()


@dataclass(frozen=True)
class Place:
    """A served town, and where its state is."""

    served: Served
    state: Path
    tokens: dict[str, str]

    @property
    def address(self) -> str:
        return f"{self.served.address}/mcp"

    def token(self, user: str, **options: Any) -> str:
        with open_state(self.state.parent, str(self.state)) as store:
            return Tokens(store).add(user, "test", **options)

    def call(self, token: str, tool: str, mode: str = "auto", /, **arguments: Any) -> Any:
        """The result of one call, by a client of its own."""

        async def work(client: Client) -> Any:
            return await client.call_tool(tool, arguments)

        return self.worked(token, work, mode)

    def worked(self, token: str, work: Callable[[Client], Awaitable[Any]], mode: str = "auto") -> Any:
        async def run() -> Any:
            headers = {"authorization": f"Bearer {token}"} if token else {}
            async with (
                httpx2.AsyncClient(headers=headers, timeout=60) as http,
                Client(streamable_http_client(self.address, http_client=http), mode=mode) as client,
            ):
                return await work(client)

        return asyncio.run(run())

    def post(self, **headers: str) -> httpx.Response:
        """The answer to a list of tools, asked without a client."""
        named = TOOL_HEADERS | {name.replace("_", "-"): value for name, value in headers.items()}
        return httpx.post(self.address, json=LIST_TOOLS, headers=named, timeout=60)
