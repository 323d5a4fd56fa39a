"""The doorkeeper: a proxy's header counts from the addresses that the settings name, and from nowhere else."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import ValidationError

from ui.errors import AddressError
from ui.settings import UiSettings
from ui.state import open_state
from ui.web.people import PeopleOfServer, accounts_of
from ui.web.server import PEER, Receive, Scope, Send, Visitors, has_role, identity, may_see, visitor
from ui.web.signatures import Signatures


def known(server: PeopleOfServer, peer: str, *headers: tuple[str, str]) -> str | None:
    """The name of whoever asks."""
    app: Any = SimpleNamespace(cookie_id="abc")
    raw = [(name.encode(), value.encode()) for name, value in headers]
    scope = {"type": "http", "headers": raw, "app": app, PEER: peer, "client": ("10.0.0.1", 1)}
    found = server.doorkeeper.identify(scope)
    return found.name if found else None


def test_a_proxy_is_known_by_where_it_connects_from(tmp_path: Path) -> None:
    settings = UiSettings.model_validate(
        {"proxy_user_header": "x-forwarded-user", "proxy_addresses": ["10.0.0.0/30", "::1"]}
    )
    with open_state(tmp_path) as state:
        server = PeopleOfServer(state, settings)
        server.people.add("ada")
        ada = ("x-forwarded-user", "ada")
        assert [known(server, peer, ada) for peer in ("10.0.0.1", "::ffff:10.0.0.2", "::1")] == ["ada"] * 3
        assert [known(server, peer, ada) for peer in ("10.0.0.5", "", "unix", "127.0.0.1", "::2")] == [None] * 5
        assert known(server, "10.0.0.1", ada, ada) is None
        assert known(server, "10.0.0.1", ("x-other", "ada")) is None
        assert known(server, "10.0.0.1", ada, ("authorization", "Bearer vch_x")) is None
        assert known(PeopleOfServer(state, UiSettings()), "10.0.0.1", ada) is None


def test_a_token_finds_nothing_of_what_its_person_asked(tmp_path: Path) -> None:
    """It may be held to one collection, and the history of its person is of all."""
    with open_state(tmp_path) as state:
        server = PeopleOfServer(state, UiSettings())
        server.people.add("ada")
        server.visits.begin("of-a-browser", "ada")
        token = server.tokens.add("ada", "one", "owner")
        browser = visited(server, ("cookie", "access-token-abc=of-a-browser"))
        program = visited(server, ("authorization", f"Bearer {token}"))
        assert browser == visited(server, ("cookie", "access-token-unsecure-abc=of-a-browser; x=1")) != program
        assert program.startswith("account ")
        assert visited(server, ("cookie", "access-token-abc=other")) == ""


def visited(server: PeopleOfServer, header: tuple[str, str]) -> str:
    """Whose request it is, behind the middleware."""
    who: list[str] = []

    async def page(scope: Scope, _receive: Receive, _send: Send) -> None:
        who.append(visitor(scope))
        assert may_see(scope) == has_role(scope, "reader", "x") or identity(scope).user_id

    async def nothing(*_: Any) -> Any:
        return {}

    app: Any = SimpleNamespace(cookie_id="abc", auth=server, tokens=server.doorkeeper)
    scope = {"type": "http", "path": "/api/v1", "headers": [(header[0].encode(), header[1].encode())], "app": app}
    asyncio.run(Visitors(page, Signatures(b"k" * 32), server.doorkeeper)(scope, nothing, nothing))
    return who[0]


@pytest.mark.parametrize(
    "half", [{"proxy_user_header": "X-User"}, {"proxy_addresses": ["::1"]}, {"sso_issuer": "https://id.example"}]
)
def test_half_a_setting_is_refused(half: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="go together"):
        UiSettings.model_validate(half)


def test_a_server_without_people_is_refused_with_the_command_that_adds_one(tmp_path: Path) -> None:
    with open_state(tmp_path) as state, pytest.raises(AddressError, match="vouch admin user add"):
        accounts_of(state)
