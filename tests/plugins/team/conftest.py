"""What the tests of the plugin share: stores, quick hashes, and a served town, as to start a server takes seconds."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import argon2
import pytest
import yaml

from indexing import Collection
from indexing.embed.minilm import MiniLM
from plugins.team import people
from plugins.team.people import People
from tests.plugins.team.town import Place, tokens_in, town
from tests.ui.conftest import embedder, postgres_database, share_workers  # noqa: F401 - fixtures
from tests.ui.real_collection import mill
from ui.state import StateStore, open_state


@pytest.fixture(autouse=True)
def _quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash passwords with less work than for people, but by the same code."""
    quick = argon2.PasswordHasher(time_cost=2, memory_cost=64, parallelism=1)
    monkeypatch.setattr(people, "_HASHER", quick)
    monkeypatch.setattr(people, "_hash_of_nobody", lambda: quick.hash("the password of nobody"))


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def state(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StateStore]:
    """An open store: SQLite, and Debian's PostgreSQL where it is installed."""
    address = str(tmp_path / "state.sqlite")
    if request.param == "postgresql":
        address = str(request.getfixturevalue("postgres_database")())
    with open_state(tmp_path, address) as store:
        yield store


@pytest.fixture
def crew(state: StateStore) -> People:
    """Ada with a password and bob without one, and the group lab with ada in it."""
    crew = People(state)
    crew.add("Ada", "correct horse")
    crew.add("bob")
    crew.add_group("lab")
    crew.join_group("lab", "ada")
    return crew


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Iterator[Place]:  # noqa: F811
    """A page with people and tools, which believes a proxy on this machine; nobody but an admin may see `hidden`."""
    folder = tmp_path_factory.mktemp("town")
    mill(folder, embedder)
    Collection.create("hidden", folder / "home").close()
    profile = folder / "profile.yaml"
    ui: dict[str, Any] = {"proxy_user_header": "X-Forwarded-User", "proxy_addresses": ["127.0.0.1/32"]}
    profile.write_text(yaml.safe_dump({"ui": ui}))
    with town(folder, folder / "home", mcp=True, profile=str(profile)) as served:
        state = folder / "state.sqlite"
        yield Place(served, state, tokens_in(state))
