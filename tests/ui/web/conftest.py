"""What the tests of served pages share: a home with something in it to ask about, and pages over it.

To start a server takes seconds: those here are for the whole run. A test that fills queues or locks accounts out, or
needs other options, starts one of its own.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from indexing.embed.minilm import MiniLM
from tests.ui.forked import Served
from tests.ui.real_collection import mill
from tests.ui.served_page import accounts_in, serving


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Path:
    """A home with the collection `made-up`, of one document; tests may add other collections."""
    folder = tmp_path_factory.mktemp("home")
    mill(folder, embedder)
    return folder / "home"


@pytest.fixture(scope="session")
def served(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The page over that home, without accounts."""
    with serving(tmp_path_factory.mktemp("served"), home, collection="made-up") as page:
        yield page


@pytest.fixture(scope="session")
def with_accounts(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The page over that home, with the accounts ada and bob."""
    folder = tmp_path_factory.mktemp("accounts")
    with serving(folder, home, collection="made-up", accounts=accounts_in(folder)) as page:
        yield page
