"""The doorkeeper: a proxy's header counts from the addresses that the settings name, and from nowhere else."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import ValidationError

from ui.errors import AddressError
from ui.settings import UiSettings
from ui.state import open_state
from ui.web.people import PeopleOfServer, accounts_of
from ui.web.server import PEER


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


@pytest.mark.parametrize(
    "half", [{"proxy_user_header": "X-User"}, {"proxy_addresses": ["::1"]}, {"sso_issuer": "https://id.example"}]
)
def test_half_a_setting_is_refused(half: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="go together"):
        UiSettings.model_validate(half)


def test_a_server_without_people_is_refused_with_the_command_that_adds_one(tmp_path: Path) -> None:
    with open_state(tmp_path) as state, pytest.raises(AddressError, match="vouch admin user add"):
        accounts_of(state)
