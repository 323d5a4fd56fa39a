"""A served town for the whole run: to start a server takes seconds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from indexing import Collection
from indexing.embed.minilm import MiniLM
from tests.ui.real_collection import mill
from tests.ui.web.people.town import Place, tokens_in, town


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Iterator[Place]:
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
